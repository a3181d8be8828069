import type { Candidate, Candidates } from '../../load/limiter/candidates.ts'
import type { DataPoint } from '../../load/limiter/data-points.ts'
import { conclude } from '../../load/limiter/elimination.ts'
import type { SetAside } from '../../load/limiter/experiment-record.ts'
import type { Fit, LimiterParameters, Model } from '../../load/limiter/models/model.ts'
import { slidingLog } from '../../load/limiter/models/sliding-log.ts'
import { tokenBucket } from '../../load/limiter/models/token-bucket.ts'
import { admitted, experimentOf, observed } from './scripted-experiment.ts'

/** A candidate with a capacity, and periods from `low` to `high`. It has `samples` only for windows of 1 s. */
export function candidate(
  model: Model,
  capacity: number,
  low: number,
  high: number,
  samples: readonly LimiterParameters[] = [],
): Candidate {
  const fit: Fit = {
    capacity,
    observe: () => true,
    periods: () => ({ low, high }),
    share: () => 1,
    samples: ({ windows, ends }) => (windows.includes(1000) && ends.length === 0 ? [...samples] : []),
  }
  return { model, fit, unexplained: 0 }
}

export const logCandidate = candidate(slidingLog(false), 3, 980, 1020)
export const bucketCandidate = candidate(tokenBucket, 3, 300, 310)

/** The candidates that an experiment has left. By default, other models explain one data point. */
export function candidatesLeft(
  best: readonly Candidate[],
  changes: Partial<Record<keyof Candidates, unknown>> = {},
) {
  return {
    best,
    plausible: best,
    unexplained: 0,
    trustsRetryAfter: true,
    minWindowMs: 0,
    explainedBy: () => 1,
    ...changes,
  } as unknown as Candidates
}

/** Data points with a refusal at 640 ms, which counts a request of more than 500 ms before. */
export const spanning = [...admitted(0, 600, 620), observed('throttled', 640)]

/** The conclusion from these candidates after these data points. */
export async function concluded(
  best: readonly Candidate[],
  changes: Partial<Record<keyof Candidates, unknown>> = {},
  dataPoints: readonly DataPoint[] = spanning,
  {
    maxRequests = 600,
    epochOffset = 0,
    setAside = [],
    earlier = [],
  }: {
    readonly maxRequests?: number
    readonly epochOffset?: number
    readonly setAside?: readonly SetAside[]
    readonly earlier?: readonly DataPoint[]
  } = {},
) {
  const experiment = await experimentOf(dataPoints, { maxRequests, maxMs: 1e9 }, earlier, epochOffset)
  experiment.record.setAside.push(...setAside)
  return conclude(experiment, candidatesLeft(best, changes))
}
