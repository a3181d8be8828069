import { ProbeRecorder } from '../../../load/probe-recorder.ts'
import { ProbeProgress } from '../../../load/progress.ts'
import { limitValues, nameOf, type ProbeResult } from '../../../load/result.ts'
import { runProbes } from '../../../load/run-probes.ts'
import {
  loginsOf,
  probeCommand,
  stepsOf,
  tooFewLogins,
  type Workload,
  type WorkloadOptions,
  workloadOf,
  workloadText,
} from '../../../load/workload.ts'
import { executeCheck } from '../../check/execute.ts'
import { RunContext } from '../../check/run-context.ts'
import { loadSuites, type SuiteCheck } from '../../check/suites.ts'
import { exitCodes } from '../../exit-codes.ts'
import { Budget } from '../../http/budget.ts'
import { newRun, type ResultsFile, type RunFacts } from '../../results/results-file.ts'
import { requireWritable } from '../../results/run-directory.ts'
import { type TargetOptions, withTarget } from '../../run/chosen-target.ts'
import { launchFor } from '../../run/context.ts'
import { endRun } from '../../run/end-run.ts'
import { nothingChecked, preflight, unreachableError } from '../../run/preflight.ts'
import { SetupError } from '../../target/problem.ts'
import type { Target } from '../../target/target.ts'
import { widthOf } from '../../text/terminal.ts'
import { printOverrides } from '../overrides.ts'

/** Options of `plumbline probe`, unparsed. */
export interface ProbeCommandOptions extends TargetOptions, WorkloadOptions {
  readonly dryRun?: boolean
  /** The run with the limiter, or true for the latest. */
  readonly whatIf?: true | string
  readonly export?: string
  readonly workers?: string
  readonly seconds?: string
  readonly import?: readonly string[]
}

/** The rate limit of the embedded provider for each client, in requests per seconds, so that probes find one. */
const embeddedLimit = '30/10'

/** Runs load probes. Measured numbers are recorded and do not affect the exit code. */
export async function probeTarget(options: ProbeCommandOptions, signal: AbortSignal): Promise<number> {
  const startedAt = new Date()
  const use = async (target: Target) => {
    const workload = workloadOf(target, options)
    if (!options.dryRun) requireWritable(target.reportDir)
    printOverrides(options.target)
    process.stdout.write(workloadText(workload, target, widthOf(process.stdout)))
    const missing = tooFewLogins(workload, target)
    if (missing && !options.dryRun) throw new SetupError(missing)
    if (missing) process.stdout.write(`The run would not start: ${missing.name} ${missing.what}\n`)
    if (options.dryRun) return exitCodes.ok
    try {
      const exitCode = await probeRun(target, workload, { output: process.stdout, signal, startedAt })
      return signal.aborted ? exitCodes.interrupted : exitCode
    } catch (error) {
      // Interrupted before the run started.
      if (signal.aborted) return exitCodes.interrupted
      throw error
    }
  }
  return withTarget(options, use, ['--limit', embeddedLimit, '--limit-by', 'client'])
}

/** Runs preflight, probes and the checks of throttled responses, then writes files and summary. */
async function probeRun(
  target: Target,
  workload: Workload,
  {
    output,
    signal,
    startedAt,
  }: { readonly output: NodeJS.WriteStream; readonly signal: AbortSignal; readonly startedAt: Date },
): Promise<number> {
  const hosts = workload.endpoints.map((endpoint) =>
    endpoint === 'event-search' ? ('partner-api' as const) : ('identity-provider' as const),
  )
  const budget = new Budget({ ...target, signal })
  const unreachable = await preflight(target, new Set(hosts), budget)
  if (Object.keys(unreachable).length > 0) throw unreachableError(unreachable, nothingChecked(target))
  const browser = loginsOf(workload, target) === 0 ? undefined : await launchFor(target)
  const run = new RunContext({ target, budget, ...(browser && { openAgent: browser.openAgent }) })
  try {
    const judging = (await loadSuites()).checks.filter(({ judgesThrottling }) => judgesThrottling)
    const file = await beginRun({
      probes: stepsOf(workload, target),
      target: target.name,
      hosts: target.hosts,
      reportDir: target.reportDir,
      requestCap: target.load.maxRequests,
      loginCap: target.loginBudget,
      judging,
      startedAt,
    })
    const progress = new ProbeProgress(output, target.load.maxRequests)
    await runProbes(run, workload, new ProbeRecorder({ run, file, progress }), signal)
    progress.stop()
    // A check run judges throttled responses only if it happens to be throttled.
    const reproduce = probeCommand(target, workload)
    for (const check of judging) file.add({ ...(await executeCheck(check, run)), reproduce })
    const stopped = { cause: 'environment', reason: 'the run was interrupted' } as const
    const ending = { stopped: signal.aborted ? stopped : undefined, output, report: true }
    return (await endRun(file, ending)).exitCode
  } finally {
    await run.close()
    await browser?.close()
  }
}

interface ProbeRunOptions extends Pick<RunFacts, 'target' | 'hosts' | 'requestCap' | 'loginCap'> {
  readonly probes: readonly Pick<ProbeResult, 'probe' | 'endpoint'>[]
  readonly reportDir: string
  /** Checks of the suites that judge the 429 responses to the probes. */
  readonly judging: readonly SuiteCheck[]
  /** When the command started; by default, the time of the call. */
  readonly startedAt?: Date
}

/** Creates the directory of a probe run, with a results.json that lists its checks. */
export async function beginRun(options: ProbeRunOptions): Promise<ResultsFile> {
  const { probes, judging, reportDir, startedAt = new Date(), ...rest } = options
  const { requirements } = await loadSuites()
  const selected = requirements.flatMap(({ id, area, section, level, statement }) => {
    const checks =
      id === limitValues
        ? probes.map(nameOf)
        : judging.flatMap((check) => (check.requirement === id ? [check.name] : []))
    return checks.length === 0 ? [] : [{ id, area, section, level, statement, reason: null, checks }]
  })
  const facts = { kind: 'probe' as const, ...rest, selection: { only: [], areas: [] } }
  return newRun(reportDir, facts, selected, startedAt)
}
