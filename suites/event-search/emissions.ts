/** A search, from its request to its response, in milliseconds. */
interface Search {
  readonly from: number
  readonly until: number
  readonly accepted: boolean
}

/** How events match the times of searches. */
interface Emissions {
  /** Accepted searches that each have a separate event at one constant offset. */
  readonly matched: number
  /** Events between the first and the last search, at that offset. */
  readonly events: number
  /** Share of searches that the same number of events at random times would match. */
  readonly randomShare: number
}

/** Maximum unknown difference between the clocks, in milliseconds. */
const clockErrorMs = 2000
/** Offsets of zones differ by multiples of this, in milliseconds. */
const zoneStepMs = 15 * 60_000
/** Rounding of times, in milliseconds. */
const roundingMs = 3
/** Number of searches that are tried to find the offset, since a search may have no event: the shortest ones give it best. */
const anchors = 3
/** Minimum share of searches with a separate event for searches to be the cause. */
const nearlyAll = 0.95
/** Maximum random share at which the matches must have a cause. */
const unlikely = 0.6
/** Largest relative difference between the numbers of events and searches that counts as one event per search. */
const sameNumber = 0.1

/**
 * Finds the constant offset between two clocks at which most searches have a separate event.
 * @param times of events, ascending, in milliseconds
 * @param knowsZone whether both clocks are in one zone; otherwise the offset includes a multiple of 15 min
 */
export function emissionsAt(
  searches: readonly Search[],
  times: readonly number[],
  knowsZone: boolean,
): Emissions {
  const accepted = searches.filter((search) => search.accepted)
  let best: Emissions = { matched: 0, events: 0, randomShare: 0 }
  const shortest = accepted.toSorted((one, other) => durationOf(one) - durationOf(other))
  for (const anchor of shortest.slice(0, anchors)) {
    for (const time of times) {
      const offset = time - middleOf(anchor)
      const error = knowsZone ? offset : offset - zoneStepMs * Math.round(offset / zoneStepMs)
      if (Math.abs(error) > clockErrorMs) continue
      const found = matchesAt(offset, durationOf(anchor) / 2 + roundingMs, accepted, times)
      if (found.matched > best.matched) best = found
    }
  }
  return best
}

/** Whether searches cause the events; undefined if the matches may be random. */
export function causesEvents(searches: readonly Search[], found: Emissions): boolean | undefined {
  const { matched, events, randomShare } = found
  if (matched < nearlyAll * searches.filter(({ accepted }) => accepted).length) return false
  const isOneEach = Math.abs(events - searches.length) <= sameNumber * searches.length
  return randomShare <= unlikely || isOneEach ? true : undefined
}

function middleOf({ from, until }: Search): number {
  return (from + until) / 2
}

function durationOf({ from, until }: Search): number {
  return until - from
}

function matchesAt(
  offset: number,
  error: number,
  searches: readonly Search[],
  times: readonly number[],
): Emissions {
  const windows = searches.map((search) => {
    const reach = durationOf(search) / 2 + error
    return { start: middleOf(search) + offset - reach, end: middleOf(search) + offset + reach }
  })
  const [start, end] = [windows[0]?.start ?? 0, windows.at(-1)?.end ?? 0]
  const near = times.filter((time) => time >= start && time <= end)
  let next = 0
  let matched = 0
  for (const window of windows) {
    while (next < near.length && (near[next] as number) < window.start) next += 1
    if (next < near.length && (near[next] as number) <= window.end) {
      matched += 1
      next += 1
    }
  }
  const width = windows.reduce((sum, window) => sum + window.end - window.start, 0) / windows.length
  const randomShare = 1 - Math.exp((-near.length * width) / (end - start))
  return { matched, events: near.length, randomShare }
}
