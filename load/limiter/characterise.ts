import { counted } from '../../src/text/format.ts'
import { type Characterisation, type Identified, recoveryMsOf, seconds } from './conclusion.ts'
import { admittedOf, type DataPoint, type Experiment, ExperimentLog, type Limits } from './experiment.ts'
import { budgetRanOut, identifyAlone, type NoneAlone } from './identify-alone.ts'
import { notThrottled, reserveOf } from './in-flight.ts'
import { maxPeriodMs } from './models/model.ts'
import { doubted, mayCountBytes, notIdentified } from './not-identified.ts'
import { identifyShared } from './other-traffic/identify.ts'
import { pollUntilAdmitted } from './polls.ts'
import { identifyQueue } from './queue.ts'
import { identifySeveral, severalGrids } from './several-grids.ts'

/** Pause between the first request and the burst, so that a window of the first request ends before those of the burst. */
const firstPauseMs = 2000

/** Length of the idle period before a restart, in windows. */
const idleWindows = 1.1

/** Pause after the lead requests, as a share of the time in which the limiter became fresh: just below one window. */
const recoveryPauseShare = 0.93
/** Requests before that pause: more than one, so that a single delayed response does not decide. */
const leadRequests = 3

/** Longest idle period, as a share of the remaining time. */
const maxIdleShare = 0.5

/** Idle period after which a limiter that was used before should be fresh: so many refusals long, and at least this. */
const idleRefusals = 2.5
const minIdleMs = 10_000

/** Idle periods before a limiter that was used before: the second one is as long as the limiter found first needs. */
const idleRounds = 2

/**
 * Identifies the limiter that responds with 429, its capacity and its rate: sends one request after another until the
 * first 429, then always the trial on which the limiters that are still possible disagree most. It looks for one limiter
 * alone, then for several grids, then for one limiter with other traffic on its key. At last it begins again after an idle
 * period: one limiter alone that explains the responses since then replaces the earlier result.
 */
export async function characterise(experiment: Experiment, limits: Limits): Promise<Characterisation> {
  const log = new ExperimentLog(experiment, limits)
  const queue = await sendFirstBurst(log, 0)
  // A limiter that refuses the first request is not fresh.
  const isUsed = experiment.startsFresh === false || log.sent[0]?.outcome === 'throttled'
  const found = queue ?? (isUsed ? await identifyUsed(log) : await identify(log))
  if (found.result !== 'identified' || !mayCountBytes(log.sent)) return found
  return doubted(
    found,
    (limiter) =>
      `the sizes of the responses differ, and a limit by bytes would refuse the same requests; a limit of requests would be a ${limiter}`,
  )
}

/**
 * Identifies a limiter that earlier requests may have used up. The first burst shows how long it refuses requests; the rest
 * follows an idle period. If the limiter found then needs longer to become fresh, so does the idle period.
 */
async function identifyUsed(log: ExperimentLog): Promise<Characterisation> {
  if (log.last?.outcome !== 'throttled') return notThrottled(log)
  if (!log.hasRetryAfter) await pollUntilAdmitted(log)
  let idleMs = Math.max(minIdleMs, idleRefusals * longestRefusalMs(log.sent))
  let found: Characterisation = notIdentified(log, 'used', [])
  for (let round = 0; round < idleRounds && hasTimeFor(log, idleMs); round += 1) {
    const before = log.sent.length
    log.beginAgain()
    const queue = await sendFirstBurst(log, log.constraints().earliest + idleMs)
    found = queue ?? (await identify(log))
    if (found.result !== 'identified') return found
    if (recoveryMsOf(found) <= idleMs) return withoutFirst(before, idleMs, found)
    idleMs = idleWindows * recoveryMsOf(found)
  }
  return found.result !== 'identified'
    ? found
    : doubted(
        found,
        (limiter) =>
          `earlier requests may count, and the time left is too short to wait until the limiter is fresh; it would be a ${limiter}. Run the probe limiter alone, or first`,
      )
}

function hasTimeFor(log: ExperimentLog, idleMs: number): boolean {
  return !log.isOver && idleMs <= maxIdleShare * log.constraints().msLeft
}

function withoutFirst(count: number, idleMs: number, found: Identified): Identified {
  const omitted = `Omitted: the first ${counted(count, 'response')}, before an idle period of ${seconds(idleMs)}, since earlier requests may count in them.`
  return { ...found, notes: [omitted, ...found.notes] }
}

/** Retry-After, or the time until a request was admitted again, whichever is longer (milliseconds). */
function longestRefusalMs(sent: readonly DataPoint[]): number {
  const waits = sent.map(({ retryAfterMs = 0 }) => retryAfterMs)
  const first = sent.find(({ outcome }) => outcome === 'throttled')
  return Math.max(...waits, (sent.at(-1)?.endedAt ?? 0) - (first?.endedAt ?? 0))
}

