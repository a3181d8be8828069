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
  /** Share of the run that the spans of searches cover: the probability that an event at a random time is in one of them. */
  readonly coverage: number
}

/** Maximum unknown difference between the clocks, in milliseconds. */
const clockErrorMs = 2000
/** Offsets of zones differ by multiples of this, in milliseconds. */
const zoneStepMs = 15 * 60_000
/** Rounding of times, in milliseconds. */
const roundingMs = 3
/**
 * The offset follows from one search and one event. This many searches are tried, because a search may have no event; the
 * shortest first, because they give the most exact offset.
 */
const anchors = 3
/** Minimum share of searches with a separate event for searches to be the cause. */
const nearlyAll = 0.95
/** If events at random times would match at most this share of the searches, matches at nearly all of them have a cause. */
const maxRandomShare = 0.6
/** Minimum number of matches to conclude from, if not nearly every search has an event. */
const leastMatches = 8
/** If the probability of as many random matches is below this, the searches cause the events. */
const impossible = 1e-8
/** Largest relative difference between the numbers of events and searches that counts as one event per search. */
const sameNumber = 0.1

/**
 * Finds the constant offset between two clocks at which the largest number of searches have an event of their own.
 * @param times of events, ascending, in milliseconds
 * @param knowsZone whether both clocks are in one zone; otherwise the offset includes a multiple of 15 min
 */
export function emissionsAt(
  searches: readonly Search[],
  times: readonly number[],
  knowsZone: boolean,
): Emissions {
  const accepted = searches.filter((search) => search.accepted)
  let best: Matches = { matched: 0, events: 0, randomShare: 0, spans: [] }
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
  const { spans, ...found } = best
  return { ...found, coverage: coverageOf(spans) }
}

/**
 * Whether searches cause the events: nearly all searches have one, or random times do not explain as many matches;
 * undefined if the matches may be random.
 */
export function causesEvents(searches: readonly Search[], found: Emissions): boolean | undefined {
  const { matched, events, randomShare, coverage } = found
  if (matched >= leastMatches && randomTail(events, matched, coverage) < impossible) return true
  const { length } = searches.filter(({ accepted }) => accepted)
  if (matched < nearlyAll * length) return false
  const isAbout = (count: number) => Math.abs(events - count) <= sameNumber * count
  // Refused searches may have an event, too.
  const isOneEach = isAbout(length) || isAbout(searches.length)
  return randomShare <= maxRandomShare || isOneEach ? true : undefined
}

function middleOf({ from, until }: Search): number {
  return (from + until) / 2
}

function durationOf({ from, until }: Search): number {
  return until - from
}

type Matches = Omit<Emissions, 'coverage'> & { readonly spans: readonly Span[] }

/** When the event of a search may be, in the time of events. */
interface Span {
  readonly start: number
  readonly end: number
}

function matchesAt(
  offset: number,
  error: number,
  searches: readonly Search[],
  times: readonly number[],
): Matches {
  const spans = searches.map((search) => {
    const reach = durationOf(search) / 2 + error
    return { start: middleOf(search) + offset - reach, end: middleOf(search) + offset + reach }
  })
  const [start, end] = [spans[0]?.start ?? 0, spans.at(-1)?.end ?? 0]
  const near = times.filter((time) => time >= start && time <= end)
  let next = 0
  let matched = 0
  for (const span of spans) {
    while (next < near.length && (near[next] as number) < span.start) next += 1
    if (next < near.length && (near[next] as number) <= span.end) {
      matched += 1
      next += 1
    }
  }
  const width = spans.reduce((sum, span) => sum + span.end - span.start, 0) / spans.length
  const randomShare = 1 - Math.exp((-near.length * width) / (end - start))
  return { matched, events: near.length, randomShare, spans }
}

/** Share of the time from the first to the last span that the spans cover. They may overlap. */
function coverageOf(spans: readonly Span[]): number {
  const [start, end] = [spans[0]?.start ?? 0, spans.at(-1)?.end ?? 0]
  let [covered, reached] = [0, start]
  for (const span of spans) {
    covered += Math.max(0, span.end - Math.max(span.start, reached))
    reached = Math.max(reached, span.end)
  }
  return covered / (end - start)
}

/**
 * An upper bound (Chernoff) of the probability that at least `hits` of `count` events at random times are in spans that
 * cover this share of the time.
 */
function randomTail(count: number, hits: number, coverage: number): number {
  const share = hits / count
  if (share <= coverage) return 1
  const missed = share === 1 ? 0 : (1 - share) * Math.log((1 - share) / (1 - coverage))
  return Math.exp(-count * (share * Math.log(share / coverage) + missed))
}
