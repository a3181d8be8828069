import { relative } from 'node:path'
import type { Comparison } from '../compare/comparison.ts'
import { driftOf } from '../compare/drift.ts'
import { writeJunit } from '../report/junit.ts'
import { writeSummary } from '../report/markdown.ts'
import { buildReport } from '../report/report.ts'
import { terminalSummary } from '../report/terminal.ts'
import { runsBefore } from '../results/past-runs.ts'
import type { RunResults } from '../results/results.ts'
import { runFiles } from '../results/run-directory.ts'

interface Ending {
  /** Where the summary goes. */
  readonly output: NodeJS.WriteStream
  /** Whether the HTML report is built. */
  readonly report: boolean
  /** Whether it is compared with the last comparable run. */
  readonly compare: boolean
}

/**
 * What a run ends with, of whichever kind, once its results are written: drift, its other files, and the summary.
 * @returns how it differs from the last comparable run; undefined where there is none, or it is not asked for
 */
export async function endRun(
  directory: string,
  results: RunResults,
  { output, report, compare }: Ending,
): Promise<Comparison | undefined> {
  const past = runsBefore(directory)
  const drift = compare ? driftOf(results, past) : undefined
  const html = report ? await buildReport(directory, undefined, past) : writeFiles(directory, results, drift)
  output.write(
    terminalSummary(results, {
      stream: output,
      results: relative(process.cwd(), `${directory}/${runFiles.results}`),
      ...(html !== undefined && { report: relative(process.cwd(), html) }),
      ...(drift && { drift }),
    }),
  )
  return drift
}

/** What is left for programs where no HTML report is built, which writes them too. */
function writeFiles(directory: string, results: RunResults, drift: Comparison | undefined): undefined {
  writeJunit(directory, results)
  writeSummary(directory, results, drift)
}
