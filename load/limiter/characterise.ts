import { type Belief, beliefs, possibilities, windowOf } from './belief.ts'
import { Candidates } from './candidates.ts'
import type { Characterisation } from './characterisation.ts'
import { AIM, conclude, ENOUGH, isConclusive, isContradicted } from './conclude.ts'
import { Log } from './log.ts'
import { memoryOf, remembersHalf } from './memory.ts'
import type { Observation } from './observation.ts'
import { afterSilence, choosePlan, type Plan, pausedBurst } from './plan.ts'
import { queueAmong } from './queue.ts'
import { notIdentified, notThrottled } from './unclear.ts'

export interface Experiment {
  /** Milliseconds on the same clock. */
  now(): number
  /**
   * Sends one request, not before `at`; one is in flight at a time. The engine itself never sends before Retry-After.
   * undefined: the budget (requests or seconds) is spent or the probe was ended.
   */
  ask(at: number): Promise<Observation | undefined>
  /** Clock time (epoch ms) minus now(): for limiters whose windows are aligned to the clock. */
  readonly epochOffset: number
  /** Requests of before, each with the outcome 'unknown': they may have counted, or not. */
  readonly earlier?: readonly Observation[]
}

export interface Limits {
  readonly maxRequests: number
  readonly maxMs: number
}

/** More plans than this and the limiter is none that asking on would make clearer. */
const MOST_PLANS = 60

/** After so many plans, less precision is enough. */
const PATIENCE = 12

/** A grid may end its window in the silence: so often it is tried again. */
const MOST_SILENCES = 4

/** A refusal so many times as long as a window is none of its. */
const BEYOND = 1.5

/**
 * Finds out what kind of limiter answers 429, its capacity and its rate: one request after the other until the first
 * 429, then always the plan on which the limiters that are still possible disagree most. The limiter is taken to be
 * fresh: none of its capacity used, but for what `earlier` may have taken.
 */
export async function characterise(experiment: Experiment, limits: Limits): Promise<Characterisation> {
  const log = new Log(experiment, limits)
  const queue = await burst(log)
  if (queue !== undefined) return queue
  if (log.last?.outcome !== 'throttled') return notThrottled(log)
  const candidates = new Candidates()
  const surroundings = log.surroundings()
  if (log.last.retryAfterMs === undefined) await untilRecovered(log)
  else {
    const recoveredAfterMs = surroundings.earliest - (log.asked[0]?.sentAt ?? 0)
    await carryOut(pausedBurst(recoveredAfterMs, log.asked.length, surroundings), log)
  }
  const tried = new Map<string, number>()
  let silences = 0
  for (let plans = 0; plans < MOST_PLANS; plans += 1) {
    const before = beliefs(candidates.best)
    candidates.update(log.observations)
    if (isContradicted(candidates)) return contradicted(log, candidates, before)
    if (isConclusive(candidates, plans < PATIENCE ? AIM : ENOUGH)) {
      const [belief] = beliefs(candidates.best)
      const isSure = belief === undefined || remembersHalf(belief, log.observations)
      if (isSure || !candidates.doubtRetryAfter(log.observations)) {
        const isDone = isSure || belief.kind === 'token-bucket' || silences === MOST_SILENCES
        if (isDone || log.over) return conclude(log, candidates, experiment.epochOffset)
        silences += 1
        await carryOut(afterSilence(memoryOf(belief), belief.capacity.high, log.surroundings()), log)
        continue
      }
    }
    if (log.over) {
      return isConclusive(candidates, ENOUGH)
        ? conclude(log, candidates, experiment.epochOffset)
        : notIdentified(log, candidates, 'budget')
    }
    // Retry-After is trusted to choose what to try first, and ever less as that does not settle it.
    const lies = Math.min(1, 0.03 * 1.2 ** plans)
    const plan = choosePlan(possibilities(candidates.left, log.observations, lies), log.surroundings(), tried)
    if (plan === undefined) return conclude(log, candidates, experiment.epochOffset)
    tried.set(plan.shape, (tried.get(plan.shape) ?? 0) + 1)
    await carryOut(plan, log)
  }
  return conclude(log, candidates, experiment.epochOffset)
}

/** Asks one after the other to the first 429. @returns a result where the answers are delayed instead of refused */
async function burst(log: Log): Promise<Characterisation | undefined> {
  while (!log.over) {
    const answer = await log.ask(0)
    if (answer?.outcome === 'throttled') return undefined
    const queue = await queueAmong(log)
    if (queue !== undefined) return queue
  }
  return undefined
}

/** Whether one limiter explained everything until a refusal that outlasted its window. */
function contradicted(log: Log, candidates: Candidates, before: readonly Belief[]): Characterisation {
  const longest = Math.max(...before.map(windowOf))
  const isWider = before.length > 0 && log.refusedMs > BEYOND * longest
  return isWider
    ? notIdentified(log, candidates, 'stacked', before)
    : notIdentified(log, candidates, 'contradicted')
}

/** Where no Retry-After says when: a single request at growing distances, until one is admitted again. */
async function untilRecovered(log: Log): Promise<void> {
  const throttledAt = log.last?.endedAt ?? 0
  for (let wait = 100; !log.over; wait *= 1.35) {
    const answer = await log.ask(throttledAt + wait)
    if (answer?.outcome === 'admitted') return
  }
}

async function carryOut(plan: Plan, log: Log): Promise<void> {
  for (let asked = 0; asked < plan.first + plan.most && !log.over; asked += 1) {
    const answer = await log.ask(asked < plan.first ? plan.from : plan.rest)
    if (answer?.outcome === 'throttled') return
  }
}
