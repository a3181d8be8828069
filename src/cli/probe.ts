import { savedLimiters } from '../../load/saved-limiters.ts'
import { whatIf, whatIfLines } from '../../load/what-if/what-if.ts'
import { exitCodes } from '../exit-codes.ts'
import { reportDirectory } from '../run/report-directory.ts'
import { SetupError } from '../target/problem.ts'
import { minuteOf } from '../text/format.ts'
import { widthOf } from '../text/terminal.ts'
import { exportScenario, importRecords } from './load/artillery.ts'
import { type ProbeCommandOptions, probeTarget } from './load/probe-target.ts'
import { withGracefulStop } from './signals.ts'

/** `plumbline probe`: runs load probes, or a related task that sends nothing. */
export async function probe(options: ProbeCommandOptions): Promise<void> {
  process.exitCode = await withGracefulStop('Stopping after the pending responses', taskOf(options))
}

/**
 * What the options request: a function that returns the exit code.
 * @throws {SetupError} for options that exclude each other
 */
function taskOf(options: ProbeCommandOptions): (signal: AbortSignal) => Promise<number> {
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
  for (const found of savedLimiters(reportDirectory(), run)) {
    const answer = whatIf(found)
    const lines = typeof answer === 'string' ? [`  ${answer}`] : whatIfLines(answer, width)
    process.stdout.write(
      `${[`${found.endpoint}, probed ${minuteOf(found.startedAt)}`, ...lines, ''].join('\n')}\n`,
    )
  }
  return exitCodes.ok
}
