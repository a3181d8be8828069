import { type Candidates, firstBurst } from './candidates.ts'
import type { Identified } from './conclusion.ts'
import { type DataPoint, longestRetryAfterMs, retryAfterStepMs } from './data-points.ts'
import type { BudgetedExperiment } from './experiment.ts'
import { idleTrial } from './idle-burst.ts'
import { type Interval, roundCounts, roundTimesMs } from './interval.ts'

/**
 * Several limits of one size, such as limits per address and per client. The windows of each limit begin at regular
 * times: they form a grid. The grids differ in phase: one may have windows that begin at 0 s, 10 s and 20 s, another
 * windows that begin at 4 s, 14 s and 24 s. A request is admitted if the current window of every grid has room.
 */
interface SeveralGrids {
  /** Size of each limit, in requests per window. */
  readonly capacity: number
  /** Length of each window, in milliseconds. */
  readonly window: number
}

/** Largest number of grids: for address, client and user. */
const maxGrids = 3

/** Largest number of phases that are tried for each window. */
const maxPhases = 500

/**
 * The sizes to try: the number of requests before the first 429 (the first burst), and up to this many fewer. If
 * windows ended during the burst, smaller sizes are possible, of which only round ones are tried. For example, after
 * a burst of 30 requests: 27, 28, 29 and 30, and also 15, 20 and 25.
 */
const maxExcess = 3

/**
 * Smallest number of idle bursts before a conclusion. An idle burst follows a pause in which the limits become fresh
 * (`idle-burst.ts`). Each is at another phase, that is, at another time within a window.
 */
const minIdleBursts = 2
/** Largest number of idle bursts. */
const maxIdleBursts = 6

/**
 * Verifies that several grids of one size explain all responses, including those to idle bursts.
 * @param remaining the result of the search for a single limiter. `isContradicted`: none explains all responses.
 * `candidates`: the single limiters that come close
 * @returns undefined if a single limiter explains all responses, if several grids do not, if several sizes remain, or
 * if the budget is spent
 */
export async function identifySeveralGrids(
  experiment: BudgetedExperiment,
  remaining: { readonly isContradicted: boolean; readonly candidates: Candidates },
): Promise<Identified | undefined> {
  if (!remaining.isContradicted) return undefined
  for (let idleBursts = 0; ; idleBursts += 1) {
    const [found, another] = severalGrids(experiment.record.kept)
    if (found === undefined) return undefined
    const isVerified = idleBursts >= minIdleBursts && another === undefined
    if (isVerified) return identifiedByGrids(found, experiment, remaining.candidates)
    if (idleBursts === maxIdleBursts || experiment.isOver) return undefined
    const { earliest } = experiment.constraints()
    // The next call of `severalGrids` reads the responses from the record.
    await experiment.sendTrial(idleTrial(earliest, found.window, found.capacity, idleBursts))
  }
}

function identifiedByGrids(
  { capacity, window }: SeveralGrids,
  experiment: BudgetedExperiment,
  single: Candidates,
): Identified {
  const total = experiment.record.kept.length
  const rate = (capacity * 1000) / window
  const [next] = single.best
  const nextBest = { kind: next?.model.kind ?? 'fixed-window', explained: total - single.unexplained }
  return {
    result: 'identified',
    kind: 'fixed-window',
    variant: 'grid',
    capacity,
    capacityInterval: { low: capacity, high: capacity },
    rate,
    rateInterval: { low: rate, high: rate },
    windowMs: window,
    windowInterval: { low: window, high: window },
    proof: {
      observations: total,
      explained: total,
      nextBest,
      sentence: `Several limits of ${capacity} requests, with windows of one length on grids of different phases, explain all ${total} data points; a single limit does not.`,
    },
    notes: [
      'There are two or three limits of this size, such as per address and per client: each has windows on a grid, and the grids have different phases.',
      'The probe tried typical windows, such as 30 s or 5 min.',
    ],
    ...experiment.cost,
  }
}

/** Sizes and round windows with which up to three grids explain every response. */
export function severalGrids(dataPoints: readonly DataPoint[]): SeveralGrids[] {
  const decided = dataPoints.filter(({ outcome }) => outcome !== 'unknown').map(decisionOf)
  const { requests } = firstBurst(dataPoints)
  const round = roundCounts.filter((count) => count >= requests / 2 && count < requests - maxExcess)
  const near = Array.from({ length: Math.min(requests, maxExcess + 1) }, (_, index) => requests - index)
  const longest = longestRetryAfterMs(dataPoints)
  const windows = roundTimesMs.filter((window) => window >= longest - retryAfterStepMs)
  const times = timesOf(decided)
  return windows.flatMap((window) => {
    const limits = [...near, ...round].map((capacity) => ({ capacity, window }))
    const possible = limits.filter((limit) => mayExplain(limit, times, decided))
    if (possible.length === 0) return []
    const phases = phasesOf(decided, window)
    return possible.filter((limit) => explainsAll(limit, phases, decided))
  })
}

/** Times at which the limiter decided on requests, in milliseconds. */
interface DecisionTimes {
  readonly all: readonly number[]
  readonly admitted: readonly number[]
  /** Largest error of the time between two decisions. */
  readonly slack: number
}

