import type { TargetOptions } from '../../src/cli/target.ts'
import { SetupError } from '../../src/target/problem.ts'
import { exportScenario, importRecords } from './artillery.ts'
import { probe } from './probe.ts'
import { showWhatIf } from './what-if.ts'

/** Options of `plumbline probe`, as they were typed. */
export interface ProbeCommandOptions extends TargetOptions {
  readonly probe?: readonly string[]
  readonly endpoint?: readonly string[]
  readonly rate?: string
  readonly ownServer?: string
  readonly dryRun?: boolean
  /** True, or the run whose limiter is meant. */
  readonly whatIf?: true | string
  readonly export?: string
  readonly workers?: string
  readonly seconds?: string
  readonly import?: readonly string[]
}

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
