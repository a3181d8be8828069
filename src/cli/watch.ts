import { type ChildProcess, spawn } from 'node:child_process'
import { watch as watchFolder } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../project.ts'
import { untilStopped } from './signals.ts'

/** What a check rests on, below the project's root. */
const folders = ['suites', 'src', 'schemas', 'provider']
/** Editors write a file in several steps, and version control many files at once, in milliseconds. */
const settleMs = 300

/**
 * Runs the command without `--watch` in a process of its own, and again after every change of what it rests on, or of
 * an `.env` file here, until it is interrupted. A change during a run brings the next one when that has ended.
 */
export async function watch(words: readonly string[]): Promise<void> {
  const script = process.argv[1] ?? join(projectRoot, 'bin', 'plumbline.mjs')
  const once = words.filter((word) => word !== '--watch')
  await untilStopped('Stopping', async (signal) => {
    const changes = new Changes()
    let child: ChildProcess | undefined
    const stop = () => {
      changes.wake()
      child?.kill('SIGINT')
    }
    signal.addEventListener('abort', stop)
    // A second interrupt ends this process at once.
    process.once('exit', stop)
    try {
      while (!signal.aborted) {
        changes.forget()
        // Of its own group, so that an interrupt comes once, from here.
        child = spawn(process.execPath, [script, ...once], { stdio: 'inherit', detached: true })
        await new Promise((resolve) => child?.once('close', resolve))
        if (signal.aborted) break
        console.log('Waiting for a change; Ctrl-C ends.')
        await changes.next()
      }
    } finally {
      changes.close()
    }
  })
  process.exitCode = 130
}

/** Changes of files, several at once taken for one. */
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

  /** Settles when something has changed since `forget`. */
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
