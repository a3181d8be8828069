import { join } from 'node:path'
import { runFiles } from '../results/run-directory.ts'
import { budgetUsed, verdictStyles, verdicts } from '../results/text.ts'
import { counted, type Style, someOf, wrap } from '../text/format.ts'
import { linesWithCommand, type Terminal, terminalOf } from '../text/terminal.ts'
import { type Row, violationOf, whereText } from './finding.ts'
import {
  headings,
  notesText,
  type Overview,
  type Reason,
  stateAndBasis,
  type ViolatedRequirement,
} from './overview.ts'

/** Follows a shortened list of ids. */
const inSummary = ' (see summary.md)'

/** Width of the column of labels. Longer labels, such as `repeat the failed checks`, extend beyond it. */
const labelWidth = 'interpretation'.length

/** At most this many violated requirements are shown in full. For the others, only the ids are shown. */
const maxInFull = 20

interface SummaryOptions {
  /** The output stream. Whether it is a terminal, NO_COLOR and FORCE_COLOR decide on colours. */
  readonly stream: NodeJS.WriteStream
  /** Path of the HTML report; undefined if it was not built. */
  readonly report?: string
  /** The directory of the run. */
  readonly directory: string
}

/** The summary of a finished run, in the order of the first page of its report. */
export function terminalSummary(overview: Overview, { stream, report, directory }: SummaryOptions): string {
  const terminal = terminalOf(stream)
  return [
    ...answer(terminal, overview),
    ...measured(terminal, overview),
    ...violated(terminal, overview),
    ...inconclusive(terminal, overview),
    ...nothingApplied(terminal, overview),
    ...numbers(terminal, overview),
    `Summary: ${join(directory, runFiles.summary)}`,
    report === undefined ? `Results: ${join(directory, runFiles.results)}` : `Report: ${report}`,
    '',
  ].join('\n')
}

const toneStyles: Readonly<Record<Overview['answer']['tone'], Style>> = {
  fail: verdictStyles.fail,
  inconclusive: ['bold', 'yellow'],
  pass: ['bold', 'green'],
  none: 'bold',
}

function answer({ paint, width }: Terminal, { answer: one, facts, results, notChecked }: Overview): string[] {
  const { tone, notice, sentence, needed, offByDefault: off } = one
  const stateAndBasisText = stateAndBasis(one)
  return [
    '',
    ...(notice === undefined
      ? []
      : wrap(notice, width, 2).map((line) => paint(toneStyles.inconclusive, line))),
    ...wrap(sentence, width, 2).map((line) => paint(toneStyles[tone], line)),
    ...(off ? linesWithCommand(off.text, off.command, width) : []),
    ...(stateAndBasisText === '' ? [] : wrap(stateAndBasisText, width, 2)),
    ...(needed ? linesWithCommand(needed.text, needed.command, width) : []),
    ...notCheckedLines(notChecked, width),
    ...wrap(facts, width, 2),
    ...(results.run.completed ? [] : [paint('yellow', 'The run ended early')]),
  ]
}

function notCheckedLines(
  { text, planCommand, listCommand }: Overview['notChecked'],
  width: number,
): string[] {
  if (text === undefined) return []
  const commands = [planCommand, listCommand].flatMap((command) => command ?? [])
  const line = `${headings.notChecked}: ${text}`
  if (commands.length === 0) return wrap(`${line}${inSummary}`, width, 2)
  return [
    ...wrap(`${line}. The reasons are in summary.md. To see before a run what it would not check:`, width, 2),
    ...commands.map((command) => `  ${command}`),
  ]
}

function violated(terminal: Terminal, { violations, violationRemedy }: Overview): string[] {
  const otherIds = violations.slice(maxInFull).map(({ requirement }) => requirement.id)
  return terminal.part(headings.violated, [
    ...(violations.length === 0 ? [] : wrap(`  ${violationRemedy}`, terminal.width, 4)),
    ...violations.slice(0, maxInFull).flatMap((one) => ['', ...violation(terminal, one)]),
    ...(otherIds.length === 0
      ? []
      : [
          '',
          ...wrap(
            `  ${counted(otherIds.length, 'more requirement')}: ${otherIds.join(', ')}`,
            terminal.width,
            4,
          ),
        ]),
  ])
}

function violation(
  { paint, labelled }: Terminal,
  { requirement, checks, since }: ViolatedRequirement,
): string[] {
  const parts = violationOf(requirement, checks)
  const row = ([label, content]: Row) => {
    const name = `    ${label.padEnd(labelWidth)} `
    return typeof content === 'string'
      ? labelled(name, content, name.length, 'dim')
      : [`${paint('dim', name)}${content.command}`]
  }
  return [
    `  ${paint(verdictStyles.fail, requirement.id)}  ${paint('dim', whereText(requirement.section, since))}`,
    ...[...parts.requirement, ...parts.checks.flat(), ...parts.repeat].flatMap(row),
  ]
}

function inconclusive(terminal: Terminal, overview: Overview): string[] {
  const { paint, width } = terminal
  const lines = overview.inconclusive.flatMap(({ title, remedy, command, reasons }) => [
    '',
    ...wrap(`  ${title}. ${remedy}`, width, 4).map((line) => paint(verdictStyles.inconclusive, line)),
    ...(command === undefined ? [] : [`    ${command}`]),
    ...reasons.flatMap((reason) => reasonLines(terminal, reason)),
  ])
  return terminal.part(headings.inconclusive, lines)
}

function reasonLines({ labelled }: Terminal, { before, ids, after }: Reason): string[] {
  // A single id needs no number before it.
  const label = ids.length === 1 ? '' : `${counted(ids.length, 'requirement')}: `
  return labelled(`    - ${label}`, `${before}${someOf(ids, inSummary, 8)}${after}`, 6, 'dim')
}

function measured({ part, width }: Terminal, overview: Overview): string[] {
  return part(
    headings.measured,
    overview.measured.flatMap(({ text }) => wrap(`  ${text}`, width, 4)),
  )
}

/** If no requirement was applicable, the reasons: the user has to act on them. */
function nothingApplied(terminal: Terminal, { results, notChecked }: Overview): string[] {
  if (results.totals['not-applicable'] < results.requirements.length) return []
  const lines = notChecked.levels
    .flatMap(({ notApplicable }) => notApplicable)
    .flatMap((reason) => reasonLines(terminal, reason))
  return terminal.part(headings.notChecked, lines)
}

/** Drift, verdicts, budget, and the number of notes. */
function numbers({ width }: Terminal, overview: Overview): string[] {
  const { results, drift, driftText, size, notes } = overview
  const counts = verdicts
    .filter((verdict) => results.totals[verdict] > 0)
    .map((verdict) => `${results.totals[verdict]} ${verdict}`)
  const lines = [
    ...(drift ? [`${headings.drift} ${driftText}`] : []),
    `${size.requirements}: ${counts.join(', ')}; ${size.checks}`,
    budgetUsed(results),
    ...(notes.length === 0 ? [] : [`${headings.notes}: ${notesText(overview)}${inSummary}`]),
  ]
  return ['', ...lines.flatMap((line) => wrap(line, width, 2)), '']
}
