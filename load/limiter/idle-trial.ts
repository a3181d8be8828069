import type { Trial } from './experiment.ts'

/** Idle period of the first trial, in windows: just longer than one, so that the limiter becomes fresh. */
const firstIdleWindows = 1.05

/** Each further idle period is longer by this many windows, so that its burst is at another phase of a grid. */
const furtherIdleWindows = 0.29

/** Time from the start of a window to a burst within it, in windows: more than half of it, and the burst still fits in. */
export const pauseWindows = 0.6

/**
 * After an idle period, in which the limiter becomes fresh: one request, a pause after which a shorter window would be
 * fresh again, and a burst; every second time, the whole burst at once.
 * @param earliest start of the idle period, in milliseconds
 * @param window in milliseconds
 * @param earlier number of bursts after an idle period from which this one differs in phase
 */
export function idleTrial(earliest: number, window: number, capacity: number, earlier: number): Trial {
  const startAt = earliest + (firstIdleWindows + furtherIdleWindows * earlier) * window
  const lead = earlier % 2 === 0 ? 1 : 0
  return { startAt, lead, burstAt: startAt + lead * pauseWindows * window, burst: capacity + 1 }
}
