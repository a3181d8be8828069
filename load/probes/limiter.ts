import { capitalized, counted, milliseconds, rateText } from '../../src/text/format.ts'
import type { Sent } from '../engine/engine.ts'
import { is429 } from '../engine/shot.ts'
import { type Characterisation, characterise, type DataPoint, limiterName } from '../limiter/index.ts'
import { isRefusedByLimiter, statusesOf } from '../output/outcome.ts'
import { Announcements } from './announced-limit.ts'
import type { Findings, Probe, ProbeContext } from './probe.ts'

/** Largest number of requests before the probe that its models take into account. */
const maxEarlier = 20
/** Assumed shortest duration of an earlier request, in milliseconds: its duration is not known. */
const leastDurationMs = 250

/**
 * Which kind of limiter, which capacity, which rate? The probe sends one request at a time, and looks for a model that
 * explains every response. If there is no 429, the probe then sends several requests together.
 */
export const limiter: Probe = async (context) => {
  const { engine, remaining } = context
  context.phase('one request at a time until a 429, with a pause of 2 s after the first request')
  const earlier = earlierDataPoints(context.earlier, engine.now())
  const announcements = new Announcements()
  const found = await characterise(
    {
      now: () => engine.now(),
      send: (at) => send(context, announcements, at),
      sendTogether: (count) => sendTogether(context, announcements, count),
      epochOffset: Date.now() - engine.now(),
      earlier,
      startsFresh: context.startsFresh,
    },
    { maxRequests: remaining, maxMs: engine.guard.remainingMs },
  )
  const clauses = [
    adviceOf(context, found),
    announcements.comparedWith(found),
    otherRefusals(context),
  ].filter((one) => one !== undefined)
  return {
    finding: [...sentencesOf(found), ...clauses.map((clause) => `${capitalized(clause)}.`)].join(' '),
    headline: headlineOf(found),
    observations: { ...observationsOf(found), ...announcements.observations },
    limiter: found,
  }
}

/** If the budget ran out: a command with larger caps that would probably identify the limiter. */
function adviceOf({ engine: { guard }, command }: ProbeContext, found: Characterisation): string | undefined {
  if (found.result !== 'not-identified' || found.needs === undefined) return undefined
  const requests = Math.ceil(found.needs.requests / 50) * 50
  const seconds = Math.ceil(found.needs.ms / 60_000) * 60
  const { maxRequests, maxSeconds, maxRate } = guard.caps
  const caps = `LOAD_MAX_REQUESTS=${Math.max(requests, maxRequests)} LOAD_MAX_SECONDS=${Math.max(seconds, maxSeconds)} LOAD_MAX_RATE=${maxRate}`
  return `the probe limiter alone, with about ${requests} requests in ${seconds} s, would probably decide: ${caps} ${command}`
}

/**
 * The latest requests of preflight and preparation, such as logins. The limiter may or may not have counted them.
 * @param times when these requests were sent
 */
function earlierDataPoints(times: readonly number[], now: number): DataPoint[] {
  return times
    .map((sentAt, index): DataPoint => {
      // Assumes that a request ends when the next request leaves. This is wrong only for the scripts and images of a
      // login page, which the browser requests together.
      const endedAt = Math.max(times[index + 1] ?? now, sentAt + leastDurationMs)
      return { sentAt, endedAt: Math.min(endedAt, now), outcome: 'unknown' }
    })
    .slice(-maxEarlier)
}

async function send(
  context: ProbeContext,
  announcements: Announcements,
  at: number,
): Promise<DataPoint | undefined> {
  const { shots } = context.engine
  const noneRefusedBefore = !shots.some((shot) => isRefusedByLimiter(shot, shots[0]))
  const sent = await context.sendOne(at)
  if (sent === undefined) return undefined
  const dataPoint = dataPointOf(context, sent)
  if (noneRefusedBefore && dataPoint.outcome === 'throttled')
    context.phase(
      `first ${sent.shot.status}: request ${shots.length}; measuring when requests are admitted again`,
    )
  if (sent.response) announcements.add(sent.response.headers, dataPoint.outcome === 'throttled')
  return dataPoint
}

