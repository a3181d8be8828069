/** All that ask a run to end; what it started has to end with it. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Does work that can be stopped: the first signal aborts it in order, a second one ends the process at once.
 * @param stopping said on the first signal
 */
export async function untilStopped<T>(
  stopping: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  const interrupt = () => {
    if (stop.signal.aborted) process.exit(130)
    console.error(`\n${stopping}; again to stop at once.`)
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
 * Work that may break off where it is stopped: exit code 130, whatever else it comes to then.
 * @param stopping said on the first signal
 */
export async function untilInterrupted(
  work: (signal: AbortSignal) => Promise<void>,
  stopping = 'Stopping',
): Promise<void> {
  await untilStopped(stopping, async (signal) => {
    try {
      await work(signal)
    } catch (error) {
      if (!signal.aborted) throw error
    }
    if (signal.aborted) process.exitCode = 130
  })
}
