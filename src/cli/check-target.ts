import { requiredPartsOf } from '../check/applicability.ts'
import type { CatalogueRequirement } from '../check/catalogue.ts'
import { requireChecks, type Selection, select } from '../check/selection.ts'
import { loadSuites, type Suites } from '../check/suites.ts'
import { githubAnnotations } from '../report/annotations.ts'
import { judgedRequests } from '../results/judged-requests.ts'
import type { StartingTarget, TargetOptions } from '../run/chosen-target.ts'
import { exitCodeWithDrift } from '../run/exit-code.ts'
import { reportDirectory } from '../run/report-directory.ts'
import { requirementsToRerun, rerunOf } from '../run/rerun.ts'
import { preload, runChecks } from '../run/run-checks.ts'
import { targetNameFrom } from '../target/environment.ts'
import { SetupError } from '../target/problem.ts'
import { counted, someOf, wrap } from '../text/format.ts'
import { widthOf } from '../text/terminal.ts'
import { printOverrides } from './overrides.ts'

export interface CheckCommandOptions extends TargetOptions {
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

/** Checks the target, and sets the exit code. */
export async function checkTarget(
  starting: StartingTarget,
  options: CheckCommandOptions,
  run: { readonly startedAt: Date; readonly slowMo: number; readonly signal: AbortSignal },
): Promise<void> {
  const suites = await loadSuites()
  const selected = selectedBy(options, suites)
  const rerun = options.rerunFailed ? failedRerunOf(selected, options, suites) : undefined
  if (options.rerunFailed) console.log(rerunLines(rerun, selected, options).join('\n'))
  if (options.rerunFailed && !rerun) return
  printOverrides(options.target)
  const { selection, requirements } = rerun ?? selected
  preload()
  const { exitCode, overview } = await runChecks({
    ...run,
    target: await starting.ready(requiredPartsOf(requirements.map(({ area }) => area))),
    selection,
    requirements,
    report: options.report,
    headed: options.headed,
    output: process.stdout,
  })
  if (!run.signal.aborted && options.annotations) process.stdout.write(githubAnnotations(overview))
  process.exitCode = options.failOn === 'drift' ? exitCodeWithDrift(exitCode, overview.drift) : exitCode
}

interface Selected {
  readonly selection: Selection
  readonly requirements: readonly CatalogueRequirement[]
}

/** Resolves `--only` and `--area`. @throws {SetupError} if they match no requirement with a check */
function selectedBy({ only = [], area = [] }: CheckCommandOptions, suites: Suites): Selected {
  const selection = { only, areas: area }
  const requirements = select(suites.requirements, selection)
  requireChecks(requirements, suites.checks)
  return { selection, requirements }
}

interface FailedRerun extends Selected {
  /** The requirements to run again. `requirements` also contains those whose requests they judge. */
  readonly ids: readonly string[]
  /** A sentence that explains why the run checks more than `ids`. */
  readonly why?: string
}

/**
 * The requirements of a selection that `--rerun-failed` runs again.
 * @returns undefined if there is nothing to run again
 * @throws {SetupError} if there is no earlier run
 */
function failedRerunOf(
  { requirements }: Selected,
  options: CheckCommandOptions,
  suites: Suites,
): FailedRerun | undefined {
  const reportDir = reportDirectory(options)
  const target = targetNameFrom(options.target)
  const judged = judgedRequests(suites)
  const failed = requirementsToRerun(reportDir, target, judged)
  if (!failed) {
    throw new SetupError({
      name: '--rerun-failed',
      what: `needs an earlier run, but there is no check of ${target} in ${reportDir}; run \`npx plumbline check\` first`,
    })
  }
  const ids = requirements.map(({ id }) => id).filter((id) => failed.has(id))
  return ids.length === 0 ? undefined : { ids, ...rerunOf(ids, suites.requirements, judged) }
}

function rerunLines(
  rerun: FailedRerun | undefined,
  { selection }: Selected,
  { target }: CheckCommandOptions,
): string[] {
  const width = widthOf(process.stdout)
  const when = `violated or inconclusive when last checked on ${targetNameFrom(target)}`
  if (!rerun) {
    const isAll = selection.only.length + selection.areas.length === 0
    const text = `Nothing to run again: no requirement${isAll ? '' : ' of this selection'} was ${when}.`
    return wrap(text, width, 2)
  }
  const heading = `Running ${counted(rerun.ids.length, 'requirement')} again, ${when}:`
  return [
    ...wrap(heading, width, 2),
    ...wrap(`  ${someOf(rerun.ids, '', 8)}`, width, 2),
    ...(rerun.why === undefined ? [] : wrap(rerun.why, width, 2)),
    '',
  ]
}
