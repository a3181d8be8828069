import type { Simulation, Suggested } from './models/model.ts'
import type { Observation } from './observation.ts'
import { WRITTEN_TIMES_MS } from './round.ts'

// A Retry-After is what the server says, not what was observed: it never decides which limiters are possible, only
// which of them are tried first, and whether one that is left may be claimed.

/** Retry-After has whole seconds, mostly rounded up. */
const ROUNDING_MS = 1000

/** Where nothing was asked for longer than so many requests take, asking begins anew. */
const A_PAUSE = 5

/** What the promises of Retry-After suggest: windows, and the round ones near to them. */
export function suggestedBy(observations: readonly Observation[]): Suggested {
  const marks: number[] = []
  const promises: number[] = []
  for (const [index, { sentAt, endedAt, outcome, retryAfterMs }] of observations.entries()) {
    const before = observations[index - 1]
    const paused = before === undefined || sentAt - before.endedAt > A_PAUSE * (endedAt - sentAt)
    if (paused || before.outcome === 'throttled') marks.push(sentAt)
    if (outcome === 'throttled' && retryAfterMs !== undefined) {
      promises.push(endedAt + retryAfterMs - ROUNDING_MS / 2)
    }
  }
  const last = promises.at(-1)
  if (last === undefined) return { windows: [], ends: [] }
  const suggested = [...promises.slice(-3, -1), ...marks.slice(-3), ...marks.slice(0, 1)].map(
    (mark) => last - mark,
  )
  const round = WRITTEN_TIMES_MS.filter((time) =>
    suggested.some((window) => Math.abs(window - time) <= ROUNDING_MS + time * 0.03),
  )
  return { windows: [...suggested, ...round].filter((window) => window > 0), ends: promises.slice(-2) }
}

/** Brings a limiter into the state in which the observations leave it. @returns share of the promises it would keep */
export function replay(state: Simulation, observations: readonly Observation[]): number {
  let kept = 0
  let promises = 0
  for (const { sentAt, endedAt, outcome, retryAfterMs } of observations) {
    const at = (sentAt + endedAt) / 2
    if (retryAfterMs !== undefined) {
      const wait = state.nextAdmission(at) - at
      const slack = endedAt - sentAt
      promises += 1
      if (wait <= retryAfterMs + slack && wait >= retryAfterMs - ROUNDING_MS - slack) kept += 1
    }
    state.record(at, outcome === 'admitted')
  }
  return promises === 0 ? 1 : kept / promises
}

/** Servers reckon waits coarsely: by steps of up to this share of the longest, besides the rounding. */
const COARSE = 0.005

/**
 * The observations, and with each Retry-After the refusal that a request just before its end would have met. A limiter
 * whose capacity others use as well is easily taken for one of another kind, but hardly for one that keeps its promises.
 */
export function withPromises(observations: readonly Observation[]): Observation[] {
  const longest = Math.max(...observations.map(({ retryAfterMs = 0 }) => retryAfterMs))
  return observations.flatMap((observation) => {
    const { sentAt, endedAt, retryAfterMs } = observation
    if (retryAfterMs === undefined) return [observation]
    const at = sentAt + retryAfterMs - ROUNDING_MS - COARSE * longest
    return at > endedAt ? [observation, { sentAt: at, endedAt: at, outcome: 'throttled' }] : [observation]
  })
}

/** Whether Retry-After says anything about the limiter: the same each time, it may be a constant of the server. */
export function promisesDiffer(observations: readonly Observation[]): boolean {
  const promises = observations.map(({ retryAfterMs }) => retryAfterMs).filter((wait) => wait !== undefined)
  return new Set(promises).size > 1
}

/** Requests sent when Retry-After was over, and how many of them were refused all the same. */
export function refusedInVain(observations: readonly Observation[]): {
  readonly asked: number
  readonly refused: number
} {
  const asked = observations.filter((_, index) => observations[index - 1]?.retryAfterMs !== undefined)
  return { asked: asked.length, refused: asked.filter(({ outcome }) => outcome === 'throttled').length }
}
