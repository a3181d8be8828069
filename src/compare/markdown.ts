import { code, plain, section } from '../text/markdown.ts'
import type { Comparison, VerdictDifference } from './comparison.ts'
import {
  baseText,
  capitalized,
  changeOf,
  circumstances,
  conclusion,
  driftLine,
  headings,
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
    ...(comparison.olderBases ?? []).map((base) => `- ${plain(baseText(base))}`),
    ...circumstances(comparison).map((line) => `- ${plain(line)}`),
    ...parts(comparison).flatMap(({ title, lines }) => section(title, lines)),
    ...section('Not selected in the first run', ids(notSelected.before)),
    ...section('Not selected in the second run', ids(notSelected.after)),
    '',
  ].join('\n')
}

/** What stands under Drift in the summary of a run. */
export function driftMarkdown(drift: Comparison): string[] {
  // The embedded provider has another port each time.
  const differsIn = drift.differsIn.filter((fact) => fact !== 'hosts' || drift.after.target !== 'embedded')
  return [
    `${plain(capitalized(driftLine(drift)))}.`,
    ...(drift.olderBases ?? []).map((base) => `- ${plain(baseText(base))}`),
    ...circumstances({ ...drift, differsIn }).map((circumstance) => `- ${plain(circumstance)}`),
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
    { title: headings.changed, lines: table(changed) },
    {
      title: headings.observations,
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
    { title: headings.undecided, lines: table(undecided) },
    { title: headings.applicability, lines: table(applicability) },
    { title: headings.appeared, lines: ids(appeared) },
    { title: headings.vanished, lines: ids(vanished) },
  ]
}

function ids(list: readonly string[]): string[] {
  return list.length === 0 ? [] : [list.join(', ')]
}
