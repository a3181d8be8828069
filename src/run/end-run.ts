import { relative } from 'node:path'
import type { Comparison } from '../compare/comparison.ts'
import { driftOf } from '../compare/drift.ts'
import { type PolicyAnswer, policyAnswer } from '../release/gate.ts'
import { writeJunit } from '../report/junit.ts'
import { writeSummary } from '../report/markdown.ts'
import { buildReport } from '../report/report.ts'
import { terminalSummary } from '../report/terminal.ts'
import { runsBefore } from '../results/past-runs.ts'
import type { RunResults } from '../results/results.ts'
import { runFiles } from '../results/run-directory.ts'

interface Ending {
  /** The stream for the summary. */
  readonly output: NodeJS.WriteStream
  /** Whether to build the HTML report. */
  readonly report: boolean
  /** Whether to compare the run with the last comparable run. */
  readonly compare: boolean
}

/** Parts of the summary beyond the results of a run. */
interface Ended {
  /** The drift from the last comparable run; undefined if there is none or comparing is off. */
  readonly drift?: Comparison
  /** The result of the release policy; undefined if there is none. */
  readonly policy?: PolicyAnswer
}

/** Ends a run of either kind after its results are written: computes drift, writes the other files and the summary. */
export async function endRun(
  directory: string,
  results: RunResults,
  { output, report, compare }: Ending,
): Promise<Ended> {
  const past = runsBefore(directory)
  const drift = compare ? driftOf(results, past) : undefined
  const policy = await policyAnswer(results)
  const ended = { ...(drift && { drift }), ...(policy && { policy }) }
  const html = report
    ? await buildReport(directory, undefined, past, policy)
    : writeFiles(directory, results, ended)
  output.write(
    terminalSummary(results, {
      stream: output,
      results: relative(process.cwd(), `${directory}/${runFiles.results}`),
      ...(html !== undefined && { report: relative(process.cwd(), html) }),
      ...ended,
    }),
  )
  return ended
}

/** Writes JUnit file and summary, which otherwise buildReport writes. */
function writeFiles(directory: string, results: RunResults, { drift, policy }: Ended): undefined {
  writeJunit(directory, results)
  writeSummary(directory, results, drift, policy)
}
