import { requireChecks, type Selection, select } from '../check/selection.ts'
import { loadSuites } from '../check/suites.ts'
import { githubAnnotations } from '../report/annotations.ts'
import { checkRun } from '../run/check-run.ts'
import { reportDirectory, type TargetOptions, withTarget } from '../run/chosen-target.ts'
import { exitCodeWithDrift } from '../run/exit-code.ts'
import { unfinishedOf } from '../run/rerun.ts'
import { targetNameFrom } from '../target/environment.ts'
import { SetupError } from '../target/problem.ts'
import { counted, wrap } from '../text/format.ts'
import { terminalOf } from '../text/terminal.ts'
import { countOption } from './options.ts'
import { untilInterrupted } from './signals.ts'

interface CheckCommandOptions extends TargetOptions {
  readonly only?: readonly string[]
  readonly area?: readonly string[]
  readonly headed?: boolean
  readonly slowMo?: string
  readonly rerunFailed?: boolean
  readonly watch?: boolean
  readonly report: boolean
  readonly failOn?: 'drift'
  readonly annotations?: 'github'
}

/** `plumbline check`: exit code by the verdicts, with --fail-on drift by drift too. */
export async function check(options: CheckCommandOptions): Promise<void> {
  if (options.watch) {
    const { watch } = await import('./watch.ts')
    return watch(process.argv.slice(2))
  }
  const slowMo = slowMoOf(options)
  const selection = await selectionOf(options)
  if (!selection) return
  const work = (signal: AbortSignal) =>
    withTarget(options, async (target) => {
      const run = await checkRun({
        target,
        selection,
        report: options.report,
        headed: options.headed ?? false,
        slowMo,
        output: process.stdout,
        signal,
        compare: true,
      })
      if (!signal.aborted && options.annotations)
        process.stdout.write(githubAnnotations(run.results, run.drift))
      process.exitCode =
        options.failOn === 'drift' ? exitCodeWithDrift(run.exitCode, run.drift) : run.exitCode
    })
  await untilInterrupted(work, 'Stopping after the check that is running')
}

function slowMoOf({ headed, slowMo }: CheckCommandOptions): number {
  if (slowMo !== undefined && !headed)
    throw new SetupError([
      { name: '--slow-mo', what: 'is for --headed: there is nothing to watch otherwise' },
    ])
  return countOption('--slow-mo', slowMo, 0) ?? 0
}

/**
 * What the options select, told before anything is started.
 * @returns undefined where nothing is left to be run again
 * @throws {SetupError} where the selection matches nothing
 */
async function selectionOf({
  only = [],
  area = [],
  ...options
}: CheckCommandOptions): Promise<Selection | undefined> {
  const selection = { only, areas: area }
  const { requirements, checks } = await loadSuites()
  const selected = select(requirements, selection)
  requireChecks(selected, checks)
  if (!options.rerunFailed) return selection
  const reportDir = reportDirectory(options)
  const target = targetNameFrom(options.target, process.env, process.cwd())
  const before = unfinishedOf(reportDir, target)
  if (!before) {
    throw new SetupError([
      {
        name: '--rerun-failed',
        what: `finds no check of ${target} in ${reportDir}; run plumbline check first`,
      },
    ])
  }
  const again = selected.map(({ id }) => id).filter((id) => before.ids.includes(id))
  if (again.length === 0) {
    console.log(
      `Nothing to run again: of what is selected, ${before.run} found nothing violated or undecided.`,
    )
    return undefined
  }
  const { width } = terminalOf(process.stdout)
  const heading = `Again ${counted(again.length, 'requirement')} that ${before.run} found violated or undecided:`
  console.log([...wrap(heading, width, 2), ...wrap(`  ${again.join(', ')}`, width, 2), ''].join('\n'))
  return { only: again, areas: [] }
}
