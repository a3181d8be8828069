import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { driftOf } from '../compare/drift.ts'
import { type Alterations, readAlterations } from '../embedded/alterations.ts'
import { type PolicyAnswer, policyAnswer } from '../release/gate.ts'
import { type PastRun, runsBefore } from '../results/past-runs.ts'
import type { RunResults } from '../results/results.ts'
import { runFiles, writeAtomically } from '../results/run-directory.ts'
import { readRun } from '../results/saved-run.ts'
import { writeAllureResults } from './allure/run-results.ts'
import { historyOf } from './history.ts'
import { writeJunit } from './junit.ts'
import { summaryMarkdown, writeSummary } from './markdown.ts'
import { type Overview, overviewOf } from './overview.ts'
import { faultsPage } from './pages/faults-page.ts'
import { historyPage } from './pages/history-page.ts'
import { overviewPage } from './pages/overview-page.ts'
import type { PageName } from './pages/page.ts'
import { requirementsPage } from './pages/requirements-page.ts'
import { probeCharts } from './probe-charts.ts'
import { readProof } from './proof.ts'

/** What the reports of a run show. */
interface ReportContent {
  readonly overview: Overview
  /** Earlier runs in the same folder, the newest first. */
  readonly past: readonly PastRun[]
}

/** Compares a run with earlier ones in its folder, and applies the project's release policy. */
export async function reportContent(runDirectory: string, results: RunResults): Promise<ReportContent> {
  const past = runsBefore(runDirectory)
  return { overview: overviewOf(results, driftOf(results, past), await policyAnswer(results)), past }
}

/**
 * Writes junit.xml, summary.md and the pages in report/ of a run, including killed runs. Reads results.json unless the
 * content is known.
 * @param warn receives one sentence if the HTML report could not be built; the other files are written nevertheless
 * @param known the content, if the caller has it
 * @returns the path of the HTML report; undefined if it could not be built
 * @throws {SetupError} if the directory has no readable results.json
 */
export async function buildReport(
  runDirectory: string,
  warn: (sentence: string, error: Error) => void = (sentence) => console.error(sentence),
  known?: ReportContent,
): Promise<string | undefined> {
  // A separate process, which works meanwhile.
  const alterations = readAlterations()
  const content = known ?? (await reportContent(runDirectory, readRun(runDirectory)))
  const report = join(runDirectory, runFiles.report)
  const folder = dirname(report)
  let built = true
  try {
    const pages = await pagesOf(runDirectory, content, alterations)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    for (const [name, page] of Object.entries(pages)) writeAtomically(join(folder, name), page)
  } catch (error) {
    built = false
    await alterations.catch(() => undefined)
    rmSync(folder, { recursive: true, force: true })
    const [reason] = (error as Error).message.trim().split('\n', 1)
    warn(`The HTML report could not be built (${reason}); the other results are complete.`, error as Error)
  }
  writeJunit(runDirectory, content.overview.results)
  writeSummary(runDirectory, content.overview)
  return built ? report : undefined
}

/** The first page of a run and its summary.md, with another decision on the release than the report has. */
export function renderOverview(
  runDirectory: string,
  results: RunResults,
  policy: PolicyAnswer,
): { readonly page: string; readonly summary: string } {
  const overview = overviewOf(results, driftOf(results, runsBefore(runDirectory)), policy)
  return {
    page: overviewPage(overview, probeCharts(runDirectory, results)),
    summary: summaryMarkdown(overview, runFiles.report.replaceAll('\\', '/')),
  }
}

async function pagesOf(
  runDirectory: string,
  { overview, past }: ReportContent,
  alterations: Promise<Alterations>,
): Promise<Record<PageName, string>> {
  // Loading Allure takes long, and only a report needs it.
  const { allurePage } = await import('./allure/page.ts')
  const { results, drift } = overview
  const history = historyOf(results, past)
  const earlier = history.runs.filter((run) => run !== results)
  const files = writeAllureResults(runDirectory, results, drift)
  return {
    'index.html': overviewPage(overview, probeCharts(runDirectory, results)),
    'checks.html': await allurePage(results, files, earlier),
    'history.html': historyPage(results, history),
    'requirements.html': requirementsPage(results, history, await alterations),
    'faults.html': faultsPage(results, await alterations, readProof()),
  }
}
