import { checkRun } from '../run/check-run.ts'
import { exitCodeWithDrift } from '../run/exit-code.ts'
import { select } from '../run/selection.ts'
import { loadSuites } from '../run/suites.ts'
import { untilStopped } from './signals.ts'
import { type TargetOptions, withTarget } from './target.ts'

export interface CheckOptions extends TargetOptions {
  readonly only?: readonly string[]
  readonly area?: readonly string[]
  readonly headed?: boolean
  readonly report: boolean
  readonly failOn?: 'drift'
}

/** `plumbline check`: exit code by the verdicts, with --fail-on drift by drift too. */
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
        compare: true,
      })
      if (signal.aborted) return 130
      return options.failOn === 'drift' ? exitCodeWithDrift(run.exitCode, run.drift) : run.exitCode
    }),
  )
}
