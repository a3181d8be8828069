import { runProbes } from '../../../load/run-probes.ts'
import { tooFewLogins, type WorkloadOptions, workloadOf, workloadText } from '../../../load/workload.ts'
import { exitCodes } from '../../exit-codes.ts'
import { requireWritable } from '../../results/run-directory.ts'
import { type TargetOptions, withTarget } from '../../run/chosen-target.ts'
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
      const exitCode = await runProbes({ target, workload, output: process.stdout, signal, startedAt })
      return signal.aborted ? exitCodes.interrupted : exitCode
    } catch (error) {
      // Interrupted before the run started.
      if (signal.aborted) return exitCodes.interrupted
      throw error
    }
  }
  return withTarget(options, use, ['--limit', embeddedLimit, '--limit-by', 'client'])
}
