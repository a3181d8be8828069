import { SetupError } from '../../target/problem.ts'
import { exportScenario, importRecords } from './artillery.ts'
import type { ProbeCommandOptions } from './options.ts'
import { probe } from './probe.ts'
import { showWhatIf } from './what-if.ts'

/**
 * `plumbline probe`: probes, or one of the things that go with them and send nothing.
 * @returns the exit code
 * @throws {SetupError} for options that do not go together
 */
export async function probeCommand(options: ProbeCommandOptions, signal: AbortSignal): Promise<number> {
  const aside = (['whatIf', 'export', 'import'] as const).filter((name) => options[name] !== undefined)
  if (aside.length > 1)
    throw new SetupError([
      { name: '--what-if, --export and --import', what: 'do different things; give one of them' },
    ])
  if (options.whatIf !== undefined) return showWhatIf(options.whatIf === true ? undefined : options.whatIf)
  if (options.export !== undefined) return exportScenario(options)
  if (options.import !== undefined) return importRecords(options.import, options)
  return probe(options, signal)
}
