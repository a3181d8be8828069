import { code, plain, section } from '../markdown.ts'
import type { Comparison, VerdictDifference } from './comparison.ts'
import {
  changeOf,
  circumstances,
  conclusion,
  driftLine,
  observationChange,
  reasonOf,
  runName,
} from './words.ts'

/** A comparison as a page of its own. */
export function comparisonMarkdown(comparison: Comparison): string {
  const { before, after, notSelected } = comparison
  return [
    `# Plumbline: ${runName(before)} → ${runName(after)}`,
    '',
    plain(conclusion(comparison)),
    '',
    `${code(before.id)} → ${code(after.id)}`,
    ...circumstances(comparison).map((line) => `- ${plain(line)}`),
    ...parts(comparison).flatMap(({ title, lines }) => section(title, lines)),
    ...section('Not selected in the first run', ids(notSelected.before)),
    ...section('Not selected in the second run', ids(notSelected.after)),
    '',
  ].join('\n')
}

/** What stands under Drift in the summary of a run. */
export function driftMarkdown(drift: Comparison): string[] {
  const line = driftLine(drift)
  return [
    `${line.charAt(0).toUpperCase()}${plain(line.slice(1))}.`,
    ...circumstances(drift)
      // The embedded provider has another port each time.
      .filter((circumstance) => drift.after.target !== 'embedded' || !circumstance.startsWith('hosts'))
      .map((circumstance) => `- ${plain(circumstance)}`),
    ...parts(drift).flatMap(({ title, lines }) =>
      lines.length === 0 ? [] : ['', `### ${title}`, '', ...lines],
    ),
  ]
}

function parts(comparison: Comparison): { title: string; lines: string[] }[] {
  const { changed, undecided, applicability, observations, appeared, vanished } = comparison
  const table = (differences: readonly VerdictDifference[]) =>
    differences.length === 0
      ? []
      : [
          '| requirement | verdict | why |',
          '|---|---|---|',
          ...differences.map(
            (difference) =>
              `| ${difference.id} | ${plain(changeOf(difference))} | ${plain(reasonOf(difference))} |`,
          ),
        ]
  return [
    { title: 'Changed verdicts', lines: table(changed) },
    {
      title: 'Changed observations',
      lines:
        observations.length === 0
          ? []
          : [
              '| observation | change | requirement |',
              '|---|---|---|',
              ...observations.map(
                (one) => `| ${plain(one.key)} | ${plain(observationChange(one))} | ${one.requirement} |`,
              ),
            ],
    },
    { title: 'Undecided in one run or both', lines: table(undecided) },
    { title: 'Applied in one run only', lines: table(applicability) },
    { title: 'New requirements', lines: ids(appeared) },
    { title: 'Vanished requirements', lines: ids(vanished) },
  ]
}

function ids(list: readonly string[]): string[] {
  return list.length === 0 ? [] : [list.join(', ')]
}
