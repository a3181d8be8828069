import type { Characterisation, Identified } from './conclusion.ts'
import { admittedOf, type DataPoint, type Experiment, ExperimentLog, type Limits } from './experiment.ts'
import { budgetRanOut, identifyAlone, type NoneAlone } from './identify-alone.ts'
import { notThrottled, reserveOf } from './in-flight.ts'
import { maxPeriodMs } from './models/model.ts'
import { doubted, mayCountBytes } from './not-identified.ts'
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

/** Longest idle period before a restart, as a share of the remaining time. */
const maxIdleShare = 0.5

/**
 * Identifies the limiter that responds with 429, its capacity and its rate: sends one request after another until the
 * first 429, then always the trial on which the limiters that are still possible disagree most. It looks for one limiter
 * alone, then for several grids, then for one limiter with other traffic on its key. At last it begins again after an idle
 * period: one limiter alone that explains the responses since then replaces the earlier result.
 */
export async function characterise(experiment: Experiment, limits: Limits): Promise<Characterisation> {
  const log = new ExperimentLog(experiment, limits)
  const queue = await sendFirstBurst(log, 0)
  if (queue !== undefined) return queue
  const found = await identify(log)
  if (found.result !== 'identified' || !mayCountBytes(log.sent)) return found
  return doubted(
    found,
    (limiter) =>
      `the sizes of the responses differ, and a limit by bytes would refuse the same requests; a limit of requests would be a ${limiter}`,
  )
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
