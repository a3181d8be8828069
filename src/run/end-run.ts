import { relative } from 'node:path'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import type { Overview } from '../report/overview.ts'
import { reportContent, writeReports } from '../report/report.ts'
import { terminalSummary } from '../report/terminal.ts'
import type { RunResults } from '../results/results.ts'
import type { ResultsFile, Stopped } from '../results/results-file.ts'
import { SetupError } from '../target/problem.ts'
import { exitCodeOfRun } from './exit-code.ts'

interface Ending {
  /** Why some checks have no result; undefined if nothing stopped the run. */
  readonly stopped: Stopped | undefined
  /** The stream for the summary. */
  readonly output: NodeJS.WriteStream
  /** Whether to build the HTML report. */
  readonly report: boolean
}

interface EndedRun {
  readonly results: RunResults
  readonly overview: Overview
  readonly exitCode: ExitCode
}

/**
 * Ends a run of checks or probes: writes its files, then prints the summary, even if a file cannot be written.
 * @throws {SetupError} if a file cannot be written. A run with a violation or a defect of Plumbline keeps its exit code
 *   instead, and only prints the error
 */
export async function endRun(file: ResultsFile, { stopped, output, report }: Ending): Promise<EndedRun> {
  const { directory } = file
  const results = file.finish(stopped)
  let unwritten: SetupError | undefined
  const attempt = async <T>(write: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await write()
    } catch (error) {
      if (!(error instanceof SetupError)) throw error
      unwritten ??= error
      return undefined
    }
  }
  await attempt(() => file.write())
  const content = await reportContent(directory, results)
  const { overview } = content
  const html = await attempt(() => writeReports(directory, { content, html: report }))
  output.write(
    terminalSummary(overview, {
      stream: output,
      directory: relative(process.cwd(), directory),
      ...(html !== undefined && { report: relative(process.cwd(), html) }),
    }),
  )
  if (stopped) output.write(`${stopped.reason}\n`)
  const exitCode = exitCodeOfRun(results, stopped)
  if (unwritten && exitCode !== exitCodes.violated && exitCode !== exitCodes.defect) throw unwritten
  if (unwritten) console.error(unwritten.message)
  return { results, overview, exitCode }
}
