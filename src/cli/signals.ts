import { exitCodes } from '../exit-codes.ts'

/** The signals that end a run and its processes. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs work that a signal can stop. The first signal stops the work gracefully, the second exits at once.
 * @param stopping printed on the first signal
 */
export async function withGracefulStop<T>(
  stopping: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  const interrupt = () => {
    if (stop.signal.aborted) process.exit(exitCodes.interrupted)
    console.error(`\n${stopping}. Press Ctrl-C again to stop at once.`)
    stop.abort()
  }
  for (const signal of signals) process.on(signal, interrupt)
  try {
    return await work(stop.signal)
  } finally {
    for (const signal of signals) process.off(signal, interrupt)
  }
}

/**
 * As `withGracefulStop`, for work that may throw after a signal. After a signal, the exit code is 130 in any case.
 * @param stopping printed on the first signal
 */
export async function withInterruptedExitCode(
  stopping: string,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  await withGracefulStop(stopping, async (signal) => {
    try {
      await work(signal)
    } catch (error) {
      if (!signal.aborted) throw error
    }
    if (signal.aborted) process.exitCode = exitCodes.interrupted
  })
}
