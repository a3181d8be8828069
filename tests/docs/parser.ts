import { Command } from 'commander'
import { vi } from 'vitest'

/** The result of parsing a command line: the command and its arguments. */
export interface Parsed {
  readonly command: string
  readonly arguments: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
}

type Action = Parameters<Command['action']>[0]

/** The program as `plumbline` builds it, with the outcome of parsing the words. */
interface ParseOutcome {
  readonly program: Command | undefined
  readonly parsed: Parsed | undefined
  readonly refusal: string
}

/**
 * Parses words with the real command line, without executing its commands.
 * @returns the parsed command, or undefined if it asks for help
 * @throws {Error} the message of the command line about an unknown word
 */
export async function parse(words: readonly string[]): Promise<Parsed | undefined> {
  const { parsed, refusal } = await parseOutcome(words)
  if (refusal !== '') throw new Error(`plumbline ${words.join(' ')}: ${refusal.trim()}`)
  return parsed
}

/** Commands that help shows, each with the long names of its options. */
export async function commands(): Promise<ReadonlyMap<string, readonly string[]>> {
  const { program } = await parseOutcome(['--help'])
  const visible = program?.createHelp().visibleCommands(program) ?? []
  return new Map(
    visible
      .filter((command) => command.name() !== 'help')
      .map((command) => [command.name(), command.options.map(({ long }) => long ?? '')] as const),
  )
}

async function parseOutcome(words: readonly string[]): Promise<ParseOutcome> {
  let program: Command | undefined
  let parsed: Parsed | undefined
  let refusal = ''
  const action = Command.prototype.action
  const spies = [
    vi.spyOn(Command.prototype, 'action').mockImplementation(function (this: Command, _fn: Action) {
      program = this.parent ?? program
      return action.call(this, () => {
        parsed = { command: this.name(), arguments: this.args, options: this.opts() }
      })
    }),
    vi.spyOn(process.stdout, 'write').mockReturnValue(true),
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      refusal += text
      return true
    }),
    vi.spyOn(process.stdout, 'on').mockReturnThis(),
  ]
  const { argv, exitCode } = process
  try {
    process.argv = [process.execPath, 'plumbline', ...words]
    vi.resetModules()
    await import('../../src/cli/plumbline.ts')
  } finally {
    process.argv = argv
    process.exitCode = exitCode
    for (const spy of spies) spy.mockRestore()
  }
  return { program, parsed, refusal }
}
