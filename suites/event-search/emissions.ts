/** The times of a search's request and response, in milliseconds. */
interface Search {
  readonly from: number
  readonly until: number
  readonly accepted: boolean
}

/** How well the times of events match the times of searches. */
interface Emissions {
  /** Accepted searches that each have a separate event, at one constant offset between the two clocks. */
  readonly matched: number
  /** Events between the first and the last search, at that offset. */
  readonly events: number
  /** Share of searches that the same number of events at random times would match. */
  readonly randomShare: number
  /** Share of the run's time that `Span`s of searches cover: the probability that a random time is in a span. */
  readonly coverage: number
}

/** Maximum unknown difference between the clocks, in milliseconds. */
const clockErrorMs = 2000
/** Offsets of time zones differ by multiples of 15 min, here in milliseconds. */
const zoneStepMs = 15 * 60_000
/** Rounding of times, in milliseconds. */
const roundingMs = 3
/** Offsets are computed from this number of searches, those of the shortest duration. One alone may have no event. */
const anchorCount = 3
/** Minimum share of searches that have a separate event, if searches cause events. */
const minMatchedShare = 0.95
/** If events at random times would match more than this share of the searches, all matches may be random. */
const maxRandomShare = 0.6
/** Minimum number of matches for a conclusion from their probability. */
const minMatches = 8
/** Searches cause the events if random matches would be as numerous with a probability below this value. */
const maxRandomProbability = 1e-8
/** Maximum relative difference between the numbers of events and searches, if each search causes one event. */
const maxRelativeDifference = 0.1

/**
 * Finds the constant offset between two clocks at which the most searches have a separate event.
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
  for (const anchor of shortest.slice(0, anchorCount)) {
    for (const time of times) {
      const offset = time - middleOf(anchor)
      const error = knowsZone ? offset : offset - zoneStepMs * Math.round(offset / zoneStepMs)
      if (Math.abs(error) > clockErrorMs) continue
      const matches = matchesAt(offset, durationOf(anchor) / 2 + roundingMs, accepted, times)
      if (matches.matched > best.matched) best = matches
    }
  }
  const { spans, ...matches } = best
  return { ...matches, coverage: coverageOf(spans) }
}

/**
 * Whether searches cause the events: there are more matches than at random, or nearly all searches have an event.
 * Undefined if nearly all searches have an event, but the matches may be random.
 */
export function causesEvents(searches: readonly Search[], emissions: Emissions): boolean | undefined {
  const { matched, events, randomShare, coverage } = emissions
  if (matched >= minMatches && randomTail(events, matched, coverage) < maxRandomProbability) return true
  const { length } = searches.filter(({ accepted }) => accepted)
  if (matched < minMatchedShare * length) return false
  const isAbout = (count: number) => Math.abs(events - count) <= maxRelativeDifference * count
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

/** The period in which the event of a search can be, by the clock of the events. */
interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Matches each search with the first event in its span that no earlier search matched.
 * @param offset time of an event minus time of its search, in milliseconds
 * @param uncertaintyMs maximum error of the offset
 */
function matchesAt(
  offset: number,
  uncertaintyMs: number,
  searches: readonly Search[],
  times: readonly number[],
): Matches {
  const spans = searches.map((search) => {
    const reach = durationOf(search) / 2 + uncertaintyMs
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

/** The share of time between the first start and the last end that the spans cover. Spans may overlap. */
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
 * An upper bound (Chernoff) of the probability that at least `hits` of `count` random times are in spans with this
 * coverage.
 */
function randomTail(count: number, hits: number, coverage: number): number {
  const share = hits / count
  if (share <= coverage) return 1
  const missed = share === 1 ? 0 : (1 - share) * Math.log((1 - share) / (1 - coverage))
  return Math.exp(-count * (share * Math.log(share / coverage) + missed))
}
