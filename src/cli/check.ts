import { checkRun } from '../run/check-run.ts'
import { select } from '../run/selection.ts'
import { loadSuites } from '../run/suites.ts'
import { type TargetOptions, withTarget } from './target.ts'

/** All that ask a run to end; what it started has to end with it. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

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
  const stop = new AbortController()
  const interrupt = () => {
    if (stop.signal.aborted) process.exit(130)
    console.error('\nStopping after the check that is running; again to stop at once.')
    stop.abort()
  }
  for (const signal of signals) process.on(signal, interrupt)
  try {
    process.exitCode = await withTarget(options, async (target) => {
      const run = await checkRun({
        target,
        selection,
        report: options.report,
        headed: options.headed ?? false,
        output: process.stdout,
        signal: stop.signal,
      })
      return stop.signal.aborted ? 130 : run.exitCode
    })
  } finally {
    for (const signal of signals) process.off(signal, interrupt)
  }
}
