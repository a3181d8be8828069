import { join } from 'node:path'
import { type LaunchedBrowser, loadPlaywright } from '../browser/index.ts'
import { applies } from '../check/applicability.ts'
import type { CatalogueRequirement } from '../check/catalogue.ts'
import { RunContext } from '../check/run-context.ts'
import { checksOf, type Selection, select } from '../check/selection.ts'
import { loadSuites, type SuiteCheck } from '../check/suites.ts'
import type { PlumblineAllureReporter } from '../report/allure/reporter.ts'
import type { Overview } from '../report/overview.ts'
import type { RunResults } from '../results/results.ts'
import {
  newRun,
  type ResultsFile,
  type SelectedRequirement,
  type Stopped,
  selectedWith,
} from '../results/results-file.ts'
import { requireWritable, runFiles } from '../results/run-directory.ts'
import { enabledEffects } from '../target/profiles.ts'
import type { Target } from '../target/target.ts'
import { clearLine } from '../text/terminal.ts'
import type { BrowserDisplay } from './context.ts'
import { type CheckObserver, runDirectly } from './direct-run.ts'
import { endRun } from './end-run.ts'
import { type Estimate, shortages } from './estimate.ts'
import { longWaitsText } from './long-waits.ts'
import { type PreparedRun, prepareRun } from './prepare-run.ts'
import { Progress } from './progress.ts'
import { VitestReporter } from './vitest/reporter.ts'
import { loadVitest, runVitest } from './vitest/run.ts'
import { WaitNotice } from './wait-notice.ts'

interface RunChecksOptions extends BrowserDisplay {
  readonly target: Target
  readonly selection: Selection
  /** The requirements of the selection, if the caller has already determined them. */
  readonly requirements?: readonly CatalogueRequirement[]
  /** Whether to build the HTML report. */
  readonly report: boolean
  /** The stream for progress and summary. */
  readonly output: NodeJS.WriteStream
  /** A running browser; otherwise one is launched if a check needs it. */
  readonly browser?: LaunchedBrowser
  readonly signal?: AbortSignal
  /** When the command started; by default now. */
  readonly startedAt?: Date
  /** What executes the checks: Vitest by default, or `runDirectly` without a test runner and Allure results. */
  readonly runner?: 'vitest' | 'direct'
}

interface CheckRun {
  readonly results: RunResults
  readonly overview: Overview
  readonly directory: string
  readonly exitCode: number
}

/**
 * Starts to load Playwright and Vitest, to save time later. If loading fails, `launchBrowser` or `runVitest` reports
 * the error.
 */
export function preload(): void {
  for (const loading of [loadPlaywright(), loadVitest()]) loading.catch(() => undefined)
}

/**
 * Checks a target: runs the preflight and the checks, writes the files, and prints the summary. Afterwards, no
 * browser that it started is running.
 * @throws {SetupError} if the selection matches nothing, if a file cannot be written, or if `prepareRun` throws
 */
export async function runChecks(options: RunChecksOptions): Promise<CheckRun> {
  const { target, selection, output, signal, startedAt = new Date() } = options
  requireWritable(target.reportDir)
  const suites = await loadSuites()
  const requirements = options.requirements ?? select(suites.requirements, selection)
  const checks = checksOf(requirements, suites.checks)
  const prepared = await prepare(options, checks)
  try {
    const namesOf = (id: string) =>
      checks.flatMap(({ requirement, name }) => (requirement === id ? [name] : []))
    const selected = requirements.map((one) => selectedWith(one, namesOf(one.id)))
    const file = newRun(target.reportDir, factsOf(options, prepared), selected, startedAt)
    warnOfShortage(prepared.estimate, target, output)
    const stopped = await execute(prepared, checks, selected, file, options)
    // An interrupted run exits without building its report; `plumbline report` builds it later.
    const report = options.report && !signal?.aborted
    return { directory: file.directory, ...(await endRun(file, { stopped, output, report })) }
  } finally {
    await prepared.close()
  }
}

