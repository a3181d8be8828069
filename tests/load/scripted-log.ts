import {
  type Experiment,
  ExperimentLog,
  type Limits,
  type Observation,
} from '../../load/limiter/experiment.ts'

/** An observation of a request that took 10 ms. */
export const observed = (
  outcome: Observation['outcome'],
  sentAt: number,
  retryAfterMs?: number,
): Observation => ({
  sentAt,
  endedAt: sentAt + 10,
  outcome,
  ...(retryAfterMs !== undefined && { retryAfterMs }),
})

export const admitted = (...times: number[]) => times.map((at) => observed('admitted', at))

/** The log of an experiment that has made these observations, the clock of which started at 0. */
export async function logOf(
  observations: readonly Observation[],
  limits: Limits = { maxRequests: 600, maxMs: 24 * 3_600_000 },
  earlier: readonly Observation[] = [],
  epochOffset = 0,
): Promise<ExperimentLog> {
  let now = 0
  const left = [...observations]
  const experiment: Experiment = {
    epochOffset,
    earlier,
    now: () => now,
    send: async () => {
      const observation = left.shift()
      now = observation?.endedAt ?? now
      return observation
    },
  }
  const log = new ExperimentLog(experiment, limits)
  for (const { sentAt } of observations) await log.send(sentAt)
  return log
}
