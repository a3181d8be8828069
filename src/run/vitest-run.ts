import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { Reporter } from 'vitest/node'
import type { RunOptions } from '../check/run-context.ts'
import { projectRoot } from '../project.ts'

export interface VitestRunOptions {
  /** Files in the order in which they run, relative to the project. */
  readonly files: readonly string[]
  /** Ids of the requirements whose checks run. */
  readonly selected: readonly string[]
  readonly run: RunOptions
  readonly reporters: readonly Reporter[]
  /** Stops after the check that is running. */
  readonly signal?: AbortSignal
}

/**
 * A stream that hands on what is written to it. Whoever read may have stopped, as `| head` does: then a worker would
 * wait for ever for its output to be taken.
 */
function forwarded(name: 'stdout' | 'stderr'): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      process[name].write(chunk)
      done()
    },
  })
}

const signals = ['SIGINT', 'SIGTERM'] as const

/**
 * Runs suites in one vitest worker: limits are per client, user and address, so that workers would only take
 * from each other, and one worker can share logins, tokens, keys and controls.
 */
export async function runVitest({
  files,
  selected,
  run,
  reporters,
  signal,
}: VitestRunOptions): Promise<void> {
  const { createVitest } = await import('vitest/node')
  const order = files.map((file) => join(projectRoot, file))
  const position = (moduleId: string) => order.indexOf(moduleId)
  const listeners = signals.map((signal) => [signal, process.listeners(signal)] as const)
  const config = {
    config: false as const,
    root: projectRoot,
    watch: false,
    include: [...files],
    pool: 'threads' as const,
    isolate: false,
    maxWorkers: 1,
    fileParallelism: false,
    setupFiles: [join(projectRoot, 'src/check/vitest-setup.ts'), 'allure-vitest/setup'],
    provide: { run, selected },
    reporters: [...reporters],
    sequence: {
      sequencer: class {
        sort<T extends { moduleId: string }>(specifications: T[]): T[] {
          return specifications.sort((a, b) => position(a.moduleId) - position(b.moduleId))
        }
        shard<T>(specifications: T[]): T[] {
          return specifications
        }
      },
    },
  }
  const vitest = await createVitest(
    'test',
    config,
    {},
    { stdout: forwarded('stdout'), stderr: forwarded('stderr') },
  )
  // Vitest ends the process at once where it is told to end; a run ends in order, with what it found.
  for (const [signal, before] of listeners) {
    for (const listener of process.listeners(signal))
      if (!before.includes(listener)) process.off(signal, listener)
  }
  // Vitest marks a run with failed tests by the exit code; here the verdicts decide it.
  const exitCode = process.exitCode
  const cancel = () => void vitest.cancelCurrentRun('keyboard-input')
  signal?.addEventListener('abort', cancel)
  try {
    if (signal?.aborted) return
    await vitest.start()
  } finally {
    signal?.removeEventListener('abort', cancel)
    await vitest.close()
    process.exitCode = exitCode
  }
}
