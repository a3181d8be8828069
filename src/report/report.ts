import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Status, type TestResult } from 'allure-js-commons'
import { createDefaultWriter } from 'allure-js-commons/sdk/reporter'
import type { Comparison } from '../compare/comparison.ts'
import { driftOf } from '../compare/drift.ts'
import { comparisonMarkdown } from '../compare/markdown.ts'
import { driftLine } from '../compare/words.ts'
import { readAlterations } from '../embedded/alterations.ts'
import { type PastRun, runsBefore } from '../results/past-runs.ts'
import { wallTime } from '../results/queries.ts'
import type { RunResults } from '../results/results.ts'
import { runFiles, writeAtomically } from '../results/run-directory.ts'
import { duration } from '../text/format.ts'
import { allurePage } from './allure/page.ts'
import { type AllureCheck, allureCheck, allureUnchecked, writeAttachments } from './allure/result.ts'
import { type History, historyOf } from './history.ts'
import { writeJunit } from './junit.ts'
import { faultsPage } from './pages/faults-page.ts'
import { requirementsPage } from './pages/requirements-page.ts'
import { readProof } from './proof.ts'
import { writeSummary } from './summary-markdown.ts'

/** The results of a run, finished or not. @throws {Error} when the directory holds none */
export function readResults(runDirectory: string): RunResults {
  return JSON.parse(readFileSync(join(runDirectory, runFiles.results), 'utf8')) as RunResults
}

/**
 * Makes junit.xml, summary.md and the pages in report/ of a run from its results.json, also of a run
 * that was killed.
 * @param warn takes one sentence when the HTML report could not be built, which harms nothing else
 * @param past the runs beside it that began before it, the newest first
 * @returns the path of the HTML report; undefined where it could not be built
 * @throws {Error} when the directory holds no results.json
 */
export async function buildReport(
  runDirectory: string,
  warn: (sentence: string) => void = console.error,
  past: readonly PastRun[] = runsBefore(runDirectory),
): Promise<string | undefined> {
  const results = readResults(runDirectory)
  const drift = driftOf(results, past)
  const folder = join(runDirectory, dirname(runFiles.report))
  let report: string | undefined
  try {
    writeAllureResults(runDirectory, results, drift)
    rmSync(folder, { recursive: true, force: true })
    report = await buildPages(runDirectory, results, historyOf(results, past))
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    const reason = firstLine((error as { stderr?: string }).stderr || (error as Error).message)
    warn(`The HTML report could not be built (${reason}); the other results are complete.`)
  }
  writeJunit(runDirectory, results)
  writeSummary(runDirectory, results, drift)
  return report
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? ''
}

/** The pages of the report, of which each needs what others find out. */
async function buildPages(runDirectory: string, results: RunResults, history: History): Promise<string> {
  // Most of the time is Allure's, in a process of its own, which has ended when this returns or throws.
  const own = ownPages(results, history)
  const [made] = await Promise.allSettled([allurePage(runDirectory, results, history), own])
  const pages = await own
  if (made.status === 'rejected') throw made.reason
  const report = made.value
  for (const [name, page] of Object.entries(pages)) writeAtomically(join(dirname(report), name), page)
  return report
}

async function ownPages(results: RunResults, history: History) {
  const alterations = await readAlterations()
  // The drawing of charts is loaded only by those who draw.
  const { historyPage } = await import('./pages/history-page.ts')
  return {
    'requirements.html': requirementsPage(results, history, alterations),
    'faults.html': faultsPage(results, alterations, readProof()),
    'history.html': await historyPage(results, history),
  }
}

/** Every check of the run that the reporter has not written yet, and every requirement without one. */
function writeAllureResults(runDirectory: string, results: RunResults, drift?: Comparison): void {
  const folder = join(runDirectory, runFiles.allureResults)
  mkdirSync(folder, { recursive: true })
  const writer = createDefaultWriter({ resultsDir: folder })
  for (const check of allureChecks(results, (path) => readFileSync(join(runDirectory, path)))) {
    const file = join(folder, `${check.result.uuid}-result.json`)
    if (existsSync(file)) {
      rewriteCause(file, check.result)
      continue
    }
    writeAttachments(folder, check)
    writeAtomically(file, JSON.stringify(check.result))
  }
  const { run: facts, budget } = results
  writeDrift(folder, drift, Date.parse(facts.finishedAt ?? facts.startedAt))
  const time = wallTime(facts)
  writer.writeEnvironmentInfo({
    target: facts.target,
    hosts: facts.hosts.join(', '),
    started: facts.startedAt,
    ...(time === undefined ? { finished: 'no, the run was cut off' } : { took: duration(time) }),
    requests: `${budget.requests} of ${budget.requestCap}, throttled ${budget.throttled}`,
    logins: `${budget.logins} of ${budget.loginCap}`,
    drift: drift === undefined ? 'no earlier run to compare with' : driftLine(drift),
    'broken means': 'inconclusive: not decided',
    'skipped means': 'not applicable',
    version: facts.version,
    run: facts.id,
  })
}

/** That a check follows from a violation is known when the run has ended only, and its result is written before. */
function rewriteCause(file: string, { status, labels, descriptionHtml = '' }: TestResult): void {
  const isFollower = labels.some(({ name, value }) => name === 'cause' && value === 'target')
  if (status !== Status.BROKEN || !isFollower) return
  const written = JSON.parse(readFileSync(file, 'utf8')) as TestResult
  writeAtomically(file, JSON.stringify({ ...written, labels, descriptionHtml }))
}

/** Drift as a page of the report beside the checks, with which it must not be counted. */
function writeDrift(folder: string, drift: Comparison | undefined, at: number): void {
  const source = 'drift-attachment.md'
  const globals = 'drift-globals.json'
  // The report may be built again when the run it was compared with is gone.
  for (const file of [source, globals]) rmSync(join(folder, file), { force: true })
  if (!drift) return
  const writer = createDefaultWriter({ resultsDir: folder })
  writer.writeAttachment(source, Buffer.from(comparisonMarkdown(drift)))
  const attachment = { name: 'Drift', type: 'text/markdown', source, timestamp: at }
  writer.writeGlobals(globals, { attachments: [attachment], errors: [] })
}

function allureChecks(results: RunResults, contentOf: (path: string) => Buffer): AllureCheck[] {
  const at = Date.parse(results.run.finishedAt ?? results.run.startedAt)
  const exchanges = new Map(results.exchanges.map((exchange) => [exchange.number, exchange]))
  return results.requirements.flatMap((requirement) => {
    const observations = results.observations.filter(
      (observation) => observation.requirement === requirement.id,
    )
    if (requirement.checks.length === 0) return [allureUnchecked(requirement, at)]
    return requirement.checks.map((check) => {
      const own = check.exchanges.flatMap((number) => exchanges.get(number) ?? [])
      // Runs of earlier versions do not say which check made an observation.
      const seen = observations.filter(({ check: by = check.name }) => by === check.name)
      return allureCheck(requirement, check, seen, own, at, contentOf)
    })
  })
}