/**
 * Sends one request after another until the first 429.
 * @param at time of the first request
 * @returns a queue that delays responses instead; undefined after a 429, and if the budget ends first (see `log.last`)
 */
async function sendFirstBurst(log: ExperimentLog, at: number): Promise<Identified | undefined> {
  const first = await log.send(at)
  const pauseUntil = (first?.endedAt ?? 0) + firstPauseMs
  const reserve = reserveOf(log)
  while (!log.isOver && !log.hasLessThan(reserve + 1)) {
    const dataPoint = await log.send(pauseUntil)
    if (dataPoint?.outcome === 'throttled') return undefined
    const queue = await identifyQueue(log)
    if (queue !== undefined) return queue
  }
  return undefined
}

/** Identifies the limiter from the first 429 on. */
async function identify(log: ExperimentLog): Promise<Characterisation> {
  if (log.last?.outcome !== 'throttled') return notThrottled(log)
  await untilRecovered(log)
  const done = new Map<string, number>()
  const alone = await identifyAlone(log, done, false)
  if ('result' in alone) return alone
  if (admittedOf(log.sent) === 0) return notIdentified(log, 'none-admitted', [])
  const several = () => (alone.isContradicted ? identifySeveral(log, alone.candidates) : undefined)
  // Several grids come first: they explain each response exactly, other traffic only by requests that are not seen.
  const severalAtFirst = await several()
  if (severalAtFirst !== undefined) return severalAtFirst
  const shared = await identifyShared(log, done, alone.isContradicted)
  // If several sizes and windows of grids were possible, the trials since then may have left one.
  const severalInTheEnd = await several()
  if (severalInTheEnd !== undefined) return severalInTheEnd
  if (shared.result !== 'identified' && log.isOver) return budgetRanOut(log, alone) ?? shared
  const sentBefore = log.sent.length
  const again = (await restart(log, alone)) ? await identifyAlone(log, done, true) : alone
  if (!('result' in again) || again.result !== 'identified') {
    const isDoubtful = shared.result === 'identified' && severalGrids(log.all).length > 0
    return { ...(isDoubtful ? doubted(shared, severalInstead) : shared), ...log.cost }
  }
  const leftOut = `Omitted: the first ${sentBefore} responses, before an idle period. Several limits of this size, whose windows began at different times, explain them, or requests of others.`
  return { ...again, notes: [leftOut, ...again.notes] }
}

/**
 * Sends requests after the first 429. With Retry-After: three requests, a pause of nearly the time in which the limiter
 * became fresh again, and a burst. That rules out the many shorter windows, and otherwise bounds the window within a
 * tenth. Without: single requests until one is admitted.
 */
async function untilRecovered(log: ExperimentLog): Promise<void> {
  if (log.last?.retryAfterMs !== undefined) {
    const { earliest: startAt } = log.constraints()
    const burstAt = startAt + recoveryPauseShare * (startAt - (log.sent[0]?.sentAt ?? 0))
    return log.carryOut({ startAt, lead: leadRequests, burstAt, burst: log.sent.length + 1 })
  }
  return pollUntilAdmitted(log)
}

const severalInstead = (limiter: string) =>
  `several limits of one size, with windows on grids of different phases, explain every response as well as a ${limiter} with other traffic on its key`

/**
 * Begins again after an idle period longer than the windows, with a burst, and another after Retry-After. Windows of
 * several keys, such as address and client, then begin together, and requests before the experiment no longer count.
 * A window may be longer than any Retry-After, so the idle period is twice the longest one, or once if time is short.
 * @returns whether both bursts admitted the same number; false also without Retry-After or enough budget
 */
async function restart(log: ExperimentLog, { windows }: NoneAlone): Promise<boolean> {
  const { earliest, msLeft } = log.constraints()
  const longest = Math.max(0, ...windows.map(({ low, high }) => (high < maxPeriodMs ? high : low)))
  const retryAfterMs = Math.max(0, ...log.sent.map((dataPoint) => dataPoint.retryAfterMs ?? 0))
  const idlePeriods = [2, 1].map((count) => idleWindows * Math.max(longest, count * retryAfterMs))
  const idleMs = idlePeriods.find((ms) => ms <= maxIdleShare * msLeft)
  if (log.isOver || !log.hasRetryAfter || idleMs === undefined) return false
  log.dropDataPoints()
  await sendFirstBurst(log, earliest + idleMs)
  const { earliest: again } = log.constraints()
  await log.carryOut({ startAt: again, lead: 0, burstAt: again, burst: log.dataPoints.length + 1 })
  return repeatsBurst(log.dataPoints)
}

/** Whether two bursts admitted the same number of requests, as they do without other traffic. */
function repeatsBurst(dataPoints: readonly DataPoint[]): boolean {
  const first = dataPoints.findIndex(({ outcome }) => outcome === 'throttled')
  const after = dataPoints.slice(first + 1)
  return after.length === first + 1 && admittedOf(after) === admittedOf(dataPoints.slice(0, first))
}
