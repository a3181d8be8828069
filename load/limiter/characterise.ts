import { Candidates, type Estimate, estimates } from './candidates.ts'
import {
  conclude,
  hasRoundWindow,
  isOddlyShort,
  isRound,
  preciseEstimate,
  silencesNeeded,
  spansHalfWindow,
  sufficientPrecision,
  targetPrecision,
} from './conclude.ts'
import type { Characterisation, Identified, NotIdentified } from './conclusion.ts'
import { admittedOf, type Experiment, ExperimentLog, type Limits, type Observation } from './experiment.ts'
import { hypotheses } from './hypotheses.ts'
import { notThrottled, reserveOf } from './in-flight.ts'
import type { Interval } from './interval.ts'
import { limiterKinds } from './models/kinds.ts'
import { maxPeriodMs } from './models/model.ts'
import { identifyShared } from './other-traffic/identify.ts'
import { identifyQueue } from './queue.ts'
import { identifySeveral, severalGrids } from './several-grids.ts'
import { chooseTrial } from './trials.ts'
import { doubted, isStacked, isWider, mayCountBytes, notIdentified, stacked } from './undecided.ts'

/** After this many trials without a conclusion, other traffic may be the reason. */
const maxTrialsAlone = 40

/** As `maxTrialsAlone`, if only the parameters of one kind remain open. */
const maxTrialsOfOneKind = 26

/** Trials after a restart. A limiter whose windows only needed to begin together is identified within these. */
const maxTrialsAfterRestart = 8

/** Pause between the first request and the burst, so that a window of the first request ends before those of the burst. */
const firstPauseMs = 2000

/** After this many trials, sufficient precision is enough, even if no refusal was due to old requests alone. */
const maxPreciseTrials = 12

/** How often refusals of a second, wider limit are set aside. */
const maxSetAside = 5

/** Bursts after a silence that must fit if earlier responses do not fit, or if several limits may be the reason. */
const silencesInDoubt = 2

/** Length of the silence before a restart, in windows. */
const silenceWindows = 1.1

/** Longest silence before a restart, as a share of the remaining time. */
const maxSilenceShare = 0.5

/** Pause before each burst that verifies a limiter that counts the previous window, in windows: five differ in phase. */
const verifyingPauseWindows = 0.62

/** Bursts after a silence at most: a window on a grid may end during the silence, so that one settles nothing. */
const maxSilences = 6

/** As `maxSilences`, if several limits explain the responses too and are likelier to be configured. */
const maxSilencesWithRival = 8

/**
 * Identifies the limiter that responds with 429, its capacity and its rate: sends one request after another until the
 * first 429, then always the trial on which the limiters that are still possible disagree most. If no limiter explains
 * all responses, it assumes other traffic on the key, and verifies that by a new start after a silence.
 */
export async function characterise(experiment: Experiment, limits: Limits): Promise<Characterisation> {
  const log = new ExperimentLog(experiment, limits)
  const queue = await untilThrottled(log, 0)
  if (queue !== undefined) return queue
  const found = await identify(log)
  if (found.result !== 'identified' || !mayCountBytes(log.sent)) return found
  return doubted(
    found,
    (limiter) =>
      `the sizes of the responses differ, and a limit by bytes would refuse the same requests; a limit of requests would be a ${limiter}`,
  )
}

/** Identifies the limiter from the first 429 on. */
async function identify(log: ExperimentLog): Promise<Characterisation> {
  if (log.last?.outcome !== 'throttled') return notThrottled(log)
  await untilRecovered(log)
  const done = new Map<string, number>()
  const found = await identifyAlone(log, done, false)
  if ('result' in found) return found
  const several = () => (found.isContradicted ? identifySeveral(log, found.candidates) : undefined)
  const grids = await several()
  if (grids !== undefined) return grids
  const shared = await identifyShared(log, done, found.isContradicted)
  const gridsAfterAll = await several()
  if (gridsAfterAll !== undefined) return gridsAfterAll
  const before = log.sent.length
  const again = (await restart(log, found)) ? await identifyAlone(log, done, true) : found
  if (!('result' in again) || again.result !== 'identified') {
    const isDoubtful = shared.result === 'identified' && severalGrids(log.all).length > 0
    return { ...(isDoubtful ? doubted(shared, severalInstead) : shared), ...log.cost }
  }
  const leftOut = `Left out: the first ${before} responses, before a silence. Several limits of this size, whose windows began at different times, explain them, or requests of others.`
  return { ...again, notes: [leftOut, ...again.notes] }
}

