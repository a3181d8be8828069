import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Comparison } from '../compare/comparison.ts'
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
import { overviewOf } from './overview.ts'
import { faultsPage } from './pages/faults-page.ts'
import { historyPage } from './pages/history-page.ts'
import { overviewPage } from './pages/overview-page.ts'
import type { PageName } from './pages/page.ts'
import { requirementsPage } from './pages/requirements-page.ts'
import { probeCharts } from './probe-charts.ts'
import { readProof } from './proof.ts'

/** What surrounds the results of a run. */
export interface Surroundings {
  /** Earlier runs in the same folder, the newest first. */
  readonly past: readonly PastRun[]
  /** The drift from the last comparable run; undefined if there is none. */
  readonly drift: Comparison | undefined
  /** The decision by the project's release policy; undefined if there is none. */
  readonly policy: PolicyAnswer | undefined
}

export async function surroundingsOf(runDirectory: string, results: RunResults): Promise<Surroundings> {
  const past = runsBefore(runDirectory)
  return { past, drift: driftOf(results, past), policy: await policyAnswer(results) }
}

/**
 * Writes junit.xml, summary.md and the pages in report/ of a run from its results.json, including killed runs.
 * @param warn receives one sentence if the HTML report could not be built; the other files are written nevertheless
 * @param known the surroundings of the run, if the caller has them
 * @returns the path of the HTML report; undefined if it could not be built
 * @throws {SetupError} if the directory has no readable results.json
 */
export async function buildReport(
  runDirectory: string,
  warn: (sentence: string, error: Error) => void = (sentence) => console.error(sentence),
  known?: Surroundings,
): Promise<string | undefined> {
  const results = readRun(runDirectory)
  // A separate process, which works meanwhile.
  const alterations = readAlterations()
  const surroundings = known ?? (await surroundingsOf(runDirectory, results))
  const report = join(runDirectory, runFiles.report)
  const folder = dirname(report)
  let built = true
  try {
    const pages = await pagesOf(runDirectory, results, surroundings, alterations)
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
  writeJunit(runDirectory, results)
  writeSummary(runDirectory, results, surroundings.drift, surroundings.policy)
  return built ? report : undefined
}

/** The first page of a run and its summary.md, with another decision on the release than the report has. */
export function renderOverview(
  runDirectory: string,
  results: RunResults,
  policy: PolicyAnswer,
): { readonly page: string; readonly summary: string } {
  const drift = driftOf(results, runsBefore(runDirectory))
  const overview = overviewOf(results, drift, policy)
  return {
    page: overviewPage(overview, probeCharts(runDirectory, results)),
    summary: summaryMarkdown(results, runFiles.report.replaceAll('\\', '/'), drift, policy),
  }
}

async function pagesOf(
  runDirectory: string,
  results: RunResults,
  { drift, past, policy }: Surroundings,
  alterations: Promise<Alterations>,
): Promise<Record<PageName, string>> {
  // Loading Allure takes long, and only a report needs it.
  const { allurePage } = await import('./allure/page.ts')
  const history = historyOf(results, past)
  const earlier = history.runs.filter((run) => run !== results)
  const files = writeAllureResults(runDirectory, results, drift)
  return {
    'index.html': overviewPage(overviewOf(results, drift, policy), probeCharts(runDirectory, results)),
    'checks.html': await allurePage(results, files, earlier),
    'history.html': historyPage(results, history),
    'requirements.html': requirementsPage(results, history, await alterations),
    'faults.html': faultsPage(results, await alterations, readProof()),
  }
}
