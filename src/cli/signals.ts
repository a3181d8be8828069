/** All that ask a run to end; what it started has to end with it. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Stops what is going on, where that can be stopped in order. */
let stopWork: (() => void) | undefined

/**
 * Whoever read the output stopped reading: work that can be stopped ends in order, as if it were interrupted.
 * @returns false where there is none
 */
export function stopUnread(): boolean {
  stopWork?.()
  return stopWork !== undefined
}

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
  stopWork = () => stop.abort()
  try {
    return await work(stop.signal)
  } finally {
    stopWork = undefined
    for (const signal of signals) process.off(signal, interrupt)
  }
}

/** Work that leaves nothing behind when it is stopped: exit code 130, whatever else it comes to then. */
export async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  await untilStopped('Stopping', async (signal) => {
    try {
      await work(signal)
    } catch (error) {
      if (!signal.aborted) throw error
    }
    if (signal.aborted) process.exitCode = 130
  })
}
