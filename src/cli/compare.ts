import { compare as compareRuns, requireComparable } from '../compare/compare.ts'
import { driftOf, driftVerdict } from '../compare/drift.ts'
import { comparisonMarkdown, comparisonText } from '../compare/text.ts'
import { exitCodes } from '../exit-codes.ts'
import { runsBefore } from '../results/past-runs.ts'
import { openRun } from '../results/saved-run.ts'
import { reportDirectory } from '../run/report-directory.ts'
import { SetupError } from '../target/problem.ts'
import { type FormatOptions, oneFormat, print } from './options.ts'

interface CompareOptions extends FormatOptions {
  readonly failOn?: 'drift'
}

/**
 * `plumbline compare`: exits with 0. With `--fail-on drift`, it exits with
 * - 1 if a verdict or an observation changed, or a requirement is no longer checked
 * - 2 if nothing changed, but some requirements could not be compared
 * @param runs two runs to compare. One run is compared with the latest run. Without runs, the latest run is compared
 *   with the last comparable run
 */
export async function compare(runs: readonly string[], options: CompareOptions): Promise<void> {
  oneFormat(options)
  const comparison = comparisonOf(runs)
  print(options, comparison, { markdown: comparisonMarkdown, text: comparisonText })
  if (options.failOn === 'drift')
    process.exitCode = {
      none: exitCodes.ok,
      drift: exitCodes.violated,
      inconclusive: exitCodes.inconclusive,
    }[driftVerdict(comparison)]
}

function comparisonOf([first, second]: readonly string[]) {
  const reportDir = reportDirectory()
  if (first !== undefined) {
    const before = openRun(reportDir, first, 'RUN_A')
    const after = openRun(reportDir, second, 'RUN_B')
    requireComparable(before.results, after.results)
    return compareRuns(before.results, after.results)
  }
  const latest = openRun(reportDir, undefined)
  const comparison = driftOf(latest.results, runsBefore(latest.directory))
  if (comparison) return comparison
  const { id, completed } = latest.results.run
  throw new SetupError({
    name: 'RUN_A',
    what: completed
      ? `is not given, and there is no earlier complete run comparable with ${id} (same target and kind, at least the same requirements): give two runs, such as two folders in reports/runs`
      : `is not given, and the latest run, ${id}, is incomplete: give two complete runs`,
  })
}
