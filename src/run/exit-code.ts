import type { Comparison } from '../compare/comparison.ts'
import { driftVerdict } from '../compare/drift.ts'
import type { RunResults } from '../results/results.ts'
import type { Stop } from '../results/results-file.ts'

/**
 * What a run tells the shell: 4 a defect of the harness (nothing else it says can be relied on then),
 * 1 a requirement is violated, 2 one could not be decided, 0 all that apply hold.
 *
 * @param broken what kept the suites from running to their end
 */
export function exitCodeOf(results: Pick<RunResults, 'requirements'>, broken?: Stop): 0 | 1 | 2 | 4 {
  if (broken?.cause === 'harness') return 4
  const checks = results.requirements.flatMap((requirement) => requirement.checks)
  if (checks.some((check) => check.verdict === 'inconclusive' && check.cause === 'harness')) return 4
  const verdicts = results.requirements.map((requirement) => requirement.verdict)
  if (verdicts.includes('fail')) return 1
  return verdicts.includes('inconclusive') ? 2 : 0
}

/**
 * The exit code of a run in which drift counts: 1 where the target behaves otherwise than in the last
 * comparable run, unless the run says something worse. The first run has nothing to drift from.
 */
export function exitCodeWithDrift(exitCode: number, drift: Comparison | undefined): number {
  if (drift === undefined || exitCode === 1 || exitCode > 2) return exitCode
  return driftVerdict(drift) === 'drift' ? 1 : exitCode
}
