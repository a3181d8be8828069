import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { driftOf } from '../compare/drift.ts'
import { readAlterations } from '../embedded/alterations.ts'
import { type PolicyAnswer, policyAnswer } from '../release/gate.ts'
import { type PastRun, runsBefore } from '../results/past-runs.ts'
import type { RunResults } from '../results/results.ts'
import { runFiles } from '../results/run-directory.ts'
import { readRun } from '../results/saved-run.ts'
import { writeAtomically } from '../results/stored-file.ts'
import { historyOf } from './history.ts'
import { junit } from './junit.ts'
import { readProof } from './last-proof.ts'
import { summaryMarkdown } from './markdown.ts'
import { type Overview, overviewOf } from './overview.ts'
import { faultsPage } from './pages/faults-page.ts'
import { historyPage } from './pages/history-page.ts'
import { overviewPage } from './pages/overview-page.ts'
import type { PageName } from './pages/page.ts'
import { requirementsPage } from './pages/requirements-page.ts'
import { probeCharts } from './probe-charts.ts'

interface ReportContent {
  readonly overview: Overview
  /** Earlier runs in the same folder, the newest first. */
  readonly past: readonly PastRun[]
}

/** Compares a run with earlier ones in its folder, and applies the project's release policy. */
export async function reportContent(runDirectory: string, results: RunResults): Promise<ReportContent> {
  const past = runsBefore(runDirectory)
  return { overview: overviewOf(results, driftOf(results, past), await policyAnswer(results, past)), past }
}

/** The address of the HTML report, relative to the directory of its run. */
const reportLink = runFiles.report.replaceAll('\\', '/')

interface ReportOptions {
  /** The content of the reports; by default read from results.json. */
  readonly content?: ReportContent
  /** Whether to build the HTML report; true by default. */
  readonly html?: boolean
  /** Receives one sentence if the HTML report could not be built. The other files are written even so. */
  readonly warn?: (sentence: string, error: Error) => void
}

/**
 * Writes the reports of a run, even of a killed run: the pages in report/, junit.xml and summary.md.
 * @returns the path of the HTML report; undefined without an HTML report
 * @throws {SetupError} if results.json is needed and cannot be read
 */
export async function writeReports(
  runDirectory: string,
  { content: known, html = true, warn = (sentence) => console.error(sentence) }: ReportOptions = {},
): Promise<string | undefined> {
  // A child process reads the faults and variants while this process compares the runs.
  if (html) void readAlterations()
  const content = known ?? (await reportContent(runDirectory, readRun(runDirectory)))
  const report = html ? await buildReport(runDirectory, content, warn) : undefined
  const { overview } = content
  // A report of an earlier call may exist.
  const link = existsSync(join(runDirectory, runFiles.report)) ? reportLink : undefined
  writeAtomically(join(runDirectory, runFiles.junit), junit(overview.results))
  writeAtomically(join(runDirectory, runFiles.summary), summaryMarkdown(overview, link))
  return report
}

/** @returns the path of the HTML report; undefined if it could not be built */
async function buildReport(
  runDirectory: string,
  content: ReportContent,
  warn: (sentence: string, error: Error) => void,
): Promise<string | undefined> {
  const report = join(runDirectory, runFiles.report)
  const folder = dirname(report)
  // An earlier report stays until the new one is complete.
  const pending = `${folder}.${process.pid}.tmp`
  try {
    const pages = await pagesOf(runDirectory, content)
    mkdirSync(pending)
    for (const [name, page] of Object.entries(pages)) writeAtomically(join(pending, name), page)
    rmSync(folder, { recursive: true, force: true })
    renameSync(pending, folder)
    return report
  } catch (error) {
    rmSync(pending, { recursive: true, force: true })
    const [reason] = (error as Error).message.trim().split('\n', 1)
    warn(`The HTML report could not be built (${reason}); the other results are complete.`, error as Error)
    return undefined
  }
}

/** Renders the first page and summary.md of a run with another release decision than its report shows. */
export function renderOverview(
  runDirectory: string,
  results: RunResults,
  policy: PolicyAnswer,
): { readonly page: string; readonly summary: string } {
  const overview = overviewOf(results, driftOf(results, runsBefore(runDirectory)), policy)
  return {
    page: overviewPage(overview, probeCharts(runDirectory, results)),
    summary: summaryMarkdown(overview, reportLink),
  }
}

async function pagesOf(
  runDirectory: string,
  { overview, past }: ReportContent,
): Promise<Record<PageName, string>> {
  // Loading Allure takes long, and only the HTML report needs it.
  const [{ allurePage }, { writeAllureResults }] = await Promise.all([
    import('./allure/page.ts'),
    import('./allure/write-results.ts'),
  ])
  const { results, drift } = overview
  const history = historyOf(results, past)
  const earlier = history.runs.filter((run) => run !== results)
  const files = writeAllureResults(runDirectory, results, drift)
  return {
    'index.html': overviewPage(overview, probeCharts(runDirectory, results)),
    'checks.html': await allurePage(results, files, earlier),
    'history.html': historyPage(results, history),
    'requirements.html': requirementsPage(results, history, await readAlterations()),
    'faults.html': faultsPage(results, await readAlterations(), await readProof()),
  }
}
