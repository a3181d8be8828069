import { driftMarkdown } from '../compare/text.ts'
import { checksWith, countsByArea } from '../results/queries.ts'
import type { RunResults } from '../results/results.ts'
import {
  basisOf,
  budgetUsed,
  endedEarly,
  observationName,
  valueText,
  verdicts,
  verdictTexts,
} from '../results/text.ts'
import { capitalized } from '../text/format.ts'
import { code, plain, prose, section, table, withCommand } from '../text/markdown.ts'
import { type Row, violationOf, whereText } from './finding.ts'
import {
  headings,
  type InconclusiveGroup,
  type NotChecked,
  type Overview,
  type Reason,
  stateAndBasis,
  type ViolatedRequirement,
} from './overview.ts'

/**
 * summary.md: a run for the job summary of CI, in the order of the first page of its report.
 * @param report address of the HTML report, relative to summary.md; undefined if there is none
 */
export function summaryMarkdown(overview: Overview, report?: string): string {
  const { results, drift, answer, facts, size, notChecked, changedText } = overview
  const observations = results.observations.map(({ key, value, requirement }) => [
    plain(observationName(key)),
    plain(valueText(value)),
    requirement,
  ])
  return [
    `# Plumbline: ${results.run.target}`,
    '',
    ...(answer.notice === undefined ? [] : [`**${plain(answer.notice)}**`, '']),
    `**${plain(answer.sentence)}** ${plain(stateAndBasis(answer))}`.trim(),
    ...(answer.offByDefault ? ['', withCommand(answer.offByDefault.text, answer.offByDefault.command)] : []),
    ...(answer.needed ? ['', withCommand(answer.needed.text, answer.needed.command)] : []),
    '',
    ...(notChecked.text === undefined
      ? []
      : [
          `${headings.notChecked}: ${plain(notChecked.text)}; see [${headings.notChecked}](#not-checked) below.`,
          '',
        ]),
    ...(results.run.kind === 'check' ? [`${plain(changedText)}`, ''] : []),
    `${plain(facts)}.`,
    ...(results.run.completed ? [] : ['', endedEarly]),
    ...(report === undefined ? [] : ['', `[HTML report](${report})`]),
    ...section(headings.measured, noteList(overview.measured)),
    ...section(
      headings.violated,
      introduced(overview.violationRemedy, overview.violations.flatMap(violation)),
    ),
    ...section(headings.inconclusive, overview.inconclusive.flatMap(inconclusive)),
    ...(drift ? section(headings.drift, driftMarkdown(drift)) : []),
    ...section(headings.numbers, [
      `${size.requirements}; ${size.checks}; ${budgetUsed(results)}.`,
      '',
      ...verdictTable(results),
      '',
      ...areaTable(results),
    ]),
    ...section(headings.notes, introduced('No verdict depends on these notes:', noteList(overview.notes))),
    ...section('Observations', table(['key', 'value', 'requirement'], observations)),
    ...section(headings.notChecked, unchecked(notChecked)),
    ...section(headings.partlyChecked, partlyChecked(notChecked)),
    ...section('Data behind the passing checks', introduced(basesIntroduction, bases(results))),
    '',
  ].join('\n')
}

/** A requirement with a line for each failed check, and a line for each command that repeats some of these checks. */
function violation({ requirement, checks, since }: ViolatedRequirement): string[] {
  const { id, section } = requirement
  const parts = violationOf(requirement, checks)
  const row = ([label, content]: Row) =>
    `${label}: ${typeof content === 'string' ? prose(content) : code(content.command)}`
  const items = [
    ...parts.requirement.map((one) => [one]),
    ...parts.checks,
    ...parts.repeat.map((one) => [one]),
  ]
  return [
    `- ${bold(id)} (${plain(whereText(section, since))})`,
    ...items.map((rows) => `  - ${capitalized(rows.map(row).join('; '))}`),
  ]
}

function noteList(notes: Overview['notes']): string[] {
  return notes.map(({ id, text }) => `- ${bold(id)}: ${prose(text)}`)
}

function inconclusive({ title, remedy, command, reasons }: InconclusiveGroup): string[] {
  return [
    `- ${title}. ${withCommand(remedy, command)}`,
    ...reasons.map((reason) => `  ${reasonItem(reason)}`),
  ]
}

function verdictTable({ totals }: RunResults): string[] {
  const rows = verdicts.map((verdict) => [verdict, String(totals[verdict]), verdictTexts[verdict]])
  return table(['verdict', 'requirements', 'meaning'], rows)
}

function areaTable(results: RunResults): string[] {
  const rows = countsByArea(results).map(({ area, counts }) => [
    area,
    ...verdicts.map((verdict) => String(counts[verdict])),
  ])
  return table(['area', ...verdicts], rows)
}

function reasonItem({ before, ids, after }: Reason): string {
  return `- ${prose(before)}${ids.map(bold).join(', ')}${prose(after)}`
}

/** The reasons for missing checks are the same in every run, so the text shows only the command that lists them. */
function unchecked({ levels, listCommand }: NotChecked): string[] {
  const before = `no check, for the reasons that \`${listCommand}\` lists: `
  return levels.flatMap(({ title, notApplicable, withoutCheck }) => [
    `- ${title}`,
    ...notApplicable.map((reason) => `  ${reasonItem(reason)}`),
    ...(withoutCheck.length === 0
      ? []
      : [`  ${reasonItem({ before, ids: withoutCheck.flatMap(({ ids }) => ids), after: '' })}`]),
  ])
}

/** Requirements with some checks that were applicable, and others that were not. `unchecked` omits these. */
function partlyChecked({ inPart: { text, reasons } }: NotChecked): readonly string[] {
  return introduced(`${text}. The reasons for the checks that were not applicable:`, reasons.map(reasonItem))
}

const basesIntroduction =
  'Each number is an amount of data, or a time, on which the verdict of the check is based. *From requests sent before this check*: the check sent no request, but judged those of earlier checks or probes. *Of this check and earlier requests*: it judged its own requests and earlier ones.'

/** A sentence and its items; empty if there are no items. */
function introduced(introduction: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? items : [introduction, '', ...items]
}

/** Each passing check that recorded its basis: the amounts of data and the times behind its verdict. */
function bases(results: RunResults): string[] {
  return checksWith(results, 'pass')
    .filter(
      ({ check }) =>
        check.secondsSince !== undefined ||
        check.timingsMs !== undefined ||
        Object.keys(check.basis).length > 0,
    )
    .map(
      ({ requirement, check }) =>
        `- ${bold(requirement.id)}: ${prose(check.name)} (${plain(basisOf(check))})`,
    )
}

function bold(id: string): string {
  return `**${id}**`
}
