import { type Level, levels } from '../../check/requirement.ts'
import {
  type Alteration,
  type Alterations,
  byRequirement,
  checksText,
  variantText,
} from '../../embedded/alterations.ts'
import {
  type CheckRecord,
  type RequirementResult,
  type RunResults,
  requirementOutcome,
} from '../../results/results.ts'
import { sectionText, verdicts } from '../../results/text.ts'
import { counted } from '../../text/format.ts'
import { pageId } from '../allure/result.ts'
import { findingRows, interpretationRows, type Row, recordedRows, repeatRows } from '../finding.ts'
import { type History, verdictsOver } from '../history.ts'
import { badge, cells, filters, joined, matrix, rowList } from './components.ts'
import { type Content, type Html, html, prose } from './html.ts'
import { page } from './page.ts'

/** The traceability matrix of a run: each requirement with its statement, verdict, checks, faults and variants. */
export function requirementsPage(results: RunResults, history: History, alterations: Alterations): string {
  const { requirements } = results
  const past = verdictsOver(history.runs)
  const [faultsOf, variantsOf] = [byRequirement(alterations.faults), byRequirement(alterations.variants)]
  const row = (requirement: RequirementResult) =>
    rowOf(requirement, past(requirement.id), faultsOf(requirement.id), variantsOf(requirement.id))
  const areas = [...Map.groupBy(requirements, ({ area }) => area)]
  const sections = areas.map(
    ([area, ofArea]) => html`<section>
<h2>${area}</h2>
${matrix(`Requirements of the area ${area}`, ['Requirement', 'Verdict', 'Statement and evidence', 'Last runs'], ofArea.map(row))}
</section>`,
  )
  const used = (values: readonly (string | null)[]) => [...new Set(values.filter((value) => value !== null))]
  return page('requirements.html', results, [
    filters('requirements', [
      { name: 'area', label: 'Area', values: areas.map(([area]) => area) },
      { name: 'level', label: 'Level', values: used(requirements.map(({ level }) => level)) },
      {
        name: 'verdict',
        label: 'Verdict',
        values: verdicts.filter((verdict) => requirements.some((one) => one.verdict === verdict)),
      },
      {
        name: 'cause',
        label: 'Cause',
        values: used(requirements.map((one) => requirementOutcome(one).cause)),
      },
    ]),
    legend(history),
    ...sections,
  ])
}

const levelMeanings: Readonly<Record<Level, string>> = {
  must: 'binds the target',
  client: 'binds partners',
  planned: 'is announced',
  reference: 'is described for reference and only observed',
  silent: 'is not specified and only observed',
}

function legend({ runs }: History): Content {
  const meanings = levels.map((level) => html`<em>${level}</em> ${levelMeanings[level]}`)
  const levelText = html`<p>Levels: ${joined(meanings)}. Faults and variants test Plumbline, not the target.</p>`
  const [first] = runs
  if (!first) return levelText
  const { kind, target } = first.run
  const bars =
    runs.length === 1
      ? html`<em>Last runs</em> has one bar per requirement, for its verdict in this run`
      : html`The bars under <em>Last runs</em> show the verdicts of the last ${runs.length} finished ${kind} runs of ${target}, newest last`
  return html`<p>${bars}. A taller bar is a worse verdict. Legend:
${joined(verdicts.map((verdict) => html`<span class="whole">${cells([verdict])} ${verdict}</span>`))}.</p>${levelText}`
}

function rowOf(
  requirement: RequirementResult,
  past: Parameters<typeof cells>[0],
  faults: readonly Alteration[],
  variants: readonly Alteration[],
): Html {
  const { id, area, level, section, statement, verdict, checks } = requirement
  const { cause, reason } = requirementOutcome(requirement)
  const decisive = checks.find((check) => check.verdict === verdict)
  const reasonRows: Row[] = reason === null ? [] : [['reason', reason]]
  const finding = decisive ? findingRows(decisive) : reasonRows
  const repeat = verdict === 'not-applicable' ? [] : repeatRows(checks)
  const interpretation = interpretationRows(requirement)
  const isOpen = verdict === 'fail' || verdict === 'inconclusive'
  const items = checks.map((check) => checkItem(id, check, finding))
  return html`<tr role="row" id="${id}" data-area="${area}" data-level="${level}" data-verdict="${verdict}" data-cause="${cause ?? ''}">
<th scope="row" role="rowheader"><a href="#${id}">${prose(id)}</a> <span class="quiet">${level}</span></th>
<td role="cell">${badge(verdict)}${cause === null ? '' : html` <span class="quiet whole">cause: ${cause}</span>`}</td>
<td role="cell" class="main"><p>${prose(statement)} <span class="quiet">${sectionText(section)}</span></p>
${rowList(isOpen ? [...interpretation, ...finding, ...repeat] : finding)}
<details><summary>${checksText(checks.length, faults.length, variants.length)}</summary>
${checks.length === 0 ? html`<p><a href="checks.html#${pageId(id)}">Without a check</a></p>` : html`<ul>${items}</ul>`}
${isOpen ? '' : rowList([...interpretation, ...repeat])}
${alterationList(
  `Faults that ${checks.length === 1 ? 'this check' : 'these checks'} must detect`,
  faults.map(({ name, summary }) => [html`<a href="faults.html#${name}">${name}</a>`, summary]),
)}
${alterationList(
  `Variants with which ${checks.length === 1 ? 'this check' : 'these checks'} must not fail`,
  variants.map((variant) => [html`<strong>${variant.name}</strong>`, variantText(variant, id)]),
)}
</details></td>
<td role="cell">${past.length === 0 ? html`<span class="quiet">none</span>` : cells(past)}</td>
</tr>
`
}

/** @param shown the finding that the row already shows */
function checkItem(requirement: string, check: CheckRecord, shown: readonly Row[]): Html {
  const { name, verdict, cause, requests } = check
  const finding = findingRows(check)
  return html`<li>${badge(verdict)} <a href="checks.html#${pageId(requirement, name)}">${prose(name)}</a>
<span class="quiet whole">${[cause === null ? [] : `cause: ${cause}`, requests === 0 ? [] : `${counted(requests, 'request')} sent`].flat().join(', ')}</span>
${rowList([...(String(finding) === String(shown) ? [] : finding), ...recordedRows(check)])}</li>`
}

function alterationList(title: string, items: readonly (readonly [name: Html, text: string])[]): Content {
  if (items.length === 0) return ''
  return html`<p>${title}</p><ul>${items.map(([name, text]) => html`<li>${name}: ${prose(text)}</li>`)}</ul>`
}
