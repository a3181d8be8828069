/** A search, from its sending to its response, in milliseconds. */
interface Search {
  readonly from: number
  readonly until: number
  readonly accepted: boolean
}

/** Events at the times of searches. */
interface Emissions {
  /** Accepted searches with an event of their own, at one constant offset from them. */
  readonly matched: number
  /** Events from the first search to the last, at that offset. */
  readonly events: number
  /** Share of searches that so many events would match by chance. */
  readonly byChance: number
}

/** Clocks may differ by this beyond what is known, in milliseconds. */
const clockErrorMs = 2000
/** Zones are multiples of this apart, in milliseconds. */
const zoneStepMs = 15 * 60_000
/** Rounding of times, in milliseconds. */
const roundingMs = 3
/** Searches whose events give the offset, the shortest since those give it best: one of them may have none. */
const anchors = 3
/** Share of searches with an event of their own from which on searches may be the cause. */
const nearlyAll = 0.95
/** Share of matches by chance up to which so many matches have a cause. */
const unlikely = 0.6
/** Events and searches whose numbers differ by no more than this share are the same in number. */
const sameNumber = 0.1

/**
 * Looks for the constant offset between two clocks at which the most searches have an event of their own.
 * @param times of events, ascending, in milliseconds
 * @param knowsZone whether both clocks are in one zone; otherwise they may be any number of quarter hours apart
 */
export function emissionsAt(
  searches: readonly Search[],
  times: readonly number[],
  knowsZone: boolean,
): Emissions {
  const accepted = searches.filter((search) => search.accepted)
  let best: Emissions = { matched: 0, events: 0, byChance: 0 }
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

/** Whether searches cause the events at their times: undefined where so many events match by chance. */
export function causesEvents(searches: readonly Search[], found: Emissions): boolean | undefined {
  const { matched, events, byChance } = found
  if (matched < nearlyAll * searches.filter(({ accepted }) => accepted).length) return false
  const isOneEach = Math.abs(events - searches.length) <= sameNumber * searches.length
  return byChance <= unlikely || isOneEach ? true : undefined
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
  const byChance = 1 - Math.exp((-near.length * width) / (end - start))
  return { matched, events: near.length, byChance }
}
