import { relative } from 'node:path'
import type { Overview } from '../report/overview.ts'
import { reportContent, writeReports } from '../report/report.ts'
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
  const html = await writeReports(directory, { content, html: report })
  output.write(
    terminalSummary(overview, {
      stream: output,
      results: relative(process.cwd(), `${directory}/${runFiles.results}`),
      ...(html !== undefined && { report: relative(process.cwd(), html) }),
    }),
  )
  return overview
}
