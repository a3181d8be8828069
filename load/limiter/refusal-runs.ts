import type { Observation } from './experiment.ts'

/** Refusals in a row; requests of unknown outcome do not end it. */
export interface RefusalRun {
  readonly first: Observation
  readonly last: Observation
  /** The request that was admitted next; undefined: none was. */
  readonly next: Observation | undefined
}

/** In the order of the observations. */
export function refusalRuns(observations: readonly Observation[]): RefusalRun[] {
  const runs: RefusalRun[] = []
  let run: Observation[] = []
  const close = (next?: Observation) => {
    const [first, last] = [run[0], run.at(-1)]
    if (first && last) runs.push({ first, last, next })
    run = []
  }
  for (const observation of observations) {
    if (observation.outcome === 'throttled') run.push(observation)
    if (observation.outcome === 'admitted') close(observation)
  }
  close()
  return runs
}