const severalInstead = (limiter: string) =>
  `several limits of one size, with windows on grids of different phases, explain every response as well as a ${limiter} with other traffic on its key`

/** Why no limiter is identified although budget is left. */
interface NoneAlone {
  /** Whether no limiter explains all responses, and what Retry-After states. */
  readonly isContradicted: boolean
  readonly candidates: Candidates
  /** Windows of those that explained most. */
  readonly windows: readonly Interval[]
}

/**
 * Identifies a limiter without other traffic, from the first 429 of a fresh limiter on.
 * @param done trials chosen so far, by family
 * @param isRestarted whether it follows a restart, because no limiter explained all responses: then it needs more proof
 */
async function identifyAlone(
  log: ExperimentLog,
  done: Map<string, number>,
  isRestarted: boolean,
): Promise<Identified | NotIdentified | NoneAlone> {
  let candidates = new Candidates()
  let silences = 0
  for (let trials = 0; ; trials += 1) {
    const before = estimates(candidates.best)
    candidates.update(log.observations)
    if (candidates.unexplained > 0 && isWider(log, before) && log.setAside.length < maxSetAside) {
      log.setRefusalsAside()
      candidates = new Candidates()
      candidates.update(log.observations)
    }
    if (candidates.unexplained > 0) candidates.distrustRetryAfter(log.observations)
    if (candidates.unexplained > 0 && isStacked(log, before)) return stacked(log, candidates, before)
    const maxTrials = before.length === 1 ? maxTrialsOfOneKind : maxTrialsAlone
    const isStuck = trials >= (isRestarted ? maxTrialsAfterRestart : maxTrials)
    if (candidates.unexplained > 0 || isStuck) return noneAlone(candidates, before)
    const sufficient = preciseEstimate(candidates, sufficientPrecision)
    // A 429 was due to old requests alone, or the limiter has no window.
    const hasOldCause = sufficient !== undefined && spansHalfWindow(sufficient, log.observations)
    const isEnough = hasOldCause || trials >= maxPreciseTrials
    const estimate = isEnough ? sufficient : preciseEstimate(candidates, targetPrecision)
    if (estimate !== undefined) {
      if (isRestarted ? !isRound(estimate) : isOddlyShort(estimate)) return noneAlone(candidates, before)
      const mayBeSeveral = limiterKinds[estimate.kind].hasWindow && severalGrids(log.observations).length > 0
      const hasRival = mayBeSeveral && !hasRoundWindow(estimate)
      const isDoubtful = isRestarted || (mayBeSeveral && !log.hasRetryAfter)
      const needed = Math.max(isDoubtful ? silencesInDoubt : 0, silencesNeeded(estimate))
      if (hasOldCause && silences >= needed && !hasRival) return concluded(log, candidates)
      if (!log.isOver && silences < (hasRival ? maxSilencesWithRival : maxSilences)) {
        await afterSilence(log, estimate, mayBeSeveral && hasOldCause ? silences : 0, mayBeSeveral)
        silences += 1
        continue
      }
      if (hasRival) return notIdentified(log, candidates, 'several')
      if (!log.isOver) {
        const hasChanged = candidates.distrustRetryAfter(log.observations)
        if (!hasChanged) return concluded(log, candidates)
      }
    }
    if (log.isOver && isRestarted) return noneAlone(candidates, before)
    if (log.isOver) {
      if (estimate === undefined) candidates.believeRetryAfter(log.observations)
      return concluded(log, candidates)
    }
    // Retry-After decides which limiters to test first; its weight falls with each trial that settles nothing.
    const doubt = Math.min(1, 0.03 * 1.2 ** trials)
    const possible = hypotheses(candidates.plausible, log.observations, doubt)
    const readsRetryAfter = candidates.trustsRetryAfter && log.hasRetryAfter
    const trial = chooseTrial(possible, log.constraints(), done, readsRetryAfter)
    if (trial === undefined) return isRestarted ? noneAlone(candidates, before) : concluded(log, candidates)
    await log.carryOut(trial)
  }
}

/** The conclusion without other traffic, as far as there is one. */
function concluded(log: ExperimentLog, candidates: Candidates): Identified | NotIdentified | NoneAlone {
  const conclusion = conclude(log, candidates)
  if (typeof conclusion === 'object') return conclusion
  if (log.isOver || conclusion === 'renewed') return notIdentified(log, candidates, conclusion)
  return { ...noneAlone(candidates, []), isContradicted: conclusion === 'retry-after' }
}

