import { CommanderError } from 'commander'
import { exitCodes } from '../exit-codes.ts'
import { SetupError } from '../target/problem.ts'
import { isUnread, OutputClosed } from './output-closed.ts'
import { program } from './program.ts'

/** File system errors that the machine causes: a full disk, or missing permissions. */
const isRefused = (error: unknown): error is NodeJS.ErrnoException =>
  ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')

// A run continues after the reader of its output has gone: its verdicts are on disk and in the exit code.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (isUnread(error)) return
  console.error(`Cannot write to standard output (${error.code}).`)
  process.exit(exitCodes.setup)
})
process.stderr.on('error', () => undefined)

// By default, Node exits with 1, which here means that a requirement is violated.
process.on('uncaughtException', (error) => {
  fail(error)
  process.exit()
})

try {
  await program().parseAsync()
} catch (error) {
  fail(error)
}

/** Prints why the command failed, and sets the exit code. */
function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    // Help and version exit with 0; everything else is a usage error.
    process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.setup
  } else if (error instanceof SetupError) {
    console.error(error.message)
    process.exitCode = exitCodes.setup
  } else if (isRefused(error)) {
    console.error(`Cannot use ${error.path ?? 'a file'} (${error.code}).`)
    process.exitCode = exitCodes.setup
  } else if (!(error instanceof OutputClosed)) {
    console.error('This is a defect of Plumbline. Please report it:')
    console.error(error instanceof Error ? traceOf(error) : `a thrown ${typeof error}`)
    process.exitCode = exitCodes.defect
  }
}

/** The name of an error and where it was thrown, without the message, which may quote a secret. */
function traceOf({ name, message, stack = '' }: Error): string {
  const frames = stack.slice(stack.indexOf(message) + message.length).split('\n')
  return [name, ...frames.filter((line) => /^ +at /.test(line))].join('\n')
}
