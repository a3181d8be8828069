import type { Identified } from './conclusion.ts'
import type { BudgetedExperiment } from './experiment.ts'
import { identifyQueue } from './queue.ts'
import { reserveOf } from './sent-together.ts'

/** Pause after the first request, so that it leaves a sliding window earlier than the requests that follow. */
const firstPauseMs = 2000

/** Length of the idle period before a restart, in windows. */
export const idleWindows = 1.1

/** Longest idle period, as a share of the remaining time. */
const maxIdleShare = 0.5

/** Whether enough time for requests would be left after an idle period. */
export function hasTimeToIdle(experiment: BudgetedExperiment, idleMs: number): boolean {
  return !experiment.isOver && idleMs <= maxIdleShare * experiment.constraints().msLeft
}

/** Begins again after an idle period. @returns as `sendUntilFirst429` */
export function sendUntilFirst429After(
  experiment: BudgetedExperiment,
  idleMs: number,
): Promise<Identified | undefined> {
  return sendUntilFirst429(experiment, experiment.constraints().earliest + idleMs)
}

/**
 * Sends one request after another until the first 429.
 * @param at time of the first request
 * @returns a queue that delays responses instead; undefined after a 429, and if the budget ends first (see `record.last`)
 */
export async function sendUntilFirst429(
  experiment: BudgetedExperiment,
  at: number,
): Promise<Identified | undefined> {
  const first = await experiment.send(at)
  const notBefore = (first?.endedAt ?? 0) + firstPauseMs
  const reserve = reserveOf(experiment)
  while (!experiment.isOver && !experiment.hasLessThan(reserve + 1)) {
    const dataPoint = await experiment.send(notBefore)
    if (dataPoint?.outcome === 'throttled') return undefined
    const queue = await identifyQueue(experiment)
    if (queue !== undefined) return queue
  }
  return undefined
}
