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

/** An experiment with these responses. Its clock starts at 0. */
export function experimentWith(
  respond: (at: number) => DataPoint | undefined,
  limits: Limits,
  rest: Partial<Experiment> = {},
): BudgetedExperiment {
  let now = 0
  const experiment: Experiment = {
    epochOffset: 0,
    now: () => now,
    send: async (at) => {
      const dataPoint = respond(at)
      now = dataPoint?.endedAt ?? now
      return dataPoint
    },
    ...rest,
  }
  return new BudgetedExperiment(experiment, limits)
}

/** An experiment that has recorded these data points. */
export async function experimentOf(
  dataPoints: readonly DataPoint[],
  limits: Limits = { maxRequests: 600, maxMs: 24 * 3_600_000 },
  earlier: readonly DataPoint[] = [],
  epochOffset = 0,
): Promise<BudgetedExperiment> {
  const left = [...dataPoints]
  const budgeted = experimentWith(() => left.shift(), limits, { earlier, epochOffset })
  for (const { sentAt } of dataPoints) await budgeted.send(sentAt)
  return budgeted
}