function noneAlone(candidates: Candidates, before: readonly Estimate[]): NoneAlone {
  const windows = [...before, ...estimates(candidates.best)].map(({ window }) => window)
  return { isContradicted: candidates.unexplained > 0, candidates, windows }
}

/**
 * Begins again after a silence longer than the windows, with a burst, and another after Retry-After. Windows of several
 * keys, such as address and client, then begin together, and requests before the experiment no longer count.
 * Retry-After is a part of a window, so that a window may be twice as long.
 * @returns false: the second burst differs, the budget does not allow it, or there is no Retry-After
 */
async function restart(log: ExperimentLog, { windows }: NoneAlone): Promise<boolean> {
  const { earliest, msLeft } = log.constraints()
  const longest = Math.max(0, ...windows.map(({ low, high }) => (high < maxPeriodMs ? high : low)))
  const retryAfterMs = Math.max(0, ...log.sent.map((observation) => observation.retryAfterMs ?? 0))
  const silences = [2, 1].map((count) => silenceWindows * Math.max(longest, count * retryAfterMs))
  const silence = silences.find((ms) => ms <= maxSilenceShare * msLeft)
  if (log.isOver || !log.hasRetryAfter || silence === undefined) return false
  log.restart()
  await untilThrottled(log, earliest + silence)
  const { earliest: again } = log.constraints()
  await log.carryOut({ startAt: again, lead: 0, burstAt: again, burst: log.observations.length + 1 })
  return repeatsBurst(log.observations)
}

/** Whether two bursts admitted the same number of requests. Other traffic changes it. */
function repeatsBurst(observations: readonly Observation[]): boolean {
  const first = observations.findIndex(({ outcome }) => outcome === 'throttled')
  const after = observations.slice(first + 1)
  return after.length === first + 1 && admittedOf(after) === admittedOf(observations.slice(0, first))
}

/**
 * Sends one request after another until the first 429.
 * @param at time of the first request
 * @returns a queue that delays responses instead
 */
async function untilThrottled(log: ExperimentLog, at: number): Promise<Identified | undefined> {
  const first = await log.send(at)
  const pauseUntil = (first?.endedAt ?? 0) + firstPauseMs
  const reserve = reserveOf(log)
  while (!log.isOver && !log.hasLessThan(reserve + 1)) {
    const observation = await log.send(pauseUntil)
    if (observation?.outcome === 'throttled') return undefined
    const queue = await identifyQueue(log)
    if (queue !== undefined) return queue
  }
  return undefined
}

/**
 * After the first 429. With Retry-After: one request, a pause of nearly the time in which the limiter became fresh
 * again, and a burst. That rules out the many shorter windows, and otherwise bounds the window within a tenth.
 * Without: single requests until one is admitted.
 */
async function untilRecovered(log: ExperimentLog): Promise<void> {
  if (log.last?.retryAfterMs !== undefined) {
    const { earliest: startAt } = log.constraints()
    const burstAt = startAt + 0.93 * (startAt - (log.sent[0]?.sentAt ?? 0))
    return log.carryOut({ startAt, lead: 3, burstAt, burst: log.sent.length + 1 })
  }
  const throttledAt = log.last?.endedAt ?? 0
  for (let wait = 100; !log.isOver; wait *= 1.35) {
    const observation = await log.send(throttledAt + wait)
    if (observation?.outcome === 'admitted') return
  }
}

/**
 * A burst after a silence. Where several limits may be the reason: requests just before and after the window ends, too.
 * A limiter that counts the previous window must explain bursts at any time: a shorter pause saves requests.
 */
async function afterSilence(
  log: ExperimentLog,
  { kind, window, capacity }: Estimate,
  silences: number,
  mayBeSeveral: boolean,
): Promise<void> {
  if (limiterKinds[kind].countsPreviousWindow && !mayBeSeveral) {
    const burstAt = log.constraints().earliest + verifyingPauseWindows * window.low
    return log.carryOut({ startAt: burstAt, lead: 0, burstAt, burst: capacity.high + 1 })
  }
  const startAt = await log.carryOutAfterSilence(window.low, capacity.high, silences)
  if (!mayBeSeveral) return
  for (const at of [startAt + 0.97 * window.low, startAt + 1.02 * window.high]) {
    if (!log.isOver && at > log.constraints().earliest) await log.send(at)
  }
}
