import { Command, CommanderError } from 'commander'
import { vi } from 'vitest'
import { program } from '../../src/cli/program.ts'

/** The result of parsing a command line: the command and its arguments. */
export interface Parsed {
  readonly command: string
  readonly arguments: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
}

type Action = Parameters<Command['action']>[0]

interface ParseOutcome {
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
  const plumbline = program()
  const visible = plumbline.createHelp().visibleCommands(plumbline)
  return new Map(
    visible
      .filter((command) => command.name() !== 'help')
      .map((command) => [command.name(), command.options.map(({ long }) => long ?? '')] as const),
  )
}

/** Parses words without executing the command: the parsed command, or the text of the refusal. */
async function parseOutcome(words: readonly string[]): Promise<ParseOutcome> {
  let parsed: Parsed | undefined
  let refusal = ''
  const action = Command.prototype.action
  const spies = [
    vi.spyOn(Command.prototype, 'action').mockImplementation(function (this: Command, _fn: Action) {
      return action.call(this, () => {
        parsed = { command: this.name(), arguments: this.args, options: this.opts() }
      })
    }),
    vi.spyOn(process.stdout, 'write').mockReturnValue(true),
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      refusal += text
      return true
    }),
  ]
  try {
    await program().parseAsync([process.execPath, 'plumbline', ...words])
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return { parsed, refusal }
}
