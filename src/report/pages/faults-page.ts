import type { Alteration, Alterations } from '../../embedded/alterations.ts'
import type { RequirementResult, RunResults } from '../../results/results.ts'
import { counted, minuteOf } from '../../text/format.ts'
import { type Proof, type ProofState, proofStateOf, unexpectedOf } from '../proof.ts'
import { type Content, type Html, html } from './html.ts'
import { page } from './page.ts'
import { filters, joined, matrix, requirementLink } from './pieces.ts'

/** In which order states are filtered by. */
const proofStates: readonly ProofState[] = [
  'survived',
  'changed since',
  'not in the proof',
  'not run here',
  'caught',
]

/**
 * The fault matrix: the broken providers that show that checks turn red, and whether the last proof saw it.
 * @param proof undefined where none has run here
 */
export function faultsPage(results: RunResults, { faults }: Alterations, proof: Proof | undefined): string {
  const areas = new Map(results.requirements.map(({ id, area }) => [id, area]))
  const shown = faults.filter(({ requirements }) => requirements.some((id) => areas.has(id)))
  const rows = shown.map((fault) =>
    rowOf(fault, areas, proofStateOf(fault, proof), unexpectedOf(fault, proof)),
  )
  const states = shown.map((fault) => proofStateOf(fault, proof))
  const kinds = proofStates.filter((state) => states.includes(state))
  return page('faults.html', results, [
    html`<p>A fault is the embedded provider with one violation built in. It is caught where every requirement that it
violates turns red: that is what a green check rests on. This tells of Plumbline, not of the target.</p>`,
    proofLine(proof, states),
    shown.length === 0
      ? html`<p>No fault violates a requirement of this run.</p>`
      : [
          filters('faults', [
            {
              name: 'area',
              label: 'Area',
              values: [...new Set(results.requirements.map(({ area }) => area))],
            },
            { name: 'proof', label: 'Proof', values: kinds.map((kind) => kind.replaceAll(' ', '-')) },
          ]),
          html`<section>${matrix('Faults of the embedded provider', ['Fault', 'What a client would see', 'Requirements', 'Proof'], rows)}</section>`,
        ],
    withoutFault(results, faults),
  ])
}

function proofLine(proof: Proof | undefined, states: readonly ProofState[]): Html {
  if (!proof)
    return html`<p class="warning">No proof has run here, so nothing is said of whether they are caught: <code>npm run proof</code> runs one.</p>`
  const count = (state: ProofState) => states.filter((one) => one === state).length
  const when = proof.finishedAt === undefined ? 'a date it did not keep' : `${minuteOf(proof.finishedAt)} UTC`
  const by = proof.version === undefined ? '' : ` with Plumbline ${proof.version}`
  return html`<p>The last proof here is of ${when}${by}: ${counted(count('caught'), 'fault')} caught, ${count('survived')} survived${
    states.length > count('caught') + count('survived')
      ? `, ${states.length - count('caught') - count('survived')} not told by it`
      : ''
  }.</p>`
}

function rowOf(
  { name, summary, requirements, consequences = [] }: Alteration,
  areas: ReadonlyMap<string, string>,
  state: ProofState,
  unexpected: readonly string[],
): Html {
  const link = (id: string) => (areas.has(id) ? requirementLink(id) : id)
  const ofAreas = [...new Set(requirements.flatMap((id) => areas.get(id) ?? []))]
  return html`<tr role="row" id="${name}" data-area="${ofAreas.join(' ')}" data-proof="${state.replaceAll(' ', '-')}">
<th scope="row" role="rowheader"><a href="#${name}">${name}</a></th>
<td role="cell">${summary}</td>
<td role="cell"><p>Violates ${joined(requirements.map(link))}</p>
${consequences.length === 0 ? '' : html`<p class="quiet">And so also red: ${joined(consequences.map(link))}</p>`}</td>
<td role="cell"><span class="badge ${state.replaceAll(' ', '-')}">${state}</span>${unexpected.length === 0 ? '' : html`<p>It also turned red ${joined(unexpected.map(link))}.</p>`}</td>
</tr>
`
}

/** Checked requirements that no fault violates: what is silent cannot be, the others are a gap. */
function withoutFault({ requirements }: RunResults, faults: readonly Alteration[]): Content {
  const violated = new Set(faults.flatMap(({ requirements: ids }) => ids))
  const unproved = requirements.filter(
    ({ id, level, checks }: RequirementResult) =>
      checks.length > 0 && level !== 'silent' && !violated.has(id),
  )
  if (unproved.length === 0) return ''
  return html`<h2>Checked, but without a fault</h2>
<p>${joined(unproved.map(({ id }) => requirementLink(id)))}</p>`
}
