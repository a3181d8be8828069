import type { DataPoint } from '../../load/limiter/data-points.ts'
import { BudgetedExperiment, type Experiment, type Limits } from '../../load/limiter/experiment.ts'

/** A data point of a request that took 10 ms. */
export const observed = (
  outcome: DataPoint['outcome'],
  sentAt: number,
  retryAfterMs?: number,
): DataPoint => ({
  sentAt,
  endedAt: sentAt + 10,
  outcome,
  ...(retryAfterMs !== undefined && { retryAfterMs }),
})

export const admitted = (...times: number[]) => times.map((at) => observed('admitted', at))

/** An experiment that has made these data points, the clock of which started at 0. */
export async function experimentOf(
  dataPoints: readonly DataPoint[],
  limits: Limits = { maxRequests: 600, maxMs: 24 * 3_600_000 },
  earlier: readonly DataPoint[] = [],
  epochOffset = 0,
): Promise<BudgetedExperiment> {
  let now = 0
  const left = [...dataPoints]
  const experiment: Experiment = {
    epochOffset,
    earlier,
    now: () => now,
    send: async () => {
      const dataPoint = left.shift()
      now = dataPoint?.endedAt ?? now
      return dataPoint
    },
  }
  const budgeted = new BudgetedExperiment(experiment, limits)
  for (const { sentAt } of dataPoints) await budgeted.send(sentAt)
  return budgeted
}
