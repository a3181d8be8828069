import { type ChildProcess, spawn } from 'node:child_process'
import { watch as watchFolder } from 'node:fs'
import { join } from 'node:path'
import { exitCodes } from '../exit-codes.ts'
import { projectRoot } from '../project.ts'
import { withGracefulStop } from './signals.ts'

/** The folders whose changes start a new run, relative to the project's root. */
const folders = ['suites', 'src', 'schemas', 'provider']
/**
 * Milliseconds without a further change before a run starts: editors write a file in several steps, and version control
 * writes many files at once.
 */
const settleMs = 300

/**
 * Runs the command without `--watch` in a child process, and again after each change of a source or of an `.env` file
 * in the working directory, until a signal stops the command. A change during a run starts another run afterwards.
 */
export async function watch(args: readonly string[]): Promise<void> {
  const script = process.argv[1] ?? join(projectRoot, 'bin', 'plumbline.mjs')
  const argsWithoutWatch = args.filter((arg) => arg !== '--watch')
  await withGracefulStop('Stopping', async (signal) => {
    const changes = new Changes()
    let child: ChildProcess | undefined
    const stop = () => {
      changes.wake()
      child?.kill('SIGINT')
    }
    signal.addEventListener('abort', stop)
    // A second interrupt exits this process at once: the child must end, too.
    process.once('exit', stop)
    try {
      while (!signal.aborted) {
        changes.forget()
        // In its own process group, so that only this process forwards an interrupt.
        child = spawn(process.execPath, [script, ...argsWithoutWatch], { stdio: 'inherit', detached: true })
        await new Promise((resolve) => child?.once('close', resolve))
        if (signal.aborted) break
        console.log('Waiting for changes. Press Ctrl-C to stop.')
        await changes.next()
      }
    } finally {
      changes.close()
    }
  })
  process.exitCode = exitCodes.interrupted
}

class Changes {
  readonly #watchers = [
    ...folders.map((folder) =>
      watchFolder(join(projectRoot, folder), { recursive: true }, () => this.#changed()),
    ),
    watchFolder(process.cwd(), (_event, name) => {
      if (name === null || /^\.env(?:\.|$)/.test(name)) this.#changed()
    }),
  ]
  #timer: NodeJS.Timeout | undefined
  #next = Promise.withResolvers<void>()

  /** Resolves when a file has changed since `forget`. */
  next(): Promise<void> {
    return this.#next.promise
  }

  forget(): void {
    this.#next = Promise.withResolvers<void>()
  }

  wake(): void {
    this.#next.resolve()
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const watcher of this.#watchers) watcher.close()
  }

  #changed(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#next.resolve(), settleMs)
  }
}
