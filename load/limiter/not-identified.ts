import { counted } from '../../src/text/format.ts'
import { type Candidates, estimates, type LimiterEstimate } from './candidates.ts'
import { type Identified, limiterName, type NotIdentified, seconds } from './conclusion.ts'
import { admittedOf, afterRetryAfter, type DataPoint } from './data-points.ts'
import type { BudgetedExperiment } from './experiment.ts'
import type { ExperimentRecord } from './experiment-record.ts'
import { hull } from './interval.ts'
import { limiterModels } from './models/index.ts'
import { limiterKinds } from './models/kinds.ts'
import { maxPeriodMs } from './models/model.ts'
import { type Doubt, doubts, type PossibleKind, type Reason, reasons } from './reasons.ts'

/** If requests are refused for longer than this many windows of a limit, the reason must be a second, wider limit. */
const maxThrottledWindows = 1.5

/**
 * Whether the latest refusals last too long for every limiter that explained all responses before them.
 * @param before ranges of the values of these limiters
 */
export function refusedByWiderLimit(
  { throttledMs }: ExperimentRecord,
  before: readonly LimiterEstimate[],
): boolean {
  const longest = Math.max(...before.map(({ window }) => window.high))
  return before.length > 0 && throttledMs > maxThrottledWindows * longest
}

/** Whether a second, wider limit has refused requests, now or earlier. @param before as for `refusedByWiderLimit` */
export function hasWiderLimit(record: ExperimentRecord, before: readonly LimiterEstimate[]): boolean {
  return record.setAside.length > 0 || refusedByWiderLimit(record, before)
}

/**
 * The result "not identified" if several kinds of limiters, such as a fixed window and a token bucket, or none
 * explain all responses. This assumes that no other client uses the limit.
 * @param candidates models of limiters that may explain the responses, each with one capacity
 * @param possible kinds that are not excluded; by default those that explain all responses
 */
export function notIdentifiedWithoutOtherTraffic(
  experiment: BudgetedExperiment,
  candidates: Candidates,
  reason: Reason,
  possible: readonly PossibleKind[] = candidates.unexplained === 0 ? estimates(candidates.best) : [],
): NotIdentified {
  return notIdentified(experiment, reason, possible, nearestOf(experiment.record, candidates))
}

/**
 * The result "not identified". If a larger budget would help, `needs` states it.
 * @param possible kinds that are not excluded
 * @param nearest sentences about the kind that comes closest, if no kind explains all responses
 */
export function notIdentified(
  experiment: BudgetedExperiment,
  reason: Reason,
  possible: readonly PossibleKind[],
  nearest: readonly string[] = [],
): NotIdentified {
  const wait = experiment.unaffordableWaitMs
  const waiting =
    wait === undefined ? '' : `; the next request would have had to wait ${Math.round(wait / 1000)} s`
  // Of these reasons, 'renewed' means that each refusal may restart ("renew") the wait.
  const isMatterOfBudget =
    reason === 'budget' ||
    reason === 'other-traffic' ||
    ((reason === 'several-limits' || reason === 'renewed') && experiment.isOver)
  const needs = isMatterOfBudget ? sufficientBudget(experiment, possible) : undefined
  return {
    result: 'not-identified',
    reason: `${reasons[reason](possible)}${excluded(possible)}${waiting}`,
    ...(needs && { needs }),
    known: {
      kinds: possible.map(({ kind }) => kind),
      ...(possible.length > 0 && {
        capacity: hull(possible.map(({ capacity }) => capacity)),
        rate: hull(possible.map(({ rate }) => rate)),
      }),
      sentences: [...knownOf(experiment.record.sent), ...nearest],
    },
    ...experiment.cost,
  }
}

/** Number of further bursts that usually decide between the possible kinds. */
const missingBursts = 2

/** The total budget with which the probe would probably identify the limiter; undefined without possible kinds. */
function sufficientBudget(
  experiment: BudgetedExperiment,
  possible: readonly PossibleKind[],
): NotIdentified['needs'] {
  const windows = possible.map(({ window }) => (window.high < maxPeriodMs ? window.high : window.low))
  if (possible.length === 0) return undefined
  const { requests, elapsedMs } = experiment.cost
  const burst = hull(possible.map(({ capacity }) => capacity)).high + 2
  return {
    requests: requests + missingBursts * burst,
    ms: elapsedMs + Math.max(experiment.unaffordableWaitMs ?? 0, (missingBursts + 1) * Math.max(...windows)),
  }
}

/** The kinds that are not possible: `; excluded: token bucket`. */
function excluded(possible: readonly PossibleKind[]): string {
  const kinds = new Set(limiterModels.map(({ kind }) => kind))
  for (const { kind } of possible) kinds.delete(kind)
  return possible.length > 0 && kinds.size > 0
    ? `; excluded: ${[...kinds].map((kind) => limiterKinds[kind].text).join(', ')}`
    : ''
}

/** If the sizes of responses differ by a larger factor, the limiter may count bytes instead of requests. */
const maxSizeRatio = 1.1

/**
 * Whether the limiter may count bytes instead of requests. If the sizes of responses differ, a limit by bytes looks
 * like a limiter of another kind or size.
 */
export function mayCountBytes(sent: readonly DataPoint[]): boolean {
  const sizes = sent.flatMap(({ bytes }) => bytes ?? [])
  return Math.max(...sizes) > maxSizeRatio * Math.min(...sizes)
}

/**
 * The result "not identified" for a limiter that is identified only under an assumption.
 * @param doubt the assumption
 */
export function doubted(found: Identified, doubt: Doubt): NotIdentified {
  const { kind, capacity, capacityInterval, rateInterval, requests, elapsedMs } = found
  const size = capacity === undefined ? '' : ` of ${capacity}`
  return {
    result: 'not-identified',
    reason: doubts[doubt](`${limiterName(found)}${size}`),
    known: {
      kinds: [kind],
      ...(capacityInterval && { capacity: capacityInterval }),
      rate: rateInterval,
      sentences: [],
    },
    requests,
    elapsedMs,
  }
}

/** Names the kind that explains the most responses, if none explains all. */
function nearestOf({ sent }: ExperimentRecord, { best: [best], unexplained }: Candidates): string[] {
  if (best === undefined || unexplained === 0) return []
  return [
    `The nearest kind, a ${limiterKinds[best.model.kind].text}, explains ${sent.length - unexplained} of ${sent.length} responses.`,
  ]
}

/** Facts in sentences that hold for any kind of limiter. */
function knownOf(sent: readonly DataPoint[]): string[] {
  const first = sent.findIndex(({ outcome }) => outcome === 'throttled')
  const refused = sent[first]
  if (refused === undefined) return []
  const inARow = first === 1 ? '1 request was' : `${first} requests in a row were`
  const sentences = [`${inARow} admitted before the first refusal.`]
  const elapsedMs = (sent.at(-1)?.endedAt ?? 0) - refused.endedAt
  if (elapsedMs >= 50)
    sentences.push(
      `Requests admitted in the ${seconds(elapsedMs)} after it: ${admittedOf(sent.slice(first))}.`,
    )
  const retried = afterRetryAfter(sent)
  const refusedAgain = retried.filter(({ outcome }) => outcome === 'throttled').length
  if (refusedAgain > 0)
    sentences.push(
      `${refusedAgain} of ${counted(retried.length, 'request')} sent after Retry-After had elapsed ${refusedAgain === 1 ? 'was' : 'were'} refused: there may be other traffic on the same key, or Retry-After is too short.`,
    )
  return sentences
}
