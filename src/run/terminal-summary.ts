import { styleText } from 'node:util'
import type { RunResults } from './results.ts'
import {
  allChecks,
  budgetUsed,
  duration,
  type Finding,
  findings,
  notApplicableByReason,
  type Style,
  verdictStyles,
  verdicts,
  verdictWords,
  wallTime,
  wrap,
} from './text.ts'

export interface SummaryOptions {
  /** Where it is printed: decides on colours, as do NO_COLOR and FORCE_COLOR. */
  readonly stream: NodeJS.WriteStream
  /** Path of the HTML report; undefined where it was not built. */
  readonly report?: string
  /** Path of results.json. */
  readonly results: string
}

/** What is printed when a run has ended: the verdicts, what needs somebody, and where the rest is. */
export function terminalSummary(run: RunResults, { stream, report, results }: SummaryOptions): string {
  const width = Math.min(Math.max(stream.columns ?? 100, 60), 100)
  const paint = (style: Style, text: string) => styleText(style, text, { stream })
  const heading = (text: string) => ['', paint('bold', text)]
  const hanging = (label: string, text: string, indent = 2) => {
    const start = `${' '.repeat(indent)}${label}`
    const [first = '', ...rest] = wrap(text, width - start.length)
    return [
      `${' '.repeat(indent)}${paint('dim', label)}${first}`,
      ...rest.map((line) => `${' '.repeat(start.length)}${line}`),
    ]
  }

  const counts = verdicts
    .filter((verdict) => run.totals[verdict] > 0)
    .map((verdict) => {
      const number = String(run.totals[verdict]).padStart(5)
      return `${paint(verdictStyles[verdict], `${number}  ${verdict.padEnd(14)}`)}  ${verdictWords[verdict]}`
    })

  const violated = ({ requirement, check }: Finding) => [
    '',
    `  ${paint(verdictStyles.fail, requirement.id)}  ${paint('dim', requirement.section)}`,
    ...hanging('asks        ', requirement.statement, 4),
    ...hanging('sent        ', check.sent ?? check.name, 4),
    ...(check.expectation
      ? [
          ...hanging('acceptable  ', check.expectation.acceptable, 4),
          ...hanging('came        ', check.expectation.came, 4),
        ]
      : hanging('came        ', check.reason ?? '', 4)),
    `    ${paint('dim', 'repeat      ')}${check.reproduce}`,
  ]

  const failed = findings(run, 'fail')
  const undecided = findings(run, 'inconclusive')
  const notes = allChecks(run).flatMap(({ requirement, check }) =>
    check.notes.map((note) => `${requirement.id}: ${note.text}`),
  )
  const notApplicable = [...notApplicableByReason(run)]
  const time = wallTime(run.run)
  return [
    '',
    paint('bold', `Plumbline ${run.run.version}, ${run.run.target}: ${run.run.hosts.join(', ')}`),
    '',
    ...counts,
    '',
    `  ${[budgetUsed(run), ...(time === undefined ? ['not finished'] : [duration(time)])].join(', ')}`,
    ...(failed.length > 0 ? [...heading('Violated'), ...failed.flatMap(violated)] : []),
    ...(undecided.length > 0 ? heading('Not decided') : []),
    ...undecided.flatMap(({ requirement, check }) =>
      hanging(`${requirement.id} (${check.cause}): `, check.reason ?? ''),
    ),
    ...(notes.length > 0 ? heading('Notes') : []),
    ...notes.flatMap((note) => hanging('', note)),
    ...(notApplicable.length > 0 ? heading('Not applicable') : []),
    ...notApplicable.flatMap(([reason, ids]) =>
      hanging(`${ids.length}  `.padStart(5), `${reason}: ${ids.join(', ')}`),
    ),
    '',
    report === undefined ? `Results: ${results}` : `Report: ${report}`,
    '',
  ].join('\n')
}
