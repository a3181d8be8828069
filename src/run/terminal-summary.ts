import type { Comparison } from './compare/comparison.ts'
import { driftLine } from './compare/words.ts'
import type { RunResults } from './results.ts'
import { terminalOf } from './terminal.ts'
import {
  allChecks,
  budgetUsed,
  type CheckInRun,
  checksWith,
  counted,
  duration,
  notApplicableByReason,
  notDecidedByReason,
  type Style,
  verdictStyles,
  verdicts,
  verdictWords,
  wallTime,
  withoutCheck,
  wrap,
} from './text.ts'

export interface SummaryOptions {
  /** Where it is printed: decides on colours, as do NO_COLOR and FORCE_COLOR. */
  readonly stream: NodeJS.WriteStream
  /** Path of the HTML report; undefined where it was not built. */
  readonly report?: string
  /** Path of results.json. */
  readonly results: string
  /** How the run differs from the last comparable one; undefined where there is none. */
  readonly drift?: Comparison
}

/** What is printed when a run has ended: the verdicts, what needs somebody, and where the rest is. */
export function terminalSummary(run: RunResults, { stream, report, results, drift }: SummaryOptions): string {
  const { width, paint } = terminalOf(stream)
  const heading = (text: string) => ['', paint('bold', text)]
  /** A label and a text; further lines begin `hang` characters in. */
  const labelled = (label: string, text: string, hang: number, style: Style = 'dim') => {
    const [first = '', ...rest] = wrap(label + text, width, hang)
    return [paint(style, first.slice(0, label.length)) + first.slice(label.length), ...rest]
  }
  const part = (label: string, text: string) => labelled(`    ${label.padEnd(12)}`, text, 16)

  const counts = verdicts
    .filter((verdict) => run.totals[verdict] > 0)
    .map((verdict) => {
      const number = String(run.totals[verdict]).padStart(5)
      return `${paint(verdictStyles[verdict], `${number}  ${verdict.padEnd(14)}`)}  ${verdictWords[verdict]}`
    })

  const violated = ({ requirement, check }: CheckInRun) => [
    '',
    `  ${paint(verdictStyles.fail, requirement.id)}  ${paint('dim', requirement.section)}`,
    ...part('asks', requirement.statement),
    ...(check.sent === null ? part('check', check.name) : part('sent', check.sent)),
    ...(check.expectation ? part('acceptable', check.expectation.acceptable) : []),
    ...part('came', check.expectation?.came ?? check.reason ?? ''),
    `    ${paint('dim', 'repeat'.padEnd(12))}${check.reproduce}`,
  ]

  const failed = checksWith(run, 'fail')
  const undecided = [...notDecidedByReason(run)]
  const notes = allChecks(run).flatMap(({ requirement, check }) =>
    check.notes.map((note) => `${requirement.id}: ${note.text}`),
  )
  const notApplicable = [...notApplicableByReason(run)]
  const { pass, fail, inconclusive, observed } = run.totals
  const judgedNothing = pass + fail + inconclusive + observed === 0
  const unchecked = withoutCheck(run)
  const time = wallTime(run.run)
  return [
    '',
    paint('bold', `Plumbline ${run.run.version}, ${run.run.target}: ${run.run.hosts.join(', ')}`),
    totals(run),
    '',
    ...counts,
    ...(judgedNothing ? ['', paint('yellow', '  No requirement applied: nothing was judged.')] : []),
    '',
    `  ${[budgetUsed(run), ...(time === undefined ? [] : [duration(time)]), ...(run.run.completed ? [] : ['cut off before its end'])].join(', ')}`,
    ...(failed.length > 0 ? [...heading('Violated'), ...failed.flatMap(violated)] : []),
    ...(undecided.length > 0 ? heading('Not decided') : []),
    ...undecided.flatMap(([reason, ids]) =>
      labelled(
        `${String(ids.length).padStart(5)}  `,
        `${reason}: ${ids.join(', ')}`,
        7,
        verdictStyles.inconclusive,
      ),
    ),
    ...(checksWith(run, 'inconclusive').some(({ check }) => check.cause === 'configuration')
      ? ['', `  plumbline doctor --target ${run.run.target} says what to change`]
      : []),
    ...(notes.length > 0 ? heading('Notes') : []),
    ...notes.flatMap((note) => labelled('  ', note, 6)),
    ...(notApplicable.length + unchecked.length > 0 ? heading('Not applicable') : []),
    ...notApplicable.flatMap(([reason, ids]) =>
      labelled(`${String(ids.length).padStart(5)}  `, `${reason}: ${someOf(ids)}`, 7),
    ),
    ...(unchecked.length > 0
      ? labelled(
          `${String(unchecked.length).padStart(5)}  `,
          'without a check; `plumbline list --unchecked` says why',
          7,
        )
      : []),
    '',
    ...(drift ? wrap(`Drift: ${driftLine(drift)}`, width, 7) : []),
    report === undefined ? `Results: ${results}` : `Report: ${report}`,
    '',
  ].join('\n')
}

/** Why there are fewer requirements with checks than requirements is told further down. */
function totals(run: RunResults): string {
  const all = run.requirements.length
  const checked = all - withoutCheck(run).length
  const checks = counted(allChecks(run).length, 'check')
  const requirements = counted(all, 'requirement')
  return checked === all ? `${requirements}, ${checks}` : `${requirements}, ${checked} of them with ${checks}`
}

/** Ids that share a reason: a whole feature that is not there should not fill the screen. */
function someOf(ids: readonly string[]): string {
  const shown = 8
  if (ids.length <= shown + 1) return ids.join(', ')
  return `${ids.slice(0, shown).join(', ')}, and ${ids.length - shown} more (summary.md names them)`
}
