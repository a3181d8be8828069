import type { RequirementResult } from '../../results/results.ts'
import { type Row, requirementRow } from '../finding.ts'
import { rowContent } from '../pages/components.ts'
import { html } from '../pages/html.ts'

/** Without it, the report keeps cells on one line and cuts them off. */
const cell = 'white-space: normal; text-align: left; vertical-align: top'

/** The facts of a check, as HTML: its requirement and further rows. Allure shows its message, the finding, above them. */
export function description(
  requirement: Pick<RequirementResult, 'id' | 'section' | 'level' | 'statement'>,
  rows: readonly Row[],
): string {
  const all: Row[] = [requirementRow(requirement), ['level', requirement.level], ...rows]
  const shown = all.map(
    ([label, content]) =>
      html`<tr><th style="${cell}">${label}</th><td style="${cell}">${rowContent(content)}</td></tr>`,
  )
  return html`<table>${shown}</table>`.markup
}
