import { type LoadPlan, loginsOf, planFor, planText, stepsOf, tooFewLogins } from '../../../load/plan.ts'
import { ProbeProgress } from '../../../load/progress.ts'
import { ProbeRecords } from '../../../load/records.ts'
import { runProbes } from '../../../load/run-probes.ts'
import { executeCheck } from '../../check/execute.ts'
import { RunContext } from '../../check/run-context.ts'
import { loadSuites } from '../../check/suites.ts'
import { requireWritable } from '../../results/run-directory.ts'
import { withTarget } from '../../run/chosen-target.ts'
import { endRun } from '../../run/end-run.ts'
import { exitCodeOf } from '../../run/exit-code.ts'
import { preflight } from '../../run/preflight.ts'
import { launchFor } from '../../run/session.ts'
import { SetupError } from '../../target/problem.ts'
import type { Target } from '../../target/target.ts'
import { lineWidth } from '../../text/terminal.ts'
import { beginRun } from './begin-run.ts'
import type { ProbeCommandOptions } from './options.ts'

/** What the embedded provider is asked to limit, in requests and seconds, so that there is something to find. */
const embeddedLimit = '30/10'

/** `plumbline probe`: exit code as for checks; numbers are recorded and never decide it. */
export async function probe(options: ProbeCommandOptions, signal: AbortSignal): Promise<number> {
  const use = async (target: Target) => {
    const plan = planFor(target, {
      ...(options.probe && { probes: options.probe }),
      ...(options.endpoint && { endpoints: options.endpoint }),
      ...(options.rate !== undefined && { rate: options.rate }),
      ...(options.ownServer !== undefined && { ownServer: options.ownServer }),
    })
    if (!options.dryRun) requireWritable(target.reportDir)
    process.stdout.write(planText(plan, target, lineWidth(process.stdout)))
    const missing = tooFewLogins(plan, target)
    if (missing && !options.dryRun) throw new SetupError([missing])
    if (missing) process.stdout.write(`It would not begin: ${missing.name} ${missing.what}\n`)
    if (options.dryRun) return 0
    try {
      const exitCode = await probeRun(target, plan, process.stdout, signal)
      return signal.aborted ? 130 : exitCode
    } catch (error) {
      // Stopped before there was a run to end.
      if (signal.aborted) return 130
      throw error
    }
  }
  return withTarget(options, use, ['--limit', embeddedLimit])
}

/** Probes a target: preflight, probes, what the specification says about throttled answers, files, summary. */
async function probeRun(
  target: Target,
  plan: LoadPlan,
  output: NodeJS.WriteStream,
  signal: AbortSignal,
): Promise<number> {
  const hosts = plan.endpoints.map((endpoint) =>
    endpoint === 'event-search' ? ('partner-api' as const) : ('identity-provider' as const),
  )
  const resumes = await preflight(target, new Set(hosts), { signal })
  const browser = loginsOf(plan, target) === 0 ? undefined : await launchFor(target)
  const run = new RunContext({ target, resumes }, { signal, ...(browser && { browser: browser.browser }) })
  try {
    const judged = await throttlingChecks()
    const file = await beginRun({
      probes: stepsOf(plan, target),
      target: target.name,
      hosts: target.hosts,
      reportDir: target.reportDir,
      requestCap: target.load.maxRequests,
      loginCap: target.loginBudget,
      judged,
    })
    const progress = new ProbeProgress(output, target.load.maxRequests)
    const records = new ProbeRecords({ run, file, progress })
    await runProbes(run, plan, records, signal)
    progress.stop()
    for (const { definition, file: path } of judged) file.add(await executeCheck(definition, path, run))
    const results = file.finish(
      signal.aborted ? { cause: 'environment', reason: 'the run was stopped' } : undefined,
    )
    await endRun(file.directory, results, { output, report: true, compare: true })
    return exitCodeOf(results)
  } finally {
    await run.close()
    await browser?.close()
  }
}

/** The checks that look back at every 429 of a run: what probes met is judged by the same rules. */
async function throttlingChecks() {
  const { checks } = await loadSuites()
  return checks.filter(({ file }) => file.endsWith('platform/throttling.test.ts'))
}
