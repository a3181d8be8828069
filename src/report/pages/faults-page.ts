import type { Alteration, Alterations } from '../../embedded/alterations.ts'
import type { RunResults } from '../../results/results.ts'
import { counted, minuteOf } from '../../text/format.ts'
import { type ProofState, proofStateOf, proofStates, unexpectedOf } from '../last-proof.ts'
import type { Proof } from '../proof-file.ts'
import { filters, joined, matrix, requirementLink } from './components.ts'
import { type Content, type Html, html, prose } from './html.ts'
import { page, pages } from './page.ts'

/**
 * The fault matrix: each fault of the embedded provider, the requirements that it violates, and whether the last proof
 * caught the fault.
 * @param proof undefined if none has run on this machine
 */
export function faultsPage(results: RunResults, { faults }: Alterations, proof: Proof | undefined): string {
  const areas = new Map(results.requirements.map(({ id, area }) => [id, area]))
  const shown = faults
    .filter(({ requirements }) => requirements.some((id) => areas.has(id)))
    .map((fault) => ({ fault, state: proofStateOf(fault, proof), unexpected: unexpectedOf(fault, proof) }))
  const states = shown.map(({ state }) => state)
  const body = [
    html`<p>This page is about Plumbline, not the target. A fault is one violation that the embedded provider can
reproduce. <code>npm run proof</code> shows that the checks detect it.</p>`,
    proofLine(proof, states),
    shown.length === 0
      ? html`<p>No fault violates a requirement of this run.</p>`
      : proof
        ? listed(shown, areas)
        : html`<details><summary>${counted(shown.length, 'fault')} that Plumbline can reproduce for the requirements of this run</summary>${listed(shown, areas)}</details>`,
    withoutFault(results, faults),
  ]
  // A heading without the verdicts of the run, which say nothing about faults.
  return page('faults.html', results, body, html`<h1>${pages['faults.html']}</h1>`)
}

interface ShownFault {
  readonly fault: Alteration
  readonly state: ProofState
  readonly unexpected: readonly string[]
}

function listed(shown: readonly ShownFault[], areas: ReadonlyMap<string, string>): Content {
  const states = proofStates.filter((state) => shown.some((one) => one.state === state))
  const isProved = !states.includes('not run here')
  const columns = ['Fault', 'What the provider does', 'Requirements', ...(isProved ? ['Proof'] : [])]
  return [
    filters('faults', [
      { name: 'area', label: 'Area', values: [...new Set(areas.values())] },
      { name: 'proof', label: 'Proof', values: states.map(className) },
    ]),
    html`<section>${matrix(
      'Faults of the embedded provider',
      columns,
      shown.map((one) => rowOf(one, areas)),
    )}</section>`,
  ]
}

function proofLine(proof: Proof | undefined, states: readonly ProofState[]): Html {
  if (!proof)
    return html`<p class="quiet">No proof has run on this machine. To run it: <code>npm run proof</code></p>`
  const count = (state: ProofState) => states.filter((one) => one === state).length
  const [caught, survived] = [count('caught'), count('survived')]
  const when = proof.finishedAt === undefined ? 'of an unknown date' : `of ${minuteOf(proof.finishedAt)}`
  const by = proof.version === undefined ? '' : `, by Plumbline ${proof.version}`
  const others = states.length - caught - survived
  return html`<p>Last proof on this machine, ${when}${by}: ${counted(caught, 'fault')} caught, ${survived} survived${others > 0 ? `, ${others} new or changed since` : ''}.</p>`
}

function rowOf(
  { fault: { name, summary, requirements, consequences = [] }, state, unexpected }: ShownFault,
  areas: ReadonlyMap<string, string>,
): Html {
  const links = (ids: readonly string[]) =>
    joined(ids.map((id) => (areas.has(id) ? requirementLink(id) : prose(id))))
  const ofAreas = [...new Set(requirements.flatMap((id) => areas.get(id) ?? []))]
  return html`<tr role="row" id="${name}" data-area="${ofAreas.join(' ')}" data-proof="${className(state)}">
<th scope="row" role="rowheader"><a href="#${name}">${prose(name)}</a></th>
<td role="cell">${prose(summary)}</td>
<td role="cell"><p>Violates ${links(requirements)}</p>
${consequences.length === 0 ? '' : html`<p class="quiet">As a consequence, also violates ${links(consequences)}</p>`}</td>
${state === 'not run here' ? '' : html`<td role="cell"><span class="badge ${className(state)}">${state}</span>${unexpected.length === 0 ? '' : html`<p>In the proof, ${links(unexpected)} also failed.</p>`}</td>`}
</tr>
`
}

function className(state: ProofState): string {
  return state.replaceAll(' ', '-')
}

/** Checked requirements that no fault violates: a gap in the proof. `silent` requirements cannot be violated. */
function withoutFault({ requirements }: RunResults, faults: readonly Alteration[]): Content {
  const violated = new Set(faults.flatMap(({ requirements: ids }) => ids))
  const unproved = requirements.filter(
    ({ id, level, checks }) => checks.length > 0 && level !== 'silent' && !violated.has(id),
  )
  if (unproved.length === 0) return ''
  return html`<h2>Checked, but without a fault</h2>
<p>${joined(unproved.map(({ id }) => requirementLink(id)))}</p>`
}
