import { basisOf } from '../../results/queries.ts'
import type { CheckRecord } from '../../results/results.ts'
import { escapeMarkup } from '../../text/markup.ts'
import { findingLines } from '../finding.ts'
import type { RequirementFacts } from './result.ts'

/** The report keeps cells on one line and cuts them off, unless told otherwise. */
const cell = 'style="white-space: normal; text-align: left; vertical-align: top"'

/**
 * What the report shows of a check first, as HTML: the statement and the finding, then what the verdict rests on and
 * how to repeat the check.
 */
export function description(
  requirement: RequirementFacts & { readonly reason?: string | null },
  check?: CheckRecord,
): string {
  const { id, section, level, statement } = requirement
  const verdict = check
    ? [check.verdict, ...(check.cause === null ? [] : [check.cause])].join(', cause: ')
    : ''
  const basis = check ? basisOf(check) : ''
  const rows: [string, string | null | undefined][] = [
    ...(check ? findingLines(check) : [['reason', requirement.reason] as const]).map(
      ([label, text]): [string, string | null | undefined] => [capitalized(label), text],
    ),
    ['Verdict', verdict],
    ['Rests on', basis],
    ['Requirement', `${id}, level ${level}`],
    ['Section', section],
  ]
  const shown = rows.flatMap(([name, value]) =>
    value ? [`<tr><th ${cell}>${name}</th><td ${cell}>${escapeMarkup(value)}</td></tr>`] : [],
  )
  const notes = check?.notes.map((note) => `<li>${escapeMarkup(note.text)}</li>`) ?? []
  return [
    `<p><strong>${escapeMarkup(statement)}</strong></p>`,
    `<table>${shown.join('')}</table>`,
    ...(notes.length > 0 ? [`<p>Notes</p><ul>${notes.join('')}</ul>`] : []),
    ...(check ? [`<p>Repeat just this</p><pre><code>${escapeMarkup(check.reproduce)}</code></pre>`] : []),
  ].join('\n')
}

function capitalized(label: string): string {
  return label.charAt(0).toUpperCase() + label.slice(1)
}
