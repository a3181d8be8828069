import { Command, CommanderError } from 'commander'
import { version } from '../project.ts'
import { SetupError } from '../target/problem.ts'
import {
  checkCommand,
  doctorCommand,
  explainCommand,
  listCommand,
  planCommand,
  probeCommand,
} from './conformance-commands.ts'
import {
  completeCommand,
  completionCommand,
  eventsCommand,
  loginCommand,
  providerCommand,
  recordLoginCommand,
  tokensCommand,
} from './manual-commands.ts'
import { compareCommand, gateCommand, reportCommand } from './run-commands.ts'

/** Exit codes of every command. */
const exit = { setup: 3, defect: 4 } as const

/** In the order of --help. */
const commands = [
  checkCommand,
  doctorCommand,
  planCommand,
  probeCommand,
  listCommand,
  explainCommand,
  eventsCommand,
  loginCommand,
  recordLoginCommand,
  tokensCommand,
  compareCommand,
  gateCommand,
  reportCommand,
  providerCommand,
  completionCommand,
  completeCommand,
]

function program(): Command {
  const plumbline = new Command('plumbline')
    .description('Checks an identity provider and its Event Hub against the partner interface specification.')
    .version(version)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, '')) })
    .showSuggestionAfterError()

  for (const add of commands) add(plumbline)

  for (const command of plumbline.commands) {
    const help = `(see plumbline ${command.name()} --help)`
    command
      .exitOverride()
      .configureOutput({
        outputError: (text, write) => write(`${text.replace(/^error: /, '').trimEnd()} ${help}\n`),
      })
      .showSuggestionAfterError()
  }
  return plumbline
}

/** Only the machine can be the reason: a full disk, or a file of somebody else's. */
const isRefused = (error: unknown): error is NodeJS.ErrnoException =>
  ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Whoever reads the output may stop reading, as `| head` does: that is no defect. */
const isUnread = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EPIPE'

// A run goes on all the same, since its verdicts are on disk and in the exit code.
for (const [name, stream] of [
  ['Standard output', process.stdout],
  ['Standard error', process.stderr],
] as const) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (isUnread(error)) return
    if (stream === process.stdout) console.error(`${name} cannot be written to (${error.code}).`)
    process.exit(exit.setup)
  })
}

// Node would end with 1, which says that a requirement is violated.
process.on('uncaughtException', (error) => {
  fail(error)
  process.exit()
})

try {
  await program().parseAsync()
} catch (error) {
  fail(error)
}

/** Says what kept the command from its end, and sets the exit code. */
function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    // Help and version were asked for; everything else is a mistake in the options.
    process.exitCode = error.exitCode === 0 ? 0 : exit.setup
  } else if (error instanceof SetupError) {
    console.error(error.message)
    process.exitCode = exit.setup
  } else if (isRefused(error)) {
    console.error(`${error.path ?? 'A file'} cannot be used (${error.code}).`)
    process.exitCode = exit.setup
  } else if (!isUnread(error)) {
    console.error('A defect of Plumbline, please report it:')
    console.error(error instanceof Error ? error.stack : error)
    process.exitCode = exit.defect
  }
}
