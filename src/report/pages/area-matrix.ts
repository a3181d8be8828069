import type { Verdict } from '../../check/verdict.ts'
import { countsByArea } from '../../results/queries.ts'
import type { RunResults } from '../../results/results.ts'
import { paceText, requestsName, verdicts } from '../../results/text.ts'
import { counted } from '../../text/format.ts'
import { type Content, type Html, html } from './html.ts'

/**
 * Areas and verdicts as a table. A stronger colour means a larger share of the requirements of an area, but `fail` and
 * `inconclusive` always have the strongest.
 */
export function areaMatrix(results: RunResults): Html {
  const rows = countsByArea(results).map(({ area, counts }) => {
    const total = verdicts.reduce((sum, verdict) => sum + counts[verdict], 0)
    return html`<tr><th scope="row"><a href="requirements.html#area=${area}">${area}</a></th>${verdicts.map((verdict) => cell(area, verdict, counts[verdict], total))}</tr>
`
  })
  const heads = verdicts.map((verdict) => html`<th scope="col"><span>${verdict}</span></th>`)
  const totals = verdicts.map((verdict) => html`<td>${results.totals[verdict]}</td>`)
  return html`<table class="areas">
<caption>Requirements by area and verdict</caption>
<thead><tr><th scope="col">area</th>${heads}</tr></thead>
<tbody>
${rows}<tr class="total"><th scope="row">all areas</th>${totals}</tr>
</tbody>
</table>`
}

function cell(area: string, verdict: Verdict, count: number, total: number): Html {
  if (count === 0) return html`<td></td>`
  const strength = Math.ceil((count / total) * 4)
  return html`<td><a class="cell on-${verdict} share-${strength}" href="requirements.html#area=${area}&amp;verdict=${verdict}">${count}</a></td>`
}

/** In pixels. */
const bar = { width: 160, height: 10 }

/** Requests and logins beside their budgets, and throttled responses. */
export function budgetBars(results: RunResults): Html {
  const { budget } = results
  const row = (name: string, used: number, cap: number) => {
    const width = cap === 0 ? 0 : Math.min(1, used / cap) * bar.width
    return item(
      name,
      `${used} of ${cap}`,
      html`<svg role="img" aria-label="${used} of ${cap} ${name}" width="${bar.width}" height="${bar.height}" viewBox="0 0 ${bar.width} ${bar.height}"><rect class="track" width="${bar.width}" height="${bar.height}" rx="5"/><rect class="used" width="${Math.max(width, used > 0 ? 3 : 0)}" height="${bar.height}" rx="5"/></svg>`,
    )
  }
  return html`<dl class="budget">${row(requestsName(results), budget.requests, budget.requestCap)}${row('logins', budget.logins, budget.loginCap)}${item(
    'throttled',
    budget.throttled === 0 ? 'never' : counted(budget.throttled, 'response'),
    budget.pace === undefined ? undefined : html`<span class="quiet">${paceText(budget.pace)}</span>`,
  )}</dl>`
}

function item(name: string, text: string, picture?: Content): Html {
  return html`<div><dt>${name}</dt><dd>${text}</dd>${picture === undefined ? '' : html`<dd>${picture}</dd>`}</div>`
}
