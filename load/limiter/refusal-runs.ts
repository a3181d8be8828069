import type { DataPoint } from './experiment.ts'

/** Refusals in a row; requests of unknown outcome do not end it. */
export interface RefusalRun {
  readonly first: DataPoint
  readonly last: DataPoint
  /** The request that was admitted next; undefined: none was. */
  readonly next: DataPoint | undefined
}

/** In the order of the data points. */
export function refusalRuns(dataPoints: readonly DataPoint[]): RefusalRun[] {
  const runs: RefusalRun[] = []
  let run: DataPoint[] = []
  const close = (next?: DataPoint) => {
    const [first, last] = [run[0], run.at(-1)]
    if (first && last) runs.push({ first, last, next })
    run = []
  }
  for (const dataPoint of dataPoints) {
    if (dataPoint.outcome === 'throttled') run.push(dataPoint)
    if (dataPoint.outcome === 'admitted') close(dataPoint)
  }
  close()
  return runs
}
