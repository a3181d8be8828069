import type { DataPoint } from './data-points.ts'

/**
 * Refusals between two admitted requests. Requests without a usable response may be among them. Each data point is
 * one request and its outcome.
 */
export interface RefusalRun {
  readonly first: DataPoint
  readonly last: DataPoint
  /** The next admitted request; absent if the run has not ended. */
  readonly next?: DataPoint
}

/** The runs of refusals in these data points, in order of time. */
export function refusalRuns(dataPoints: readonly DataPoint[]): RefusalRun[] {
  const runs: { first: DataPoint; last: DataPoint; next?: DataPoint }[] = []
  for (const dataPoint of dataPoints) {
    const run = runs.at(-1)
    const isOpen = run !== undefined && run.next === undefined
    if (dataPoint.outcome === 'throttled') {
      if (isOpen) run.last = dataPoint
      else runs.push({ first: dataPoint, last: dataPoint })
    }
    if (dataPoint.outcome === 'admitted' && isOpen) run.next = dataPoint
  }
  return runs
}
