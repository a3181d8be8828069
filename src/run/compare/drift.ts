import { SetupError } from '../../target/problem.ts'
import type { RunResults } from '../results.ts'
import { earlierRuns } from '../run-directory.ts'
import { readHead, readRun } from '../saved-run.ts'
import { selects } from '../selection.ts'
import { compare } from './compare.ts'
import type { Comparison } from './comparison.ts'

/** What a comparison comes to: behaviour of the target that changed, nothing, or nothing that can be said. */
export type DriftVerdict = 'drift' | 'none' | 'undecided'

/**
 * What a comparison says of the target. Requirements that come and go with Plumbline's version, and what
 * applies in one run only, are no change of its behaviour.
 */
export function driftVerdict({ changed, observations, undecided, alike }: Comparison): DriftVerdict {
  if (changed.length + observations.length > 0) return 'drift'
  return undecided.length > 0 || alike.requirements === 0 ? 'undecided' : 'none'
}

/**
 * How a run differs from the last one that can be compared with it: same target and kind, completed, and
 * looking at all that this one looked at.
 * @param runDirectory its place; earlier runs are those beside it
 * @returns undefined where the run was cut off, or there is no such run
 */
export function driftOf(runDirectory: string, results: RunResults): Comparison | undefined {
  if (!results.run.completed) return undefined
  for (const directory of earlierRuns(runDirectory)) {
    const earlier = canPrecede(readHead(directory).run ?? {}, results) ? readable(directory) : undefined
    if (earlier && sharesChecks(earlier, results)) return compare(earlier, results)
  }
  return undefined
}

/** Whether a run came to its end, is of the same target and kind, and looked at all that another looked at. */
export function canPrecede(head: Partial<RunResults['run']>, { run, requirements }: RunResults): boolean {
  return (
    head.completed === true &&
    head.kind === run.kind &&
    head.target === run.target &&
    head.selection !== undefined &&
    requirements.every(selects(head.selection))
  )
}

/** Runs of probes choose probes and endpoints, which their selection does not tell. */
function sharesChecks(earlier: RunResults, { run, requirements }: RunResults): boolean {
  if (run.kind === 'check') return true
  const made = new Set(earlier.requirements.flatMap(({ id, checks }) => checks.map(({ name }) => id + name)))
  return requirements.some(({ id, checks }) => checks.some(({ name }) => made.has(id + name)))
}

/** An earlier run that is broken or of another format is no reason to end this one badly. */
function readable(directory: string): RunResults | undefined {
  try {
    return readRun(directory)
  } catch (error) {
    if (error instanceof SetupError) return undefined
    throw error
  }
}
