import { type Alteration, type Alterations, concerning } from '../../embedded/alterations.ts'
import { outcomeOf } from '../../results/outcome.ts'
import { verdicts } from '../../results/queries.ts'
import type { CheckRecord, RequirementResult, RunResults } from '../../results/results.ts'
import { counted } from '../../text/format.ts'
import { pageId } from '../allure/result.ts'
import { type History, verdictsOver } from '../history.ts'
import { type Content, type Html, html } from './html.ts'
import { page } from './page.ts'
import { badge, cells, filters, inWords, joined, matrix } from './pieces.ts'

/** The traceability matrix of a run: from statement to verdict, checks, faults and variants. */
export function requirementsPage(results: RunResults, history: History, alterations: Alterations): string {
  const { requirements } = results
  const past = verdictsOver(
    history.runs,
    requirements.map(({ id }) => id),
  )
  const row = (requirement: RequirementResult) =>
    rowOf(requirement, past.get(requirement.id) ?? [], alterations)
  const areas = [...Map.groupBy(requirements, ({ area }) => area)]
  const occurring = (values: readonly (string | null)[]) => [
    ...new Set(values.filter((value) => value !== null)),
  ]
  const sections = areas.map(
    ([area, ofArea]) => html`<section>
<h2>${area}</h2>
${matrix(`Requirements of the area ${area}`, ['Requirement', 'What it asks, and what stands for it', 'Verdict', 'Last runs'], ofArea.map(row))}
</section>`,
  )
  return page('requirements.html', results, [
    filters('requirements', [
      { name: 'area', label: 'Area', values: areas.map(([area]) => area) },
      { name: 'level', label: 'Level', values: occurring(requirements.map(({ level }) => level)) },
      {
        name: 'verdict',
        label: 'Verdict',
        values: verdicts.filter((verdict) => requirements.some((one) => one.verdict === verdict)),
      },
      { name: 'cause', label: 'Cause', values: occurring(requirements.map((one) => outcomeOf(one).cause)) },
    ]),
    legend(history),
    ...sections,
  ])
}

function legend({ runs }: History): Content {
  if (runs.length === 0) return ''
  return html`<p>Last runs: ${counted(runs.length, 'run')}, the oldest on the left, the taller the worse:
${joined(verdicts.map((verdict) => html`${cells([verdict])} ${verdict}`))}.</p>`
}

function rowOf(
  requirement: RequirementResult,
  past: Parameters<typeof cells>[0],
  { faults, variants }: Alterations,
): Html {
  const { id, area, level, section, statement, verdict, checks } = requirement
  const { cause, reason } = outcomeOf(requirement)
  const own = { faults: named(faults, id), variants: named(variants, id) }
  return html`<tr role="row" id="${id}" data-area="${area}" data-level="${level}" data-verdict="${verdict}" data-cause="${cause ?? ''}">
<th scope="row" role="rowheader"><a href="#${id}">${id}</a> <span class="quiet">${level}</span></th>
<td role="cell"><p>${statement} <span class="quiet">${section}</span></p>
${reason === null ? '' : html`<p class="reason">${reason}</p>`}
<details><summary>${summary(checks, own.faults, own.variants)}</summary>
${checks.length === 0 ? html`<p><a href="index.html#${pageId(id)}">Without a check</a></p>` : html`<ul>${checks.map((check) => checkItem(id, check, reason))}</ul>`}
${alterationList('Faults that must turn it red', own.faults, true)}
${alterationList('Lawful variants that must leave it green', own.variants, false)}
</details></td>
<td role="cell">${badge(verdict)} <span class="quiet">${cause ?? ''}</span></td>
<td role="cell">${past.length === 0 ? html`<span class="quiet">${inWords(past) || 'none'}</span>` : cells(past)}</td>
</tr>
`
}

function summary(
  checks: readonly CheckRecord[],
  faults: readonly Alteration[],
  variants: readonly Alteration[],
): string {
  return [
    counted(checks.length, 'check'),
    counted(faults.length, 'fault'),
    counted(variants.length, 'variant'),
  ].join(', ')
}

/** @param told a reason that stands above already */
function checkItem(requirement: string, check: CheckRecord, told: string | null): Html {
  const { name, verdict, cause, reason, requests, notes } = check
  return html`<li>${badge(verdict)} <a href="index.html#${pageId(requirement, name)}">${name}</a>
<span class="quiet">${[...(cause === null ? [] : [cause]), counted(requests, 'request')].join(', ')}</span>
${reason === null || reason === told ? '' : html`<p class="reason">${reason}</p>`}${notes.map(({ text }) => html`<p>Note: ${text}</p>`)}</li>`
}

function named(alterations: readonly Alteration[], id: string): Alteration[] {
  const names = concerning(alterations, id)
  return alterations.filter(({ name }) => names.includes(name))
}

function alterationList(title: string, alterations: readonly Alteration[], linked: boolean): Content {
  if (alterations.length === 0) return ''
  const items = alterations.map(
    ({ name, summary: what }) =>
      html`<li>${linked ? html`<a href="faults.html#${name}">${name}</a>` : html`<strong>${name}</strong>`}: ${what}</li>`,
  )
  return html`<p>${title}</p><ul>${items}</ul>`
}
