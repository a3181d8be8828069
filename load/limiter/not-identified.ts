import { type Candidates, estimates, type LimiterEstimate } from './candidates.ts'
import { type Identified, limiterName, type NotIdentified, seconds } from './conclusion.ts'
import { admittedOf, afterRetryAfter, type DataPoint, type ExperimentLog } from './experiment.ts'
import { hull } from './interval.ts'
import { limiterModels } from './models/index.ts'
import { limiterKinds } from './models/kinds.ts'
import { maxPeriodMs } from './models/model.ts'

/** Refusals longer than this many windows must come from a second limiter. */
const maxThrottledWindows = 1.5

/** Whether the latest refusals are longer than any limiter allows that explained all responses until then. */
export function refusedByWiderLimit(
  { throttledMs }: ExperimentLog,
  before: readonly LimiterEstimate[],
): boolean {
  const longest = Math.max(...before.map(({ window }) => window.high))
  return before.length > 0 && throttledMs > maxThrottledWindows * longest
}

/** Whether a second, wider limit has refused requests. @param before estimates that explained all before the latest trial */
export function hasWiderLimit(log: ExperimentLog, before: readonly LimiterEstimate[]): boolean {
  return log.setAside.length > 0 || refusedByWiderLimit(log, before)
}

/** Each completes "not identified: …". */
const reasons = {
  'wider-limit': () =>
    'a refusal lasted longer than any single limiter that explained all responses until then allows; a second, wider limit seems to be above the first',
  'retry-after': () =>
    'the limiter that explains every response contradicts Retry-After; there may be other traffic on the same key, or Retry-After is about something else',
  renewed: (possible) =>
    `no refusal was due to old requests alone; each refusal may restart the wait or start a ban, or the limit may be a wider one; if none of these is so, ${kindsLeft(possible)}`,
  'several-limits': (possible) =>
    `several limits of one size, with windows on grids of different phases, explain every response as well as ${possible.map(described).join(', ')}`,
  'none-admitted': () => 'every request was refused, so that nothing shows when requests are admitted',
  used: () =>
    'earlier requests may count, and the time left is too short to wait until the limiter is fresh. Run the probe limiter alone, or first',
  budget: (possible) => `the budget ran out with ${kindsLeft(possible)}`,
  'other-traffic': (possible) =>
    `no limiter of a known kind explains every response, unless there is other traffic on the same key; with it, the budget ran out with ${kindsLeft(possible)}`,
  unknown: (possible) =>
    `no limiter of a known kind explains every response, even with other traffic on the same key; there may be several limits at once, or another kind. ${possible.length === 0 ? 'None is near' : `Nearest: ${possible.map(described).join(', ')}`}`,
} satisfies Record<string, (possible: readonly PossibleKind[]) => string>

export type Reason = keyof typeof reasons

/** A kind that is not excluded. */
type PossibleKind = Pick<LimiterEstimate, 'kind' | 'capacity' | 'window' | 'rate'>

function kindsLeft(possible: readonly PossibleKind[]): string {
  return `${possible.length} ${possible.length === 1 ? 'kind' : 'kinds'} left (${possible.map(described).join(', ')})`
}

/** Several kinds explain the responses without other traffic, or no kind does. */
export function notIdentifiedAlone(
  log: ExperimentLog,
  candidates: Candidates,
  reason: Reason,
): NotIdentified {
  const possible = candidates.unexplained === 0 ? estimates(candidates.best) : []
  return notIdentified(log, reason, possible, nearestOf(log, candidates))
}

/** A second, wider limit has refused requests. @param before estimates that explained all before the latest trial */
export function widerLimit(
  log: ExperimentLog,
  candidates: Candidates,
  before: readonly LimiterEstimate[],
): NotIdentified {
  return notIdentified(log, 'wider-limit', before, nearestOf(log, candidates))
}

/** @param possible kinds that are not excluded @param nearest further sentences */
export function notIdentified(
  log: ExperimentLog,
  reason: Reason,
  possible: readonly PossibleKind[],
  nearest: readonly string[] = [],
): NotIdentified {
  const wait = log.unaffordableWaitMs
  const waiting =
    wait === undefined ? '' : `; the next request would have had to wait ${Math.round(wait / 1000)} s`
  const isMatterOfBudget =
    reason === 'budget' ||
    reason === 'other-traffic' ||
    ((reason === 'several-limits' || reason === 'renewed') && log.isOver)
  const needs = isMatterOfBudget ? needed(log, possible) : undefined
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
      sentences: [...knownOf(log.sent), ...nearest],
    },
    ...log.cost,
  }
}

