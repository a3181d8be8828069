import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Comparison } from '../compare/comparison.ts'
import { driftMarkdown } from '../compare/markdown.ts'
import { sinceText } from '../compare/text.ts'
import {
  allChecks,
  basisOf,
  budgetUsed,
  checksWith,
  idsWithoutCheck,
  inconclusiveByReason,
  notApplicableByReason,
  valueText,
  verdicts,
  verdictTexts,
  wallTime,
} from '../results/queries.ts'
import type { RunResults } from '../results/results.ts'
import { runFiles, writeAtomically } from '../results/run-directory.ts'
import { duration } from '../text/format.ts'
import { code, plain, section, table } from '../text/markdown.ts'
import { findingLines } from './finding.ts'

/**
 * summary.md: a run as a CI job shows it.
 * @param report address of the HTML report, relative to the file; undefined where there is none
 * @param drift how it differs from the last comparable run; undefined where there is none
 */
export function summaryMarkdown(run: RunResults, report?: string, drift?: Comparison): string {
  const { run: facts } = run
  const time = wallTime(facts)
  const hosts = facts.hosts.map((host) => code(host)).join(', ')
  const observations = run.observations.map(({ key, value, requirement }) => [
    plain(key),
    plain(valueText(value)),
    requirement,
  ])
  return [
    `# Plumbline: ${facts.target}`,
    '',
    ...(facts.completed ? [] : ['**This run did not finish: it has the results until its end.**', '']),
    '| verdict | requirements | |',
    '|---|---:|---|',
    ...verdicts.map((verdict) => `| ${verdict} | ${run.totals[verdict]} | ${verdictTexts[verdict]} |`),
    '',
    `${hosts}, started ${facts.startedAt}${time === undefined ? '' : `, ${duration(time)}`}; ${budgetUsed(run)}.`,
    ...(report === undefined ? [] : ['', `[HTML report](${report})`]),
    ...section('Violated', violations(run, drift)),
    ...section('Not decided', byReason(inconclusiveByReason(run))),
    ...(drift ? section('Drift', driftMarkdown(drift)) : []),
    ...section('Notes', notes(run)),
    ...section('Observations', table(['key', 'value', 'requirement'], observations)),
    ...section('Not applicable', [
      ...byReason(notApplicableByReason(run)),
      ...withoutChecks(idsWithoutCheck(run)),
    ]),
    ...section('Data that the passes rest on', bases(run)),
    '',
  ].join('\n')
}

function violations(run: RunResults, drift?: Comparison): string[] {
  return checksWith(run, 'fail').map(({ requirement, check }) => {
    const finding = findingLines(check).map(([label, text]) => `; ${label}: ${plain(text)}`)
    const known = drift?.violatedSince?.[requirement.id]
    const since = known ? `, ${sinceText(known)}` : ''
    return `- ${bold(requirement.id)} (${plain(requirement.section)}${since}): ${plain(requirement.statement)} Check: ${plain(check.name)}${finding.join('')}. Repeat: ${code(check.reproduce)}`
  })
}

function byReason(idsByReason: ReadonlyMap<string, readonly string[]>): string[] {
  return [...idsByReason].map(([reason, ids]) => `- ${plain(reason)}: ${ids.map(bold).join(', ')}`)
}

function withoutChecks(ids: readonly string[]): string[] {
  return ids.length === 0
    ? []
    : [`- without a check, as \`plumbline list\` explains: ${ids.map(bold).join(', ')}`]
}

function notes(run: RunResults): string[] {
  return allChecks(run).flatMap(({ requirement, check }) =>
    check.notes.map((note) => `- ${bold(requirement.id)}: ${plain(note.text)}`),
  )
}

function bases(run: RunResults): string[] {
  return checksWith(run, 'pass')
    .filter(({ check }) => Object.keys(check.basis).length > 0)
    .map(
      ({ requirement, check }) => `- ${bold(requirement.id)}: ${plain(check.name)}: ${plain(basisOf(check))}`,
    )
}

function bold(id: string): string {
  return `**${id}**`
}

/** Writes summary.md of a run into its directory, with a link to the HTML report if that is there. */
export function writeSummary(runDirectory: string, run: RunResults, drift?: Comparison): void {
  const link = existsSync(join(runDirectory, runFiles.report))
    ? runFiles.report.replaceAll('\\', '/')
    : undefined
  writeAtomically(join(runDirectory, runFiles.summary), summaryMarkdown(run, link, drift))
}