/** Pause before several requests leave at once, in milliseconds: LOAD_MAX_RATE then counts no earlier request. */
const beforeTogetherMs = 1100

/** Sends `count` requests at once, or as many as LOAD_MAX_RATE and the caps allow. */
async function sendTogether(
  context: ProbeContext,
  announcements: Announcements,
  count: number,
): Promise<DataPoint[]> {
  const { engine, maxRate, remaining } = context
  const most = Math.min(count, Math.floor(maxRate), remaining)
  context.phase(`${counted(most, 'request')} in flight together`)
  const at = engine.now() + beforeTogetherMs
  const sent = await Promise.all(Array.from({ length: most }, () => send(context, announcements, at)))
  return sent.filter((one) => one !== undefined)
}

/** The outcome is `unknown` for a response that is neither a refusal nor clearly admitted, such as a 500. */
function dataPointOf(context: ProbeContext, { shot, response }: Sent): DataPoint {
  const { sentAt, endedAt, retryAfterMs } = shot
  if (!isRefusedByLimiter(shot, context.engine.shots[0]))
    return context.wasAdmitted(shot)
      ? { sentAt, endedAt, outcome: 'admitted', ...(response && { bytes: response.text.length }) }
      : { sentAt, endedAt, outcome: 'unknown' }
  return { sentAt, endedAt, outcome: 'throttled', ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** Names responses other than 429 that count as throttled. */
function otherRefusals(context: ProbeContext): string | undefined {
  const { shots } = context.engine
  const refused = shots.filter((shot) => !is429(shot) && isRefusedByLimiter(shot, shots[0]))
  if (refused.length === 0) return undefined
  return `${counted(refused.length, 'response')} with status ${statusesOf(refused)} count as refused by the limiter, since the first request was accepted`
}

/** The title of the finding, without a full stop. */
function headlineOf(found: Characterisation): string {
  if (found.result === 'not-throttled') return found.headline
  if (found.result === 'not-identified') return 'limiter not identified'
  const { capacity, rate, windowMs } = found
  return `${limiterName(found)}: ${sizeText(`${rateText(rate)} requests/s`, capacity, windowMs)}`
}

function sentencesOf(found: Characterisation): readonly string[] {
  if (found.result === 'not-throttled') return [found.sentence]
  if (found.result === 'not-identified') return [`not identified: ${found.reason}.`, ...found.known.sentences]
  return [`${headlineOf(found)}.`, found.proof.sentence, ...found.notes]
}

/** `30 requests per 10.0 s (3 requests/s on average)`, `30 requests at once, then 3 requests/s` */
function sizeText(perSecond: string, capacity?: number, windowMs?: number): string {
  if (capacity === undefined) return perSecond
  const requests = counted(capacity, 'request')
  return windowMs === undefined
    ? `${requests} at once, then ${perSecond}`
    : `${requests} per ${milliseconds(windowMs)} (${perSecond} on average)`
}

function observationsOf(found: Characterisation): Findings['observations'] {
  if (found.result === 'not-identified') return { kind: found.result }
  if (found.result === 'not-throttled') {
    const { concurrent, queueRate } = found
    return {
      kind: found.result,
      ...(concurrent !== undefined && { concurrent }),
      ...(queueRate !== undefined && { 'queue-per-second': Number(queueRate.toPrecision(2)) }),
    }
  }
  const { kind, capacity = null, rate, windowMs, otherTraffic } = found
  return {
    kind,
    capacity,
    'rate-per-second': Number(rate.toPrecision(3)),
    'window-ms': windowMs === undefined ? null : Math.round(windowMs),
    ...(otherTraffic && { 'other-traffic-share': Number(otherTraffic.share.toFixed(2)) }),
  }
}
