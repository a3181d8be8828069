import { startTarget } from '../run/chosen-target.ts'
import { SetupError } from '../target/problem.ts'
import type { CheckCommandOptions } from './check-target.ts'
import { countOption } from './options.ts'
import { withInterruptedExitCode } from './signals.ts'

/** `plumbline check`: sets the exit code from the verdicts, and with `--fail-on drift` also from drift. */
export async function check(options: CheckCommandOptions): Promise<void> {
  const startedAt = new Date()
  if (options.watch) {
    const { watch } = await import('./watch.ts')
    return watch(process.argv.slice(2))
  }
  const slowMo = slowMoOf(options)
  const work = async (signal: AbortSignal) => {
    // An embedded provider starts while this process loads the suites.
    const starting = startTarget(options)
    try {
      const { checkTarget } = await import('./check-target.ts')
      await checkTarget(starting, options, { startedAt, slowMo, signal })
    } finally {
      await starting.close()
    }
  }
  await withInterruptedExitCode('Stopping after the current check', work)
}

function slowMoOf({ headed, slowMo }: CheckCommandOptions): number {
  if (slowMo !== undefined && !headed)
    throw new SetupError({
      name: '--slow-mo',
      what: 'needs --headed: without it there is no browser window to watch',
    })
  return countOption('--slow-mo', slowMo, 0, 500) ?? 0
}