/** Bursts and windows that usually decide between the possible kinds. */
const missingBursts = 2

/** Requests and milliseconds that would probably distinguish the possible kinds; undefined if it is not a matter of budget. */
function needed(log: ExperimentLog, possible: readonly PossibleKind[]): NotIdentified['needs'] {
  const windows = possible.map(({ window }) => (window.high < maxPeriodMs ? window.high : window.low))
  if (possible.length === 0) return undefined
  const { requests, elapsedMs } = log.cost
  const burst = hull(possible.map(({ capacity }) => capacity)).high + 2
  return {
    requests: requests + missingBursts * burst,
    ms: elapsedMs + Math.max(log.unaffordableWaitMs ?? 0, (missingBursts + 1) * Math.max(...windows)),
  }
}

/** Kinds that refuse requests, without the possible ones: `; excluded: token bucket`. */
function excluded(possible: readonly PossibleKind[]): string {
  const kinds = new Set(limiterModels.map(({ kind }) => kind))
  for (const { kind } of possible) kinds.delete(kind)
  return possible.length > 0 && kinds.size > 0
    ? `; excluded: ${[...kinds].map((kind) => limiterKinds[kind].text).join(', ')}`
    : ''
}

/** Responses whose sizes differ by more than this factor may have used up a limit by bytes. */
const maxSizeRatio = 1.1

/** Whether the conclusion leaves out a limit by bytes, which looks like other limiters if the sizes of responses differ. */
export function mayCountBytes(sent: readonly DataPoint[]): boolean {
  const sizes = sent.flatMap(({ bytes }) => bytes ?? [])
  return Math.max(...sizes) > maxSizeRatio * Math.min(...sizes)
}

/**
 * Turns an identified limiter that depends on an assumption into one that is not identified.
 * @param reason states the assumption, given the limiter
 */
export function doubted(found: Identified, reason: (limiter: string) => string): NotIdentified {
  const { kind, capacity, capacityInterval, rateInterval, requests, elapsedMs } = found
  const size = capacity === undefined ? '' : ` of ${capacity}`
  return {
    result: 'not-identified',
    reason: reason(`${limiterName(found)}${size}`),
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

/** `fixed window of 60 in 59.2 to 60.1 s` */
function described({ kind, capacity, window }: PossibleKind): string {
  const sizes = capacity.low === capacity.high ? capacity.low : `${capacity.low} to ${capacity.high}`
  const isOpen = window.high >= maxPeriodMs
  const times = isOpen
    ? `at least ${seconds(window.low)}`
    : `${seconds(window.low, '')} to ${seconds(window.high)}`
  return `${limiterKinds[kind].text} of ${sizes} in ${times}`
}

/** The best candidate that explains nearly everything. */
function nearestOf({ sent }: ExperimentLog, { best: [best], unexplained }: Candidates): string[] {
  if (best === undefined || unexplained === 0) return []
  return [
    `The nearest, a ${limiterKinds[best.model.kind].text}, explains ${sent.length - unexplained} of ${sent.length} responses.`,
  ]
}

/** Facts that are true for any limiter. */
function knownOf(sent: readonly DataPoint[]): string[] {
  const first = sent.findIndex(({ outcome }) => outcome === 'throttled')
  const refused = sent[first]
  if (refused === undefined) return []
  const sentences = [`${first} requests in a row were admitted before the first refusal.`]
  const elapsedMs = (sent.at(-1)?.endedAt ?? 0) - refused.endedAt
  if (elapsedMs >= 50)
    sentences.push(`After it, ${admittedOf(sent.slice(first))} were admitted in ${seconds(elapsedMs)}.`)
  const retried = afterRetryAfter(sent)
  const refusedAgain = retried.filter(({ outcome }) => outcome === 'throttled').length
  if (refusedAgain > 0)
    sentences.push(
      `${refusedAgain} of ${retried.length} requests sent after Retry-After had elapsed were refused: there may be other traffic on the same key, or Retry-After is too short.`,
    )
  return sentences
}
