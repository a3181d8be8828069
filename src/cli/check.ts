import { checkRun } from '../run/check-run.ts'
import { select } from '../run/selection.ts'
import { loadSuites } from '../run/suites.ts'
import { untilStopped } from './signals.ts'
import { type TargetOptions, withTarget } from './target.ts'

export interface CheckOptions extends TargetOptions {
  readonly only?: readonly string[]
  readonly area?: readonly string[]
  readonly headed?: boolean
  readonly report: boolean
}

/** `plumbline check`: exit code by the verdicts. */
export async function check(options: CheckOptions): Promise<void> {
  const selection = { only: options.only ?? [], areas: options.area ?? [] }
  // A selection that matches nothing is told before anything is started.
  select((await loadSuites()).requirements, selection)
  process.exitCode = await untilStopped('Stopping after the check that is running', (signal) =>
    withTarget(options, async (target) => {
      const run = await checkRun({
        target,
        selection,
        report: options.report,
        headed: options.headed ?? false,
        output: process.stdout,
        signal,
      })
      return signal.aborted ? 130 : run.exitCode
    }),
  )
}
