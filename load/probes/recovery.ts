import { counted } from '../../src/text/format.ts'
import { is429, type Shot } from '../engine/shot.ts'
import { findingOf, type Probe, type ProbeContext } from './probe.ts'

/** How often the probe reaches the limit and waits. */
const rounds = 3
/** Without a valid Retry-After: times from the 429 to the next requests, in milliseconds. */
const guesses = [1000, 2000, 4000, 8000, 15_000, 30_000, 60_000]

interface Round {
  /** Retry-After of the 429; undefined if it is absent or not valid. */
  readonly promisedMs: number | undefined
  /** Time from the 429 until a request was admitted; undefined if the probe ended before. */
  readonly recoveredMs: number | undefined
  /** Number of 429 responses after the wait. */
  readonly refusedAfterWait: number
}

/**
 * Is Retry-After long enough? The probe reaches the limit, waits for Retry-After, and sends a request. It does not test
 * for an earlier recovery, since an earlier request would violate Retry-After.
 */
export const recovery: Probe = async (context) => {
  const seen: Round[] = []
  while (seen.length < rounds) {
    context.phase(`round ${seen.length + 1} of ${rounds}: one request after another, until a 429`)
    const { sentBefore429, last } = await context.until429()
    if (last === undefined || !is429(last.shot)) {
      if (seen.length > 0) break
      const finding = `not measured: none of ${counted(sentBefore429, 'request')} was throttled; to reach the limit, raise LOAD_MAX_REQUESTS, LOAD_MAX_SECONDS or LOAD_MAX_RATE`
      return { finding, observations: { 'retry-after': null } }
    }
    context.phase(`round ${seen.length + 1} of ${rounds}: one request after the wait`)
    const round = await waitOut(context, last.shot)
    if (!round) break
    seen.push(round)
  }
  const result = resultOf(seen)
  return { ...finding(result, seen), observations: { 'retry-after': result } }
}

/**
 * Waits after a 429 until a request is admitted.
 * @returns undefined if the probe ends without admission or another 429
 */
async function waitOut(context: ProbeContext, throttled: Shot): Promise<Round | undefined> {
  const promisedMs = throttled.retryAfterMs
  let refusedAfterWait = 0
  /** When to send the next request; undefined: as soon as Retry-After has elapsed. */
  let nextAt: number | undefined
  for (let attempt = 0; ; attempt += 1) {
    const guess = guesses[Math.min(attempt, guesses.length - 1)] ?? 0
    const sent = await context.sendOne(promisedMs === undefined ? throttled.endedAt + guess : nextAt)
    if (!sent)
      return refusedAfterWait > 0 ? { promisedMs, recoveredMs: undefined, refusedAfterWait } : undefined
    if (context.wasAdmitted(sent.shot))
      return { promisedMs, recoveredMs: sent.shot.sentAt - throttled.endedAt, refusedAfterWait }
    // A response that is neither throttled nor admitted proves nothing: the probe waits before the next request.
    nextAt = is429(sent.shot) ? undefined : sent.shot.endedAt + (guesses[0] ?? 0)
    if (is429(sent.shot)) refusedAfterWait += 1
  }
}

const meanings = {
  'long enough': 'Retry-After is long enough',
  'too short': 'Retry-After is too short: a request sent after it had elapsed was throttled again',
  'none usable': 'no 429 had a valid Retry-After',
  'sometimes none usable': 'some 429s had no valid Retry-After',
  'not seen to its end': 'the probe ended before the target recovered',
} as const

function resultOf(seen: readonly Round[]): keyof typeof meanings {
  if (seen.length === 0) return 'not seen to its end'
  if (seen.every(({ promisedMs }) => promisedMs === undefined)) return 'none usable'
  if (seen.some(({ promisedMs }) => promisedMs === undefined)) return 'sometimes none usable'
  return seen.some(({ refusedAfterWait }) => refusedAfterWait > 0) ? 'too short' : 'long enough'
}

function finding(result: keyof typeof meanings, seen: readonly Round[]) {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  const waits = seen.map(({ promisedMs, recoveredMs }) => {
    const promise =
      promisedMs === undefined ? 'without Retry-After' : `with Retry-After ${seconds(promisedMs)}`
    return recoveredMs === undefined
      ? `${promise}, no request was admitted afterwards`
      : `${promise}, the next request was admitted ${seconds(recoveredMs)} after the 429`
  })
  const waitTexts = [...Map.groupBy(waits, (wait) => wait)].map(([wait, equal]) =>
    equal.length === 1 ? wait : `${wait} (${equal.length} times)`,
  )
  return findingOf(meanings[result], ...waitTexts)
}