function timesOf(decided: readonly Decision[]): DecisionTimes {
  return {
    all: decided.map(({ at }) => at),
    admitted: decided.filter(({ isRefused }) => !isRefused).map(({ at }) => at),
    slack: 2 * Math.max(0, ...decided.map((decision) => decision.slack)),
  }
}

/**
 * A quick test before the search for phases: whether grids of any phases may explain every response. An interval as
 * long as a window overlaps at most two windows of a grid, so it contains at most `2 * capacity` admitted requests.
 * And a refusal needs at least `capacity` earlier requests within the length of one window.
 */
function mayExplain(
  { capacity, window }: SeveralGrids,
  { all, admitted, slack }: DecisionTimes,
  decided: readonly Decision[],
): boolean {
  const sinceEarlier = (times: readonly number[], index: number, count: number) =>
    (times[index] ?? 0) - (times[index - count] ?? Number.NEGATIVE_INFINITY)
  return (
    admitted.every((_, index) => sinceEarlier(admitted, index, 2 * capacity) + slack >= window) &&
    decided.every(
      ({ isRefused }, index) => !isRefused || sinceEarlier(all, index, capacity) <= window + slack,
    )
  )
}

/** Whether up to `maxGrids` grids, each with one of these phases, together explain every response. */
function explainsAll(limit: SeveralGrids, phases: readonly number[], decided: readonly Decision[]): boolean {
  const explained = phases
    .map((phase) => explainedBy(limit, phase, decided))
    .filter((refusals) => refusals !== undefined)
  const different = new Map(explained.map((refusals) => [refusals.join(), new Set(refusals)]))
  return covers([...different.values()], decided.filter(({ isRefused }) => isRefused).length)
}

/** What the limiter decided on one request; times in milliseconds. */
interface Decision {
  readonly at: number
  /** Largest error of `at`. */
  readonly slack: number
  readonly isRefused: boolean
  /** Earliest and latest end of the window according to Retry-After; any time without Retry-After. */
  readonly end: Interval
}

const anyTime: Interval = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY }

function decisionOf({ sentAt, endedAt, outcome, retryAfterMs }: DataPoint): Decision {
  const end =
    retryAfterMs === undefined
      ? anyTime
      : { low: sentAt + retryAfterMs - retryAfterStepMs, high: endedAt + retryAfterMs }
  return {
    at: (sentAt + endedAt) / 2,
    slack: (endedAt - sentAt) / 2,
    isRefused: outcome === 'throttled',
    end,
  }
}

/**
 * The phases to try. All times of requests and ends of Retry-After are taken modulo the window. Phases between two
 * neighbouring times explain nearly the same responses, so one phase is tried in each gap, the widest gap first.
 */
function phasesOf(decided: readonly Decision[], window: number): number[] {
  const times = decided
    .flatMap(({ at, end }) => [at, end.low, end.high])
    .filter(Number.isFinite)
    .map((time) => time % window)
    .sort((one, other) => one - other)
  return times
    .map((time, index) => {
      const next = times[index + 1] ?? (times[0] ?? 0) + window
      return { phase: (time + next) / 2, gap: next - time }
    })
    .sort((one, other) => other.gap - one.gap)
    .slice(0, maxPhases)
    .map(({ phase }) => phase)
}

/** Indexes of the refusals that one grid explains; undefined if the grid would have refused an admitted request. */
function explainedBy(
  { capacity, window }: SeveralGrids,
  phase: number,
  decided: readonly Decision[],
): number[] | undefined {
  const explained: number[] = []
  let refusals = 0
  let windowNumber = Number.NEGATIVE_INFINITY
  let admitted = 0
  // Each limit may count requests that another limit refuses. These can explain a later refusal.
  let refused = 0
  for (const { at, slack, isRefused, end } of decided) {
    // If a window is full and `at` is near its end, a refusal counts before the end, and an admission after it.
    const shift = admitted + refused < capacity ? 0 : isRefused ? -slack : slack
    const latest = Math.floor((at + shift - phase) / window)
    if (latest > windowNumber) {
      windowNumber = latest
      admitted = 0
      refused = 0
    }
    if (!isRefused) {
      if (admitted >= capacity) return undefined
      admitted += 1
      continue
    }
    const endsAt = phase + (windowNumber + 1) * window
    if (admitted + refused >= capacity && endsAt >= end.low && endsAt <= end.high) explained.push(refusals)
    refused += 1
    refusals += 1
  }
  return explained
}

/**
 * Whether at most `count` of these sets, together with `covered`, contain every index from 0 to `refusals - 1`.
 * @param sets each contains the indexes of the refusals that one grid explains
 */
function covers(
  sets: readonly Set<number>[],
  refusals: number,
  count = maxGrids,
  covered: readonly Set<number>[] = [],
): boolean {
  let first = 0
  while (first < refusals && covered.some((set) => set.has(first))) first += 1
  if (first === refusals) return true
  if (count === 0) return false
  return sets.some((set) => set.has(first) && covers(sets, refusals, count - 1, [...covered, set]))
}
