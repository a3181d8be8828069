import { compare as compareRuns, requireComparable } from '../compare/compare.ts'
import { driftOf, driftVerdict } from '../compare/drift.ts'
import { comparisonMarkdown } from '../compare/markdown.ts'
import { comparisonText } from '../compare/terminal.ts'
import { runsBefore } from '../results/past-runs.ts'
import { openRun } from '../results/saved-run.ts'
import { reportDirectory } from '../run/chosen-target.ts'
import { SetupError } from '../target/problem.ts'
import { type FormatOptions, oneFormat, print } from './options.ts'

interface CompareOptions extends FormatOptions {
  readonly failOn?: 'drift'
}

/**
 * `plumbline compare`: exit code 0, with --fail-on drift 1 where the target behaves otherwise and 2 where
 * nothing changed but something could not be compared.
 * @param runs two runs; with one, that against the latest; with none, the latest against the last one that
 *   can be compared with it
 */
export async function compare(runs: readonly string[], options: CompareOptions): Promise<void> {
  oneFormat(options)
  const comparison = comparisonOf(runs)
  print(options, comparison, { markdown: comparisonMarkdown, text: comparisonText })
  if (options.failOn === 'drift')
    process.exitCode = { none: 0, drift: 1, undecided: 2 }[driftVerdict(comparison)]
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
  throw new SetupError([
    {
      name: 'RUN_A',
      what: completed
        ? `is not given, and no run before ${id} has its target and kind, finished, and looked at all it did: name two runs`
        : `is not given, and the latest run, ${id}, was cut off before its end: name two runs that finished`,
    },
  ])
}
