import type { Comparison } from '../compare/compare.ts'
import { driftVerdict } from '../compare/drift.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import type { RunResults } from '../results/results.ts'
import type { Stopped } from '../results/results-file.ts'

/**
 * The exit code of a run: the first that applies of `defect` (no verdict is reliable), `violated`, `inconclusive`,
 * `setup` (no requirement was applicable) and `ok`.
 * @param stopped why some checks have no result; undefined if all have one
 */
export function exitCodeOfRun(results: Pick<RunResults, 'requirements'>, stopped?: Stopped): ExitCode {
  if (stopped?.cause === 'harness') return exitCodes.defect
  const checks = results.requirements.flatMap((requirement) => requirement.checks)
  if (checks.some(({ cause }) => cause === 'harness')) return exitCodes.defect
  const verdicts = results.requirements.map((requirement) => requirement.verdict)
  if (verdicts.includes('fail')) return exitCodes.violated
  if (verdicts.includes('inconclusive')) return exitCodes.inconclusive
  return verdicts.every((verdict) => verdict === 'not-applicable') ? exitCodes.setup : exitCodes.ok
}

/**
 * The exit code with `--fail-on drift`: `violated` if the comparison shows drift. `setup` and `defect` take precedence.
 * @param exitCode the exit code without this option
 * @param drift undefined if there is no comparable run
 */
export function exitCodeWithDrift(exitCode: number, drift: Comparison | undefined): number {
  if (drift === undefined || exitCode > exitCodes.inconclusive) return exitCode
  return driftVerdict(drift) === 'drift' ? exitCodes.violated : exitCode
}
