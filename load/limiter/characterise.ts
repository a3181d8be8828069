import { Candidates, type Estimate, estimates } from './candidates.ts'
import {
  conclude,
  preciseEstimate,
  SUFFICIENT_PRECISION,
  silencesNeeded,
  spansHalfWindow,
  TARGET_PRECISION,
} from './conclude.ts'
import type { Characterisation, Identified } from './conclusion.ts'
import { type Experiment, ExperimentLog, type Limits } from './experiment.ts'
import { hypotheses } from './hypotheses.ts'
import { notThrottled, reserveOf } from './in-flight.ts'
import { identifyQueue } from './models/leaky-bucket.ts'
import { identifyShared } from './other-traffic/identify.ts'
import { chooseTrial } from './trials.ts'
import { isStacked, isWider, notIdentified, stacked } from './undecided.ts'

/** After this many trials without a conclusion, other traffic may be the reason. */
const MAX_TRIALS = 40

/** The same, where only the parameters of one kind remain open. */
const MAX_TRIALS_OF_ONE_KIND = 26

/** Pause between the first request and the burst, so that a window of the first request ends before those of the burst. */
const FIRST_PAUSE_MS = 2000

/** After this many trials, sufficient precision is enough. */
const MAX_PRECISE_TRIALS = 12

/** How often refusals of a second, wider limit are set aside. */
const MAX_SET_ASIDE = 5

/** Bursts after a silence at most: a window on a grid may end during the silence, so that one settles nothing. */
const MAX_SILENCES = 4

/**
 * Identifies the limiter that responds with 429, its capacity and its rate: sends one request after another until the
 * first 429, then always the trial on which the limiters that are still possible disagree most. The limiter has to be
 * fresh: no requests count but those sent here and `experiment.earlier`.
 */
export async function characterise(experiment: Experiment, limits: Limits): Promise<Characterisation> {
  const log = new ExperimentLog(experiment, limits)
  const queue = await untilThrottled(log)
  if (queue !== undefined) return queue
  if (log.last?.outcome !== 'throttled') return notThrottled(log)
  await untilRecovered(log)
  let candidates = new Candidates()
  const done = new Map<string, number>()
  let silences = 0
  for (let trials = 0; ; trials += 1) {
    const before = estimates(candidates.best)
    candidates.update(log.observations)
    if (candidates.unexplained > 0 && isWider(log, before) && log.setAside.length < MAX_SET_ASIDE) {
      log.setRefusalsAside()
      candidates = new Candidates()
      candidates.update(log.observations)
    }
    if (candidates.unexplained > 0) candidates.distrustRetryAfter(log.observations)
    if (candidates.unexplained > 0 && isStacked(log, before)) return stacked(log, candidates, before)
    const isStuck = trials >= MAX_TRIALS || (trials >= MAX_TRIALS_OF_ONE_KIND && before.length === 1)
    if (candidates.unexplained > 0 || isStuck) return identifyShared(log, done, candidates.unexplained > 0)
    const precision = trials < MAX_PRECISE_TRIALS ? TARGET_PRECISION : SUFFICIENT_PRECISION
    const estimate = preciseEstimate(candidates, precision)
    if (estimate !== undefined) {
      const isDone = estimate.kind === 'token-bucket' || spansHalfWindow(estimate, log.observations)
      if ((isDone && silences >= silencesNeeded(estimate)) || log.isOver)
        return concludeOrContinue(log, candidates, done)
      if (silences < MAX_SILENCES) {
        silences += 1
        await afterSilence(log, estimate)
        continue
      }
      if (!candidates.distrustRetryAfter(log.observations)) return concludeOrContinue(log, candidates, done)
    }
    if (log.isOver) {
      candidates.believeRetryAfter(log.observations)
      return concludeOrContinue(log, candidates, done)
    }
    // Retry-After decides which limiters to test first, and the less the longer that does not settle it.
    const doubt = Math.min(1, 0.03 * 1.2 ** trials)
    const possible = hypotheses(candidates.left, log.observations, doubt)
    const readsRetryAfter = candidates.trustsRetryAfter && log.hasRetryAfter
    const trial = chooseTrial(possible, log.constraints(), done, readsRetryAfter)
    if (trial === undefined) return concludeOrContinue(log, candidates, done)
    done.set(trial.family, (done.get(trial.family) ?? 0) + 1)
    await log.carryOut(trial)
  }
}

/** The conclusion without other traffic, or if there is none but budget, with it. */
function concludeOrContinue(log: ExperimentLog, candidates: Candidates, done: Map<string, number>) {
  const conclusion = conclude(log, candidates)
  if (typeof conclusion === 'object') return conclusion
  if (log.isOver || conclusion === 'renewed') return notIdentified(log, candidates, conclusion)
  return identifyShared(log, done, conclusion === 'retry-after')
}

/** Sends one request after another until the first 429. @returns a queue that delays responses instead */
async function untilThrottled(log: ExperimentLog): Promise<Identified | undefined> {
  const first = await log.send(0)
  const pauseUntil = (first?.endedAt ?? 0) + FIRST_PAUSE_MS
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

/** From a fresh limiter: one request, a pause after which a shorter window would be fresh again, and a burst. */
function afterSilence(log: ExperimentLog, { window, capacity }: Estimate): Promise<void> {
  const startAt = log.constraints().earliest + 1.05 * window.low
  return log.carryOut({ startAt, lead: 1, burstAt: startAt + 0.6 * window.low, burst: capacity.high })
}
