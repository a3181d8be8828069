import { executeCheck } from '../src/check/execute.ts'
import { RunContext } from '../src/check/run-context.ts'
import { loadSuites, type SuiteCheck } from '../src/check/suites.ts'
import { Budget } from '../src/http/budget.ts'
import { newRun, type ResultsFile, type RunFacts, selectedWith } from '../src/results/results-file.ts'
import { launchFor } from '../src/run/context.ts'
import { endRun } from '../src/run/end-run.ts'
import { nothingChecked, preflight, unreachableError } from '../src/run/preflight.ts'
import type { Target } from '../src/target/target.ts'
import { ProbeRecorder } from './probe-recorder.ts'
import { ProbeProgress } from './progress.ts'
import { limitValuesId, nameOf, type ProbeResult } from './result.ts'
import { runSteps } from './run-steps.ts'
import { hostsIn, loginsOf, probeCommand, stepsOf, type Workload } from './workload.ts'

interface RunProbesOptions {
  readonly target: Target
  readonly workload: Workload
  /** The stream for progress and summary. */
  readonly output: NodeJS.WriteStream
  readonly signal: AbortSignal
  /** When the command started. */
  readonly startedAt: Date
}

/**
 * Runs the probes of a workload (the chosen probes and endpoints). Preflight first verifies that the hosts can be
 * reached. After the probes, checks judge their 429 responses.
 * @returns the exit code
 */
export async function runProbes({
  target,
  workload,
  output,
  signal,
  startedAt,
}: RunProbesOptions): Promise<number> {
  const budget = new Budget({ ...target, signal })
  const unreachable = await preflight(target, hostsIn(workload), budget)
  if (Object.keys(unreachable).length > 0) throw unreachableError(unreachable, nothingChecked(target))
  const browser = loginsOf(workload, target) === 0 ? undefined : await launchFor(target)
  const run = new RunContext({ target, budget, ...(browser && { openAgent: browser.openAgent }) })
  try {
    // Checks of the suites that judge 429 responses. They run after the probes.
    const judging = (await loadSuites()).checks.filter(({ judgesThrottling }) => judgesThrottling)
    const file = await newProbeRun({
      probes: stepsOf(workload, target),
      target: target.name,
      hosts: target.hosts,
      reportDir: target.reportDir,
      requestCap: target.load.maxRequests,
      loginCap: target.loginBudget,
      judging,
      startedAt,
    })
    const progress = new ProbeProgress(output)
    await runSteps(run, workload, new ProbeRecorder(run, file, progress), signal)
    progress.stop()
    // These checks send no requests: they judge 429 responses of the probes. So the command that repeats a check is
    // the command that runs the probes.
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

interface NewProbeRunOptions extends Pick<RunFacts, 'target' | 'hosts' | 'requestCap' | 'loginCap'> {
  readonly probes: readonly Pick<ProbeResult, 'probe' | 'endpoint'>[]
  readonly reportDir: string
  /** Checks of the suites that judge the 429 responses to the probes. */
  readonly judging: readonly SuiteCheck[]
  /** When the command started; by default, the time of the call. */
  readonly startedAt?: Date
}

/** Creates the directory of a probe run, with a results.json that lists its checks. */
export async function newProbeRun(options: NewProbeRunOptions): Promise<ResultsFile> {
  const { probes, judging, reportDir, startedAt = new Date(), ...runFacts } = options
  const { requirements } = await loadSuites()
  const selected = requirements.flatMap((requirement) => {
    const { id } = requirement
    // Each probe is a check of the requirement `limitValuesId`.
    const checks =
      id === limitValuesId
        ? probes.map(nameOf)
        : judging.flatMap((check) => (check.requirement === id ? [check.name] : []))
    return checks.length === 0 ? [] : [selectedWith(requirement, checks)]
  })
  const facts = { kind: 'probe' as const, ...runFacts, selection: { only: [], areas: [] } }
  return newRun(reportDir, facts, selected, startedAt)
}
