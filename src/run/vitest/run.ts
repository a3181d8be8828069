import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { Reporter } from 'vitest/node'
import type { RunContext } from '../../check/run-context.ts'
import { projectRoot } from '../../project.ts'
import { withCommandRun } from './command-run.ts'
import { suitesProject } from './suites-project.ts'

interface VitestRunOptions {
  /** Suites to run, relative to the project. */
  readonly files: readonly string[]
  /** Ids of the requirements whose checks run. */
  readonly selectedIds: ReadonlySet<string>
  readonly run: RunContext
  readonly reporters: readonly Reporter[]
  /** Stops the run after the current check. */
  readonly signal: AbortSignal | undefined
}

/** Forwards output without back-pressure: a closed pipe, as with `| head`, must not block the run. */
function forwarded(name: 'stdout' | 'stderr'): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      process[name].write(chunk)
      done()
    },
  })
}

/** Interval at which a cancellation is repeated, in milliseconds. */
const cancelMs = 100

const signals: readonly (string | symbol)[] = ['SIGINT', 'SIGTERM']

/**
 * Removes the signal listeners that `work` adds. The listeners of Vitest exit at once, but an interrupted run must
 * finish its current check and keep its results.
 */
async function withoutSignalListeners<T>(work: () => Promise<T>): Promise<T> {
  const remove = (event: string | symbol, listener: () => void) => {
    if (signals.includes(event)) queueMicrotask(() => process.off(event, listener))
  }
  process.on('newListener', remove)
  try {
    return await work()
  } finally {
    process.off('newListener', remove)
  }
}

/** Loads Vitest. Loading takes long, so callers begin it while the target or the browser starts. */
export async function loadVitest() {
  const [{ createVitest }, { inProcess }, { SuiteSequencer }] = await Promise.all([
    import('vitest/node'),
    import('./pool.ts'),
    import('./suite-sequencer.ts'),
  ])
  return { createVitest, inProcess, SuiteSequencer }
}

/** Runs the project `suites` of vitest.config.ts in this process. */
export async function runVitest({
  files,
  selectedIds,
  run,
  reporters,
  signal,
}: VitestRunOptions): Promise<void> {
  const { createVitest, inProcess, SuiteSequencer } = await loadVitest()
  let hasBegun = false
  const beginning: Reporter = {
    onTestCaseReady: () => {
      hasBegun = true
    },
  }
  const vitest = await withoutSignalListeners(() =>
    createVitest(
      'test',
      {
        root: projectRoot,
        // The configuration file would also load the project of Plumbline's own tests.
        config: false,
        projects: [suitesProject],
        sequence: { sequencer: SuiteSequencer },
        watch: false,
        reporters: [...reporters, beginning],
        pool: inProcess,
        disableConsoleIntercept: true,
      },
      {},
      { stdout: forwarded('stdout'), stderr: forwarded('stderr') },
    ),
  )
  // Vitest sets the exit code for failed tests, but the verdicts determine the exit code of a run.
  const exitCode = process.exitCode
  // Vitest ignores a cancellation before its first test, so the cancellation is repeated until then. A second one after
  // that would end the running test before the test has undone its changes.
  let repeating: NodeJS.Timeout | undefined
  const cancel = () => void vitest.cancelCurrentRun('keyboard-input')
  const stop = () => {
    cancel()
    repeating = setInterval(() => {
      if (hasBegun) clearInterval(repeating)
      else cancel()
    }, cancelMs)
  }
  signal?.addEventListener('abort', stop)
  try {
    if (signal?.aborted) return
    const paths = files.map((file) => join(projectRoot, file))
    await withCommandRun({ run, selectedIds }, () => vitest.start(paths))
  } finally {
    signal?.removeEventListener('abort', stop)
    clearInterval(repeating)
    await vitest.close()
    process.exitCode = exitCode
  }
}
