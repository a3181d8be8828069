import { type Candidates, firstBurst } from './candidates.ts'
import type { Identified } from './conclusion.ts'
import { type DataPoint, longestRetryAfterMs, retryAfterStepMs } from './data-points.ts'
import type { BudgetedExperiment } from './experiment.ts'
import { idleTrial } from './idle-burst.ts'
import { type Interval, roundCounts, roundTimesMs } from './interval.ts'

/**
 * Several limits of one size, such as limits per address and per client. The windows of each are on a grid, a sequence at
 * regular times, and the grids differ in phase. A request is admitted if it fits in the current window of each.
 */
interface SeveralGrids {
  readonly capacity: number
  /** Milliseconds. */
  readonly window: number
}

/** Grids at most: address, client and user. */
const maxGrids = 3

/** Phases to try for each window. */
const maxPhases = 500

/**
 * The first burst exceeds the size at most by this, unless a window of each grid ended within it: such sizes are considered
 * only if they are round.
 */
const maxExcess = 3

/** Idle bursts, each at another phase: at least so many before a conclusion, and at most. */
const minIdleBursts = 2
const maxIdleBursts = 6

/**
 * Verifies that several grids of one size explain all responses, those to bursts after an idle period included.
 * @param single the limiters without other traffic that the responses do not rule out
 * @returns undefined: one of these explains all responses, several grids do not, their size remains open, or the budget is
 * spent
 */
export async function identifySeveralGrids(
  experiment: BudgetedExperiment,
  {
    isContradicted,
    candidates: single,
  }: { readonly isContradicted: boolean; readonly candidates: Candidates },
): Promise<Identified | undefined> {
  if (!isContradicted) return undefined
  for (let idleBursts = 0; ; idleBursts += 1) {
    const [found, another] = severalGrids(experiment.record.kept)
    if (found === undefined) return undefined
    const isVerified = idleBursts >= minIdleBursts && another === undefined
    if (isVerified) return identifiedByGrids(found, experiment, single)
    if (idleBursts === maxIdleBursts || experiment.isOver) return undefined
    const { earliest } = experiment.constraints()
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

/** Times of the decisions, in milliseconds. */
interface DecisionTimes {
  readonly all: readonly number[]
  readonly admitted: readonly number[]
  /** Two of them may be so much nearer or farther apart. */
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
 * Whether grids of any phases may explain every response: a quick test that spares most limits the search for phases. Of one
 * grid, requests within one length of a window are in at most two windows, and a refusal needs a full one.
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

/** Whether grids of some of these phases explain every response. */
function explainsAll(limit: SeveralGrids, phases: readonly number[], decided: readonly Decision[]): boolean {
  const explained = phases
    .map((phase) => explainedBy(limit, phase, decided))
    .filter((refusals) => refusals !== undefined)
  const different = new Map(explained.map((refusals) => [refusals.join(), new Set(refusals)]))
  return covers([...different.values()], decided.filter(({ isRefused }) => isRefused).length)
}

interface Decision {
  readonly at: number
  /** The limiter may have decided so much earlier or later, in milliseconds. */
  readonly slack: number
  readonly isRefused: boolean
  /** Earliest and latest end of the window, as Retry-After states. */
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
 * One phase between each two neighbouring times, modulo the window: times of requests, and of the ends that Retry-After
 * states; the widest gaps first.
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

/** The refusals at which one grid may be full, as indexes; undefined: it would have refused a request that was admitted. */
function explainedBy(
  { capacity, window }: SeveralGrids,
  phase: number,
  decided: readonly Decision[],
): number[] | undefined {
  const explained: number[] = []
  let refusals = 0
  let number = Number.NEGATIVE_INFINITY
  let admitted = 0
  // This limit may count requests that another one refuses.
  let refused = 0
  for (const { at, slack, isRefused, end } of decided) {
    // The limiter may have decided just before or after a window ended.
    const shift = admitted + refused < capacity ? 0 : isRefused ? -slack : slack
    const now = Math.floor((at + shift - phase) / window)
    if (now > number) {
      number = now
      admitted = 0
      refused = 0
    }
    if (!isRefused) {
      if (admitted >= capacity) return undefined
      admitted += 1
      continue
    }
    const endsAt = phase + (number + 1) * window
    if (admitted + refused >= capacity && endsAt >= end.low && endsAt <= end.high) explained.push(refusals)
    refused += 1
    refusals += 1
  }
  return explained
}

/** Whether at most `count` of the sets contain all refusals, together with those in `covered`. */
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
