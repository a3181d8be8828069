import type { Verdict } from '../../check/verdict.ts'
import type { Row } from '../finding.ts'
import type { Reason } from '../overview.ts'
import { type Content, Html, html, prose } from './html.ts'

export function badge(verdict: Verdict): Html {
  return html`<span class="badge ${verdict}">${verdict}</span>`
}

export function requirementLink(id: string): Html {
  return html`<a href="requirements.html#${id}">${prose(id)}</a>`
}

/** A longer list of links is collapsed. */
const maxLinks = 8

/** Ids of requirements as links to their rows. */
export function requirementLinks(ids: readonly string[]): Content {
  const links = joined(ids.map(requirementLink))
  if (ids.length <= maxLinks) return links
  return html`<details><summary>${ids.length} requirements</summary>${links}</details>`
}

export function reasonItem({ before, ids, after }: Reason): Html {
  return html`<li>${prose(before)}${requirementLinks(ids)}${prose(after)}</li>`
}

/** Contents, separated by commas. */
export function joined(contents: readonly Content[]): Content[] {
  return contents.flatMap((content, index) => (index === 0 ? [content] : [', ', content]))
}

/** Rows as a list; empty if there are no rows. */
export function rowList(rows: readonly (Row | readonly [label: string, Html])[]): Content {
  if (rows.length === 0) return ''
  return html`<dl class="rows">${rows.map(([label, content]) => html`<div><dt>${label}</dt> <dd>${rowContent(content)}</dd></div>`)}</dl>`
}

export function rowContent(content: Row[1] | Html): Html {
  if (content instanceof Html) return content
  return typeof content === 'string' ? prose(content) : commandCode(content.command)
}

/** A command. One click selects all of it, and a line breaks only at its spaces. */
export function commandCode(command: string): Html {
  // A browser would break a word at its hyphens.
  const words = command.split(/(\S*-\S*)/)
  return html`<code class="command">${words.map((word, index) => (index % 2 === 1 ? html`<span class="whole">${word}</span>` : word))}</code>`
}

/** Fields that filter the rows of a page by the `data-<name>` attributes and the text of each row. */
export function filters(
  what: string,
  fields: readonly { readonly name: string; readonly label: string; readonly values: readonly string[] }[],
): Html {
  const selects = fields
    .filter(({ values }) => values.length > 1)
    .map(
      ({ name, label, values }) =>
        html`<label>${label} <select name="${name}"><option value="">all</option>${values.map((value) => html`<option>${value}</option>`)}</select></label>`,
    )
  return html`<form id="filters" role="search" aria-label="Filter ${what}" data-what="${what}" hidden>
${selects}
<label>Text <input type="search" name="text" autocomplete="off"></label>
<button type="reset">Show all</button>
<output></output>
</form>`
}

/** A table that screen readers still announce as a table when a narrow screen stacks its rows. */
export function matrix(caption: string, columns: readonly string[], rows: readonly Content[]): Html {
  return html`<div class="matrix">${table(caption, columns, rows)}</div>`
}

/** A table that scrolls sideways on a narrow screen. */
export function wideTable(caption: string, columns: readonly string[], rows: readonly Content[]): Html {
  return html`<div class="wide" role="region" aria-label="${caption}" tabindex="0">${table(caption, columns, rows)}</div>`
}

function table(caption: string, columns: readonly string[], rows: readonly Content[]): Html {
  const heads = columns.map((column) => html`<th scope="col" role="columnheader">${column}</th>`)
  return html`<table role="table">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${heads}</tr></thead>
<tbody role="rowgroup">
${rows}
</tbody>
</table>`
}

/** In pixels, like the heights. */
const cellWidth = 5
const heights: Readonly<Record<Verdict, number>> = {
  fail: 14,
  inconclusive: 10,
  pass: 6,
  observed: 6,
  'not-applicable': 2,
}

/** The verdicts of a requirement in the last runs as small cells, the oldest first. A taller cell is worse. */
export function cells(verdicts: readonly (Verdict | null)[]): Html {
  const paths = Object.entries(heights).flatMap(([verdict, height]) => {
    const path = verdicts
      .map((one, index) => (one === verdict ? `M${index * cellWidth} 14v-${height}h4v${height}z` : ''))
      .join('')
    return path === '' ? [] : [html`<path class="${verdict}" d="${path}"/>`]
  })
  const width = verdicts.length * cellWidth
  return html`<svg class="cells" role="img" width="${width}" height="14" viewBox="0 0 ${width} 14"><title>${stretchesText(verdicts)}</title>${paths}</svg>`
}

/** `12 pass, then 1 fail, then 3 pass`. */
export function stretchesText(verdicts: readonly (Verdict | null)[]): string {
  const stretches: { verdict: Verdict | null; count: number }[] = []
  for (const verdict of verdicts) {
    const last = stretches.at(-1)
    if (last?.verdict === verdict) last.count += 1
    else stretches.push({ verdict, count: 1 })
  }
  return stretches.map(({ verdict, count }) => `${count} ${verdict ?? 'unknown'}`).join(', then ')
}
