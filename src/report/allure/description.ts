import type { CheckRecord, RequirementResult } from '../../results/results.ts'
import { basisOf } from '../../results/text.ts'
import { capitalized } from '../../text/format.ts'
import type { FindingLine } from '../finding.ts'
import { type Html, html, prose } from '../pages/html.ts'

/** Without it, the report keeps cells on one line and cuts them off. */
const cell = 'white-space: normal; text-align: left; vertical-align: top'

/**
 * The first part of a check in the report, as HTML: statement, finding, amount of data, and the command that repeats
 * it.
 * @param check undefined if the requirement has none
 */
export function description(
  { id, section, level, statement }: Pick<RequirementResult, 'id' | 'section' | 'level' | 'statement'>,
  finding: readonly FindingLine[],
  check?: CheckRecord,
): string {
  const basis = check ? basisOf(check) : ''
  const rows: (readonly [label: string, text: string])[] = [
    ...finding,
    ...(check ? [['verdict', [check.verdict, check.cause ?? []].flat().join(', cause: ')] as const] : []),
    ...(basis === '' ? [] : [['data', basis] as const]),
    ['requirement', `${id}, level ${level}`],
    ['section', section],
  ]
  const shown = rows.map(
    ([label, text]): Html =>
      html`<tr><th style="${cell}">${capitalized(label)}</th><td style="${cell}">${prose(text)}</td></tr>`,
  )
  const notes = check?.notes.map((note) => html`<li>${prose(note.text)}</li>`) ?? []
  return html`<p><strong>${prose(statement)}</strong></p>
<table>${shown}</table>
${notes.length > 0 ? html`<p>Notes</p><ul>${notes}</ul>` : ''}
${check && html`<p>Repeat this check</p><pre><code>${check.reproduce}</code></pre>`}`.markup
}
