import { runProbes } from '../../load/run-probes.ts'
import { savedLimiters } from '../../load/saved-limiters.ts'
import { whatIf, whatIfLines } from '../../load/what-if/what-if.ts'
import { tooFewLogins, type WorkloadOptions, workloadOf, workloadText } from '../../load/workload.ts'
import { exitCodes } from '../exit-codes.ts'
import { requireWritable } from '../results/run-directory.ts'
import { withTarget } from '../run/chosen-target.ts'
import { reportDirectory } from '../run/report-directory.ts'
import { SetupError } from '../target/problem.ts'
import type { Target } from '../target/target.ts'
import { minuteOf } from '../text/format.ts'
import { widthOf } from '../text/terminal.ts'
import { type ArtilleryOptions, exportScenario, importRecords } from './load/artillery.ts'
import { printOverrides } from './overrides.ts'
import { withGracefulStop } from './signals.ts'

/** Options of `plumbline probe`, unparsed. */
interface ProbeOptions extends ArtilleryOptions, WorkloadOptions {
  readonly dryRun?: boolean
  /** The run with the limiter, or true for the latest. */
  readonly whatIf?: true | string
  readonly import?: readonly string[]
}

/** `plumbline probe`: runs load probes, or a related task that sends nothing. */
export async function probe(options: ProbeOptions): Promise<void> {
  process.exitCode = await withGracefulStop('Stopping after the pending responses', taskOf(options))
}

/**
 * The task that the options request, as a function that returns the exit code.
 * @throws {SetupError} for options that exclude each other
 */
function taskOf(options: ProbeOptions): (signal: AbortSignal) => Promise<number> {
  const { whatIf: run, import: records } = options
  const tasks = (['whatIf', 'export', 'import'] as const).filter((name) => options[name] !== undefined)
  if (tasks.length > 1)
    throw new SetupError({
      name: '--what-if, --export and --import',
      what: 'exclude each other: use one of them',
    })
  if (run !== undefined) return async () => showWhatIf(run === true ? undefined : run)
  if (options.export !== undefined) return () => exportScenario(options)
  if (records !== undefined) return () => importRecords(records, options)
  return (signal) => probeTarget(options, signal)
}

/** `plumbline probe --what-if`: simulates clients behind the limiters that a run identified. */
function showWhatIf(run: string | undefined): number {
  const width = widthOf(process.stdout)
  for (const limiter of savedLimiters(reportDirectory(), run)) {
    const answer = whatIf(limiter)
    const lines = typeof answer === 'string' ? [`  ${answer}`] : whatIfLines(answer, width)
    process.stdout.write(
      `${[`${limiter.endpoint}, probed ${minuteOf(limiter.startedAt)}`, ...lines, ''].join('\n')}\n`,
    )
  }
  return exitCodes.ok
}

/** The embedded provider that this command starts limits each client to 30 requests per 10 s, a limit to find. */
const embeddedLimit = '30/10'

/** Runs load probes. Measured numbers are recorded and do not affect the exit code. */
async function probeTarget(options: ProbeOptions, signal: AbortSignal): Promise<number> {
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
      const exitCode = await runProbes({ target, workload, output: process.stdout, signal, startedAt })
      return signal.aborted ? exitCodes.interrupted : exitCode
    } catch (error) {
      // `runProbes` throws if a signal ends the preparation of the run.
      if (signal.aborted) return exitCodes.interrupted
      throw error
    }
  }
  return withTarget(options, use, ['--limit', embeddedLimit, '--limit-by', 'client'])
}
