import type { Shot } from '../engine/shot.ts'
import { type Identified, simulationOf } from '../limiter/index.ts'
import { isThrottled, type ShotOutcome, shotOutcome } from './outcome.ts'

interface Point {
  /** Seconds since the probe started. */
  readonly at: number
  /** Requests that the limiter would admit at once. */
  readonly remaining: number
}

/** The requests that an identified limiter would admit at once, over the time of a probe. */
interface Replay {
  /** Before and after each request. */
  readonly line: readonly Point[]
  /** Each request, at the height of the line when it arrived. */
  readonly shots: readonly (Point & { readonly outcome: ShotOutcome })[]
  /** Requests whose outcome is not that of the limiter. */
  readonly contradictions: number
}

/** Requests before the probe that the limiter may have counted: the replay assumes the number that explains most. */
const earlierRequests = Array.from({ length: 10 }, (_, count) => count)

/** Replays the requests of a probe with the limiter that it identified. @returns undefined for a queue */
export function replayOf(shots: readonly Shot[], found: Identified): Replay | undefined {
  const { capacity } = found
  if (capacity === undefined || simulationOf(found) === undefined) return undefined
  const replays = earlierRequests.map((earlier) => replay(shots, found, capacity, earlier))
  return replays.reduce((best, one) => (one.contradictions < best.contradictions ? one : best))
}

function replay(shots: readonly Shot[], found: Identified, capacity: number, earlier: number): Replay {
  const inOrder = shots.toSorted((one, other) => one.sentAt - other.sentAt)
  const limiter = simulationOf(found)
  const result = { line: [] as Point[], shots: [] as (Point & { outcome: ShotOutcome })[], contradictions: 0 }
  let before = inOrder[0]?.sentAt ?? 0
  for (let request = 0; request < earlier; request += 1) limiter?.record(before, true)
  /** @param at milliseconds */
  const remainingAt = (at: number) => {
    const copy = limiter?.copy()
    let remaining = 0
    for (; copy && remaining < capacity && copy.nextAdmission(at) <= at; remaining += 1) copy.record(at, true)
    return remaining
  }
  for (const shot of inOrder) {
    const { sentAt, endedAt } = shot
    const at = (sentAt + endedAt) / 2
    for (const time of timesBetween(before, at))
      result.line.push({ at: time / 1000, remaining: remainingAt(time) })
    const remaining = remainingAt(at)
    const isAdmitted = !isThrottled(shot, inOrder[0])
    // The limiter decides at some time between sending and the end of the response.
    if (isAdmitted ? remainingAt(endedAt) === 0 : remainingAt(sentAt) > 0) result.contradictions += 1
    limiter?.record(at, isAdmitted)
    result.line.push({ at: at / 1000, remaining }, { at: at / 1000, remaining: remainingAt(at) })
    result.shots.push({ at: at / 1000, remaining, outcome: shotOutcome(shot) })
    before = at
  }
  return result
}

/** Gaps shorter than this need no points of their own, in milliseconds. */
const shortGapMs = 200
/** Points of the line between two requests, since the limiter recovers meanwhile. */
const pointsBetween = 24

function timesBetween(from: number, until: number): number[] {
  if (until - from < shortGapMs) return []
  return Array.from(
    { length: pointsBetween },
    (_, index) => from + ((until - from) * (index + 1)) / (pointsBetween + 1),
  )
}
