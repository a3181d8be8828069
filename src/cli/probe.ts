import { SetupError } from '../target/problem.ts'
import { exportScenario, importRecords } from './load/artillery.ts'
import type { ProbeCommandOptions } from './load/options.ts'
import { probe as runProbes } from './load/probe.ts'
import { showWhatIf } from './load/what-if.ts'
import { untilStopped } from './signals.ts'

/** `plumbline probe`: throttled load probes, or one of the things that go with them and send nothing. */
export async function probe(options: ProbeCommandOptions): Promise<void> {
  process.exitCode = await untilStopped('Stopping after the answers on their way', (signal) =>
    perform(options, signal),
  )
}

/**
 * @returns the exit code
 * @throws {SetupError} for options that do not go together
 */
async function perform(options: ProbeCommandOptions, signal: AbortSignal): Promise<number> {
  const aside = (['whatIf', 'export', 'import'] as const).filter((name) => options[name] !== undefined)
  if (aside.length > 1)
    throw new SetupError([
      { name: '--what-if, --export and --import', what: 'do different things; give one of them' },
    ])
  if (options.whatIf !== undefined) return showWhatIf(options.whatIf === true ? undefined : options.whatIf)
  if (options.export !== undefined) return exportScenario(options)
  if (options.import !== undefined) return importRecords(options.import, options)
  return runProbes(options, signal)
}
