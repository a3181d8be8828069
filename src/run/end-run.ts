import { relative } from 'node:path'
import { writeJunit } from '../report/junit.ts'
import { writeSummary } from '../report/markdown.ts'
import { buildReport, type Surroundings, surroundingsOf } from '../report/report.ts'
import { terminalSummary } from '../report/terminal.ts'
import type { RunResults } from '../results/results.ts'
import { runFiles } from '../results/run-directory.ts'

interface Ending {
  /** The stream for the summary. */
  readonly output: NodeJS.WriteStream
  /** Whether to build the HTML report. */
  readonly report: boolean
}

/** Ends a run of either kind after its results are written: writes the other files and the summary. */
export async function endRun(
  directory: string,
  results: RunResults,
  { output, report }: Ending,
): Promise<Surroundings> {
  const surroundings = await surroundingsOf(directory, results)
  const { drift, policy } = surroundings
  let html: string | undefined
  if (report) html = await buildReport(directory, undefined, surroundings)
  else {
    writeJunit(directory, results)
    writeSummary(directory, results, drift, policy)
  }
  output.write(
    terminalSummary(results, {
      stream: output,
      results: relative(process.cwd(), `${directory}/${runFiles.results}`),
      ...(html !== undefined && { report: relative(process.cwd(), html) }),
      ...(drift && { drift }),
      ...(policy && { policy }),
    }),
  )
  return surroundings
}
