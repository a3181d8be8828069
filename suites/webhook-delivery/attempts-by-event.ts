import { type Arrival, idOf } from '../../src/check/webhooks/registry.ts'
import { attemptTimes } from '../../src/webhook/schedule.ts'

/** The attempts at one event at one target. */
export interface EventAttempts {
  /** First attempts: several if the event is delivered more than once. */
  readonly first: readonly Arrival[]
  /** All attempts with the id of the event. */
  readonly own: readonly Arrival[]
  /** Attempts whose id no first attempt has: they may belong to any event. WEBHOOK-RETRY-SAME-EVENT judges them. */
  readonly unassigned: readonly Arrival[]
}

/** The attempts at one target, by the events of its first attempts. */
export function attemptsByEvent(arrivals: readonly Arrival[]): readonly EventAttempts[] {
  const keyOf = (arrival: Arrival) => idOf(arrival) ?? ''
  const known = new Set(arrivals.filter(({ slot }) => slot === 0).map(keyOf))
  const unassigned = arrivals.filter((arrival) => !known.has(keyOf(arrival)))
  return [...known].map((id) => {
    const own = arrivals.filter((arrival) => keyOf(arrival) === id)
    return { first: own.filter(({ slot }) => slot === 0), own, unassigned }
  })
}

/** When the first attempt arrived, in milliseconds since the epoch. */
export function startOf({ first }: EventAttempts): number {
  return Math.min(...first.map(({ delivery }) => delivery.receivedAt))
}

/** Whether an attempt follows the first attempt, and is not a copy of it. */
export function isRetried(attempts: EventAttempts): boolean {
  const earliest = startOf(attempts) + attemptTimes[2].notBefore * 1000
  return [...attempts.own, ...attempts.unassigned].some(
    ({ slot, delivery }) => slot > 0 || delivery.receivedAt >= earliest,
  )
}

/** Number of attempts at different times. */
export function timesOf({ own, unassigned }: EventAttempts): number {
  return new Set([...own, ...unassigned].map(({ slot }) => slot)).size
}
