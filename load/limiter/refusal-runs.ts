import type { DataPoint } from './data-points.ts'

/** Refusals in a row; requests of unknown outcome do not end it. */
export interface RefusalRun {
  readonly first: DataPoint
  readonly last: DataPoint
  /** The request that was admitted next; absent: none was. */
  readonly next?: DataPoint
}

/** In the order of the data points. */
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
