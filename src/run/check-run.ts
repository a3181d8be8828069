import { reasonNotApplicable } from '../check/applicability.ts'
import { type Selection, select } from '../check/selection.ts'
import { loadSuites, type SuiteCheck } from '../check/suites.ts'
import type { Comparison } from '../compare/comparison.ts'
import { version } from '../project.ts'
import { PlumblineAllureReporter } from '../report/allure/reporter.ts'
import type { RunResults } from '../results/results.ts'
import { ResultsFile, type SelectedRequirement } from '../results/results-file.ts'
import { createRunDirectory, newRunId, requireWritable } from '../results/run-directory.ts'
import type { Target } from '../target/target.ts'
import { endRun } from './end-run.ts'
import { exitCodeOf } from './exit-code.ts'
import { PlumblineReporter } from './plumbline-reporter.ts'
import { preflight } from './preflight.ts'
import { launchFor, recipeHosts } from './session.ts'
import { runVitest } from './vitest-run.ts'
import { WaitNotice } from './wait-notice.ts'

export interface CheckRunOptions {
  readonly target: Target
  readonly selection: Selection
  /** Whether the HTML report is built. */
  readonly report: boolean
  readonly headed: boolean
  /** Milliseconds that the browser waits before each step; 0 by default. */
  readonly slowMo?: number
  /** Where progress and summary go. */
  readonly output: NodeJS.WriteStream
  /** A browser that is running already; else one is launched when a check needs it. */
  readonly browserEndpoint?: string
  readonly signal?: AbortSignal
  /** Whether it is compared with the last comparable run; no by default. */
  readonly compare?: boolean
}

export interface CheckRun {
  readonly results: RunResults
  readonly directory: string
  readonly exitCode: number
  /** How it differs from the last comparable run; undefined where there is none, or it is not asked for. */
  readonly drift?: Comparison
}

/**
 * Checks a target: preflight, checks, files, summary. Everything it starts has ended when it returns.
 * @throws {SetupError} where the selection matches nothing, no browser starts, or an address is unreachable
 */
export async function checkRun(options: CheckRunOptions): Promise<CheckRun> {
  const { target, selection, output } = options
  // A recipe with a mistake is told before anything is sent.
  recipeHosts(target)
  requireWritable(target.reportDir)
  const suites = await loadSuites()
  const requirements = select(suites.requirements, selection)
  const ids = new Set(requirements.map(({ id }) => id))
  const checks = suites.checks.filter(({ definition }) => ids.has(definition.requirement))

  const browser =
    needsBrowser(checks, target) && options.browserEndpoint === undefined
      ? launchFor(target, options)
      : undefined
  const outOfReach: Record<string, string> = {}
  const waits = new WaitNotice(output)
  const clearLine = () => void (output.isTTY && output.write('\r\x1b[2K'))
  if (output.isTTY) output.write('asks whether all that is needed is there')
  try {
    const [resumes, launched] = await Promise.all([
      preflight(target, new Set(requirements.map(({ area }) => area)), {
        outOfReach,
        onPause: waits.onPause,
        ...(options.signal && { signal: options.signal }),
      }),
      browser,
    ])
    waits.stop()
    clearLine()
    const browserEndpoint = options.browserEndpoint ?? launched?.wsEndpoint

    const startedAt = new Date()
    const id = newRunId(target.name, startedAt)
    const directory = createRunDirectory(target.reportDir, id)
    const selected: SelectedRequirement[] = requirements.map((requirement) => ({
      id: requirement.id,
      area: requirement.area,
      section: requirement.section,
      level: requirement.level,
      statement: requirement.statement,
      reason: requirement.reason ?? null,
      checks: checks
        .filter(({ definition }) => definition.requirement === requirement.id)
        .map(({ definition }) => definition.name),
    }))
    const facts = {
      id,
      kind: 'check' as const,
      target: target.name,
      hosts: target.hosts,
      startedAt: startedAt.toISOString(),
      version,
      software: { node: process.versions.node, browser: launched?.version ?? null },
      selection,
      requestCap: target.requestBudget,
      loginCap: target.loginBudget,
    }
    const file = new ResultsFile(directory, facts, selected)
    const reporter = new PlumblineReporter(file, selected, output, facts)
    const allure = options.report ? [new PlumblineAllureReporter(directory, selected, target.name)] : []
    await runVitest({
      files: [...new Set(checks.map((check) => check.file))],
      selected: [...ids],
      run: {
        target,
        resumes,
        slowMo: options.slowMo ?? 0,
        outOfReach,
        waits: id,
        ...(browserEndpoint !== undefined && { browserEndpoint }),
      },
      reporters: [reporter, ...allure],
      ...(options.signal && { signal: options.signal }),
    })
    const broken = reporter.stopped()
    const results = file.finish(broken)
    // Who stops a run does not wait for its report: plumbline report builds it later.
    const report = options.report && !options.signal?.aborted
    const drift = await endRun(directory, results, { output, report, compare: options.compare ?? false })
    if (broken) output.write(`${broken.reason}\n`)
    return { results, directory, exitCode: exitCodeOf(results, broken), ...(drift && { drift }) }
  } finally {
    waits.stop()
    clearLine()
    await (await browser?.catch(() => undefined))?.close()
  }
}

function needsBrowser(checks: readonly SuiteCheck[], target: Target): boolean {
  return checks.some(
    ({ definition }) =>
      definition.effects?.includes('login') && reasonNotApplicable(definition, target) === undefined,
  )
}
