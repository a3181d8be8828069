import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Comparison } from '../compare/comparison.ts'
import { driftMarkdown } from '../compare/markdown.ts'
import { sinceText } from '../compare/words.ts'
import {
  allChecks,
  basisOf,
  budgetUsed,
  checksWith,
  notApplicableByReason,
  notDecidedByReason,
  valueText,
  verdicts,
  verdictWords,
  wallTime,
  withoutCheck,
} from '../results/queries.ts'
import type { RunResults } from '../results/results.ts'
import { runFiles, writeAtomically } from '../results/run-directory.ts'
import { duration } from '../text/format.ts'
import { code, plain, section } from '../text/markdown.ts'
import { findingLines } from './finding.ts'

/**
 * summary.md: what a CI job shows of a run.
 * @param report address of the HTML report, relative to the file; undefined where there is none
 * @param drift how it differs from the last comparable run; undefined where there is none
 */
export function summaryMarkdown(run: RunResults, report?: string, drift?: Comparison): string {
  const { run: facts } = run
  const time = wallTime(facts)

  const violated = checksWith(run, 'fail').map(({ requirement, check }) => {
    const what = findingLines(check)
      .map(([label, text]) => `${label}: ${plain(text)}`)
      .join('; ')
    const known = drift?.violatedSince?.[requirement.id]
    const since = known ? `, ${sinceText(known)}` : ''
    return `- **${requirement.id}** (${plain(requirement.section)}${since}): ${plain(requirement.statement)} Check: ${plain(check.name)}; ${what}. Repeat: ${code(check.reproduce)}`
  })
  const undecided = [...notDecidedByReason(run)].map(
    ([reason, ids]) => `- ${plain(reason)}: ${ids.map((id) => `**${id}**`).join(', ')}`,
  )
  const notes = allChecks(run).flatMap(({ requirement, check }) =>
    check.notes.map((note) => `- **${requirement.id}**: ${plain(note.text)}`),
  )
  const observations = run.observations.map(
    ({ key, value, requirement }) => `| ${plain(key)} | ${plain(valueText(value))} | ${requirement} |`,
  )
  const notApplicable = [...notApplicableByReason(run)].map(
    ([reason, ids]) => `- ${plain(reason)}: ${ids.map((id) => `**${id}**`).join(', ')}`,
  )
  const unchecked = withoutCheck(run)
  if (unchecked.length > 0) {
    notApplicable.push(
      `- without a check, as \`plumbline list\` explains: ${unchecked.map((id) => `**${id}**`).join(', ')}`,
    )
  }
  const basis = allChecks(run)
    .filter(({ check }) => check.verdict === 'pass' && Object.keys(check.basis).length > 0)
    .map(
      ({ requirement, check }) => `- **${requirement.id}**: ${plain(check.name)}: ${plain(basisOf(check))}`,
    )

  return [
    `# Plumbline: ${facts.target}`,
    '',
    ...(facts.completed
      ? []
      : ['**This run did not finish: what follows is what it had found by then.**', '']),
    '| verdict | requirements | |',
    '|---|---:|---|',
    ...verdicts.map((verdict) => `| ${verdict} | ${run.totals[verdict]} | ${verdictWords[verdict]} |`),
    '',
    `${facts.hosts.map((host) => code(host)).join(', ')}, started ${facts.startedAt}${time === undefined ? '' : `, ${duration(time)}`}; ${budgetUsed(run)}.`,
    ...(report === undefined ? [] : ['', `[HTML report](${report})`]),
    ...section('Violated', violated),
    ...section('Not decided', undecided),
    ...(drift ? section('Drift', driftMarkdown(drift)) : []),
    ...section('Notes', notes),
    ...section(
      'Observations',
      observations.length === 0 ? [] : ['| key | value | requirement |', '|---|---|---|', ...observations],
    ),
    ...section('Not applicable', notApplicable),
    ...section('What the passes rest on', basis),
    '',
  ].join('\n')
}

/** Writes summary.md of a run into its directory, with a link to the HTML report if that is there. */
export function writeSummary(runDirectory: string, run: RunResults, drift?: Comparison): void {
  const link = existsSync(join(runDirectory, runFiles.report))
    ? runFiles.report.replaceAll('\\', '/')
    : undefined
  writeAtomically(join(runDirectory, runFiles.summary), summaryMarkdown(run, link, drift))
}