/** Runs the preflight, with a progress line on a terminal. */
async function prepare(
  { output, ...options }: RunChecksOptions,
  checks: readonly SuiteCheck[],
): Promise<PreparedRun> {
  const waitNotice = new WaitNotice(output)
  if (output.isTTY) output.write('Checking that the target is reachable…')
  try {
    const preparing = prepareRun({ ...options, checks, onPause: waitNotice.onPause })
    // Vitest loads meanwhile. If loading fails, `runVitest` reports the error.
    if (options.runner !== 'direct') loadVitest().catch(() => undefined)
    return await preparing
  } finally {
    waitNotice.stop()
    if (output.isTTY) output.write(clearLine)
  }
}

/** The facts of the run that are known before its first check. */
function factsOf({ target, selection }: RunChecksOptions, { browser }: PreparedRun) {
  const enabled = enabledEffects(target)
  return {
    kind: 'check' as const,
    target: target.name,
    hosts: target.hosts,
    software: { node: process.versions.node, browser: browser?.version ?? null },
    selection,
    ...(enabled.length > 0 && { enabled }),
    requestCap: target.requestBudget,
    loginCap: target.loginBudget,
  }
}

/** Warns, before the first check, if a budget is too small, and states the value to set. */
function warnOfShortage(estimate: Estimate, target: Target, output: NodeJS.WriteStream): void {
  const sentences = shortages(estimate, target)
  if (sentences.length === 0) return
  const consequence = 'Otherwise, checks that run after the budget is spent are inconclusive.'
  output.write(`${sentences.join('. ')}. ${consequence} The estimate is ${estimate.basis}.\n`)
}

/** Executes the checks, and adds each result to the file. @returns why checks have no result, if a suite crashed */
async function execute(
  prepared: PreparedRun,
  checks: readonly SuiteCheck[],
  selected: readonly SelectedRequirement[],
  file: ResultsFile,
  { target, output, signal, report, runner = 'vitest' }: RunChecksOptions,
): Promise<Stopped | undefined> {
  const run = new RunContext(prepared.options)
  const { requests } = prepared.estimate
  const longWaits = longWaitsText(
    checks.filter((check) => applies(check, target)),
    target,
  )
  const expected = { requests, requestsPerSecond: target.requestsPerSecond, waits: longWaits }
  const progress = new Progress(output, selected, { ...file.facts, expected })
  const observer: CheckObserver = {
    checkStarts: (requirement) => progress.checkStarts(requirement),
    checkEnds: (result, used) => {
      file.add(result, used)
      progress.checkEnds(result, used)
    },
  }
  run.budget.onPause = (until) => progress.paused(until)
  run.onWait = (waitMs, why) => progress.waits(waitMs, why)
  // From now on, the signal ends the run only after the current check. The budget must not refuse its requests,
  // because the check may have to undo a change.
  run.budget.ignoreSignal()
  progress.start()
  try {
    if (runner === 'direct') {
      await runDirectly(checks, run, observer, signal)
      return undefined
    }
    const reporter = new VitestReporter(observer)
    await runVitest({
      files: [...new Set(checks.map(({ file }) => file))],
      selectedIds: new Set(selected.map(({ id }) => id)),
      run,
      reporters: [reporter, ...(report ? [await allureReporter(file, selected)] : [])],
      signal,
    })
    return reporter.stopped()
  } finally {
    await run.close()
    progress.stop()
  }
}

/** Loads Allure only if a report is built. */
async function allureReporter(
  { directory, facts }: ResultsFile,
  selected: readonly SelectedRequirement[],
): Promise<PlumblineAllureReporter> {
  const { PlumblineAllureReporter } = await import('../report/allure/reporter.ts')
  const byId = new Map(selected.map((requirement) => [requirement.id, requirement]))
  return new PlumblineAllureReporter(
    join(directory, runFiles.allureResults),
    (id) => byId.get(id),
    facts.target,
  )
}
