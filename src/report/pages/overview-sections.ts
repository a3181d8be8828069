import type { Comparison } from '../../compare/compare.ts'
import { type ComparisonSection, observationChange, partsOf } from '../../compare/text.ts'
import { observationName } from '../../results/text.ts'
import { capitalized, counted } from '../../text/format.ts'
import { pageId } from '../allure/result.ts'
import { violationOf, whereText } from '../finding.ts'
import { headings, type InconclusiveGroup, type Overview, type ViolatedRequirement } from '../overview.ts'
import { commandCode, reasonItem, requirementLink, requirementLinks, rowList } from './components.ts'
import { type Content, type Html, html, prose } from './html.ts'

/** Up to this many violations are expanded. If there are more, each is a collapsed line. */
const maxOpen = 4
/** Number of visible lines of a long list; the others are collapsed. */
const maxLines = 8

export function violatedSection({ violations, violationRemedy }: Overview): Html {
  const count = violations.length
  const items = violations.map((one) => violation(one, count <= maxOpen))
  return html`<section id="violated"><h2>${headings.violated}${count === 0 ? '' : html` <span class="quiet">${counted(count, 'requirement')}</span>`}</h2>
${count === 0 ? html`<p>No requirement is violated.</p>` : [html`<p>${violationRemedy}</p>`, folded(items, 'violated requirements')]}</section>`
}

function violation({ requirement, checks, since }: ViolatedRequirement, isOpen: boolean): Html {
  const { id, section, statement } = requirement
  const parts = violationOf(requirement, checks)
  const [first, ...others] = checks.map(({ name }, index) =>
    rowList([
      ...(index === 0 ? parts.requirement : []),
      ...(parts.checks[index] ?? []),
      ['evidence', html`<a href="checks.html#${pageId(id, name)}">Requests and responses</a>`],
    ]),
  )
  const where = html`${requirementLink(id)} <span class="quiet">${whereText(section, since)}</span>`
  const body = html`${first}
${others.length === 0 ? '' : html`<details><summary>${counted(others.length, 'more failed check')}</summary>${others}</details>`}
${rowList(parts.repeat)}`
  if (isOpen)
    return html`<article class="violation">
<h3>${where}</h3>
${body}</article>`
  return html`<details class="violation"><summary><strong>${prose(id)}</strong> ${prose(statement)} <span class="quiet">${since ?? ''}</span></summary>
<p>${where}</p>
${body}</details>`
}

export function inconclusiveSection({ inconclusive }: Overview): Html {
  const groups = inconclusive.map(({ title, remedy, command, reasons }: InconclusiveGroup) => {
    const count = new Set(reasons.flatMap(({ ids }) => ids)).size
    return html`<h3>${title} <span class="quiet">${counted(count, 'requirement')}</span></h3>
<p>${remedy}${command === undefined ? '' : html` ${commandCode(command)}`}</p>
${folded(reasons.map(reasonItem), 'reasons', 'ul')}`
  })
  return html`<section id="inconclusive"><h2>${headings.inconclusive}</h2>
${groups.length === 0 ? html`<p>No requirement is inconclusive.</p>` : groups}</section>`
}

/** Empty without an earlier run to compare with. */
export function driftSection({ drift, driftText }: Overview): Content {
  if (!drift) return ''
  return html`<section id="drift"><h2>${headings.drift}</h2>
<p>${prose(`${capitalized(driftText)}.`)}</p>
${differences(drift)}</section>`
}

function differences(comparison: Comparison): Content {
  const { drift, others } = partsOf(comparison)
  const items = (part: ComparisonSection) => partItems(part, comparison.vanished)
  return [
    ...drift.map((part) => html`<h3>${part.title}</h3>${folded(items(part), 'changes', 'ul')}`),
    ...others.map(
      (part) =>
        html`<details><summary>${part.title}: ${counted(part.count, 'requirement')}</summary><ul>${items(part)}</ul></details>`,
    ),
  ]
}

/** @param vanished ids that the other pages do not contain */
function partItems(part: ComparisonSection, vanished: readonly string[]): Html[] {
  if ('ids' in part)
    return part.ids.map((id) => html`<li>${vanished.includes(id) ? prose(id) : requirementLink(id)}</li>`)
  if ('groups' in part)
    return part.groups.map(
      ({ ids, change, reason }) =>
        html`<li>${requirementLinks(ids)} ${change} <span class="quiet">${prose(reason)}</span></li>`,
    )
  return part.observations.map(
    (one) =>
      html`<li>${observationName(one.key)} (${requirementLink(one.requirement)}) ${observationChange(one)}</li>`,
  )
}

/** The first items, and the others collapsed. Never collapses a single item. */
function folded(items: readonly Html[], what: string, list?: 'ul'): Content {
  const inList = (shown: readonly Html[]) => (list ? html`<ul>${shown}</ul>` : shown)
  if (items.length <= maxLines + 1) return inList(items)
  return [
    inList(items.slice(0, maxLines)),
    html`<details class="more"><summary>${items.length - maxLines} more ${what}</summary>${inList(items.slice(maxLines))}</details>`,
  ]
}
