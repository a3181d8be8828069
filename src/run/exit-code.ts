import type { Comparison } from '../compare/comparison.ts'
import { driftVerdict } from '../compare/drift.ts'
import type { RunResults } from '../results/results.ts'
import type { Stop } from '../results/results-file.ts'

/**
 * The exit code of a run: 4 for a defect of Plumbline (the verdicts are then unreliable), 1 if a requirement is
 * violated, 2 if one is inconclusive, 3 if none applied, so that nothing was checked, 0 if all applicable requirements
 * hold.
 *
 * @param broken why the suites did not complete
 */
export function exitCodeOfRun(results: Pick<RunResults, 'requirements'>, broken?: Stop): 0 | 1 | 2 | 3 | 4 {
  if (broken?.cause === 'harness') return 4
  const checks = results.requirements.flatMap((requirement) => requirement.checks)
  if (checks.some(({ cause }) => cause === 'harness')) return 4
  const verdicts = results.requirements.map((requirement) => requirement.verdict)
  if (verdicts.includes('fail')) return 1
  if (verdicts.includes('inconclusive')) return 2
  return verdicts.every((verdict) => verdict === 'not-applicable') ? 3 : 0
}

/**
 * The exit code with `--fail-on drift`: 1 if a verdict or an observation differs from the last comparable run, or a
 * requirement is no longer checked, unless the run has a worse exit code. The first run has no drift.
 */
export function exitCodeWithDrift(exitCode: number, drift: Comparison | undefined): number {
  if (drift === undefined || exitCode > 2) return exitCode
  return driftVerdict(drift) === 'drift' ? 1 : exitCode
}
