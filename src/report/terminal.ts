import type { Comparison } from '../compare/comparison.ts'
import { driftLine, sinceText } from '../compare/text.ts'
import {
  allChecks,
  budgetUsed,
  checksWith,
  idsWithoutCheck,
  inconclusiveByReason,
  notApplicableByReason,
  verdictStyles,
  verdicts,
  verdictTexts,
  wallTime,
} from '../results/queries.ts'
import type { RunResults } from '../results/results.ts'
import { counted, duration, type Style, someOf, wrap } from '../text/format.ts'
import { type Terminal, terminalOf } from '../text/terminal.ts'
import { findingLines } from './finding.ts'

/** Where the other ids are. */
const inSummary = ' (see summary.md)'

interface SummaryOptions {
  /** Where it is printed: decides on colours, as do NO_COLOR and FORCE_COLOR. */
  readonly stream: NodeJS.WriteStream
  /** Path of the HTML report; undefined where it was not built. */
  readonly report?: string
  /** Path of results.json. */
  readonly results: string
  /** How the run differs from the last comparable one; undefined where there is none. */
  readonly drift?: Comparison
}

/**
 * The summary of a run that has ended. What people read first comes last, next to the prompt: the verdicts and the path
 * of the report; above them what needs attention, and at the top what was left out.
 */
export function terminalSummary(run: RunResults, { stream, report, results, drift }: SummaryOptions): string {
  const terminal = terminalOf(stream)
  return [
    ...notApplicable(terminal, run),
    ...notes(terminal, run),
    ...undecided(terminal, run),
    ...violated(terminal, run, drift),
    ...totals(terminal, run),
    ...(drift ? wrap(`Drift: ${driftLine(drift)}`, terminal.width, 7) : []),
    report === undefined ? `Results: ${results}` : `Report: ${report}`,
    '',
  ].join('\n')
}

function notApplicable(terminal: Terminal, run: RunResults): string[] {
  const unchecked = idsWithoutCheck(run).length
  return terminal.part('Not applicable', [
    ...[...notApplicableByReason(run)].flatMap(([reason, ids]) =>
      numbered(terminal, ids.length, `${reason}: ${someOf(ids, inSummary)}`),
    ),
    ...(unchecked > 0
      ? numbered(terminal, unchecked, 'without a check; `plumbline list --unchecked` lists the reasons')
      : []),
  ])
}

function notes(terminal: Terminal, run: RunResults): string[] {
  const lines = allChecks(run).flatMap(({ requirement, check }) =>
    check.notes.flatMap((note) => wrap(`  ${requirement.id}: ${note.text}`, terminal.width, 6)),
  )
  return terminal.part('Notes', lines)
}

function undecided(terminal: Terminal, run: RunResults): string[] {
  const isMisconfigured = checksWith(run, 'inconclusive').some(({ check }) => check.cause === 'configuration')
  return terminal.part('Not decided', [
    ...[...inconclusiveByReason(run)].flatMap(([reason, ids]) =>
      numbered(terminal, ids.length, `${reason}: ${someOf(ids, inSummary, 8)}`, verdictStyles.inconclusive),
    ),
    ...(isMisconfigured ? ['', `  plumbline doctor --target ${run.run.target} shows what to change`] : []),
  ])
}

function violated({ part, paint, labelled }: Terminal, run: RunResults, drift?: Comparison): string[] {
  const row = (label: string, text: string) => labelled(`    ${label.padEnd(12)}`, text, 16, 'dim')
  const lines = checksWith(run, 'fail').flatMap(({ requirement: { id, section, statement }, check }) => {
    const since = drift?.violatedSince?.[id]
    return [
      '',
      `  ${paint(verdictStyles.fail, id)}  ${paint('dim', since ? `${section}, ${sinceText(since)}` : section)}`,
      ...row('requirement', statement),
      ...row('check', check.name),
      ...findingLines(check).flatMap(([label, text]) => row(label, text)),
      // A command stays on one line, to be copied.
      `    ${paint('dim', 'repeat'.padEnd(12))}${check.reproduce}`,
    ]
  })
  return part('Violated', lines)
}

function totals(terminal: Terminal, results: RunResults): string[] {
  const { run, totals: count } = results
  const time = wallTime(run)
  const used = [
    budgetUsed(results),
    ...(time === undefined ? [] : [duration(time)]),
    ...(run.completed ? [] : ['cut off before its end']),
  ]
  return [
    ...terminal.part(`Plumbline ${run.version}, ${run.target}: ${run.hosts.join(', ')}`, [size(results)]),
    '',
    ...verdicts
      .filter((verdict) => count[verdict] > 0)
      .flatMap((verdict) => {
        const label = `${String(count[verdict]).padStart(5)}  ${verdict.padEnd(14)}`
        return terminal.labelled(label, `  ${verdictTexts[verdict]}`, 7, verdictStyles[verdict])
      }),
    ...(verdicts.every((verdict) => verdict === 'not-applicable' || count[verdict] === 0)
      ? ['', terminal.paint('yellow', '  No requirement applied: nothing was judged.')]
      : []),
    '',
    ...wrap(`  ${used.join(', ')}`, terminal.width, 2),
    '',
  ]
}

/** How many requirements and checks the run has. */
function size(run: RunResults): string {
  const all = run.requirements.length
  const checked = all - idsWithoutCheck(run).length
  const checks = counted(allChecks(run).length, 'check')
  const requirements = counted(all, 'requirement')
  return checked === all ? `${requirements}, ${checks}` : `${requirements}, ${checked} of them with ${checks}`
}

function numbered(terminal: Terminal, count: number, text: string, style: Style = 'dim'): string[] {
  return terminal.labelled(`${String(count).padStart(5)}  `, text, 7, style)
}
