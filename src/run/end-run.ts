import { relative } from 'node:path'
import { writeJunit } from '../report/junit.ts'
import { writeSummary } from '../report/markdown.ts'
import type { Overview } from '../report/overview.ts'
import { buildReport, reportContent } from '../report/report.ts'
import { terminalSummary } from '../report/terminal.ts'
import type { RunResults } from '../results/results.ts'
import { runFiles } from '../results/run-directory.ts'

interface Ending {
  /** The stream for the summary. */
  readonly output: NodeJS.WriteStream
  /** Whether to build the HTML report. */
  readonly report: boolean
}

/**
 * Ends a run of either kind after its results are written: writes the other files and the summary.
 * @returns what they show
 */
export async function endRun(
  directory: string,
  results: RunResults,
  { output, report }: Ending,
): Promise<Overview> {
  const content = await reportContent(directory, results)
  const { overview } = content
  let html: string | undefined
  if (report) html = await buildReport(directory, undefined, content)
  else {
    writeJunit(directory, results)
    writeSummary(directory, overview)
  }
  output.write(
    terminalSummary(overview, {
      stream: output,
      results: relative(process.cwd(), `${directory}/${runFiles.results}`),
      ...(html !== undefined && { report: relative(process.cwd(), html) }),
    }),
  )
  return overview
}
