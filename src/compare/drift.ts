import { isDecided } from '../results/outcome.ts'
import type { PastRun } from '../results/past-runs.ts'
import type { RunResults } from '../results/results.ts'
import { compare } from './compare.ts'
import type { Comparison, VerdictDifference } from './comparison.ts'
import { baseOf, comparableRuns, violatedSince } from './look-back.ts'

/** What a comparison comes to: behaviour of the target that changed, nothing, or nothing that can be said. */
export type DriftVerdict = 'drift' | 'none' | 'undecided'

/**
 * What a comparison says of the target. Requirements that come and go with Plumbline's version, and what
 * applies in one run only, are no change of its behaviour; but what is no longer looked at may hide one.
 */
export function driftVerdict(comparison: Comparison): DriftVerdict {
  const { changed, observations, undecided, alike } = comparison
  if (changed.length + observations.length + noLongerLookedAt(comparison).length > 0) return 'drift'
  return undecided.length > 0 || alike.requirements === 0 ? 'undecided' : 'none'
}

/**
 * Requirements of one target that the earlier run decided and the configuration of the later one rules out, as where
 * TEST_USER went missing. Profiles of two targets rule out different things.
 */
export function noLongerLookedAt({ before, after, applicability }: Comparison): VerdictDifference[] {
  if (before.target !== after.target) return []
  return applicability.filter(
    (one) =>
      isDecided(one.before.verdict) &&
      one.after.verdict === 'not-applicable' &&
      one.after.cause === 'configuration',
  )
}

/**
 * How a run differs from the last ones that can be compared with it: from each requirement as the last run that
 * decided it saw it.
 * @param past the runs beside it that began before it, the newest first
 * @returns undefined where the run was cut off, or there is no such run
 */
export function driftOf(results: RunResults, past: readonly PastRun[]): Comparison | undefined {
  if (!results.run.completed) return undefined
  const [newest, ...older] = comparableRuns(results, past)
  if (!newest) return undefined
  const { base, olderBases } = baseOf([newest, ...older])
  return {
    ...compare(base, results),
    olderBases,
    violatedSince: violatedSince(results, [newest, ...older]),
  }
}
