import { compare } from '../../compare/compare.ts'
import { changeOf, observationChange } from '../../compare/words.ts'
import { verdicts, wallTime } from '../../results/queries.ts'
import type { RunResults } from '../../results/results.ts'
import { counted, duration, minuteOf } from '../../text/format.ts'
import { countsOf, type History } from '../history.ts'
import { historyCharts } from './history-charts.ts'
import { type Content, type Html, html } from './html.ts'
import { page } from './page.ts'
import { matrix, requirementLink, wideTable } from './pieces.ts'

/** Trends over the last runs of the same target and kind, and what changed from each to the next. */
export async function historyPage(results: RunResults, history: History): Promise<string> {
  const { runs } = history
  const ids = new Set(results.requirements.map(({ id }) => id))
  return page('history.html', results, [
    about(results, history),
    ...(runs.length === 0
      ? []
      : [
          html`<div class="charts">${await historyCharts(runs, ids)}</div>`,
          html`<p class="quiet">The lines above requests and logins are their caps.</p>`,
          html`<section>${wideTable('Runs, the newest first', ['Started', ...verdicts, 'requests', 'logins', 'throttled', 'took', 'version', 'run'], runs.map((run) => runRow(run, ids)).reverse())}</section>`,
        ]),
    changes(runs),
    leftOut(history),
  ])
}

function about({ run, requirements }: RunResults, { runs }: History): Html {
  return html`<p>${counted(runs.length, 'finished run')} of ${run.kind === 'check' ? 'checks' : 'probes'} of ${run.target}, the last that lie beside this one, itself included.
Verdicts are counted of the ${counted(requirements.length, 'requirement')} of this run.</p>`
}

function runRow(results: RunResults, ids: ReadonlySet<string>): Html {
  const { run, budget } = results
  const counts = countsOf(results, ids)
  const cell = (content: Content) => html`<td role="cell">${content}</td>`
  return html`<tr role="row"><th scope="row" role="rowheader">${minuteOf(run.startedAt)}</th>${verdicts.map((verdict) => cell(counts[verdict]))}
${cell(`${budget.requests} of ${budget.requestCap}`)}${cell(`${budget.logins} of ${budget.loginCap}`)}${cell(budget.throttled)}
${cell(duration(wallTime(run) ?? 0))}${cell(run.version)}${cell(run.id)}</tr>
`
}

/** Verdicts and observations that differ from one run to the next. */
function changes(runs: readonly RunResults[]): Content {
  const rows = runs.flatMap((run, index) => {
    const before = runs[index - 1]
    if (!before) return []
    const { changed, observations } = compare(before, run)
    return [
      ...changed.map((one) => changeRow(run, requirementLink(one.id), changeOf(one))),
      ...observations.map((one) =>
        changeRow(run, html`${one.key} (${requirementLink(one.requirement)})`, observationChange(one)),
      ),
    ]
  })
  return html`<section><h2>What changed</h2>
${
  rows.length === 0
    ? html`<p>No verdict and no observation differs from one of these runs to the next.</p>`
    : matrix(
        'Verdicts and observations that differ from the run before, the newest first',
        ['Run', 'What', 'Change'],
        rows.reverse(),
      )
}</section>`
}

function changeRow({ run }: RunResults, what: Html, change: string): Html {
  return html`<tr role="row"><th scope="row" role="rowheader">${minuteOf(run.startedAt)}</th><td role="cell">${what}</td><td role="cell">${change}</td></tr>
`
}

function leftOut({ skipped, partial }: History): Content {
  if (skipped.length === 0 && partial === 0) return ''
  return html`<section><h2>Left out</h2><ul>
${skipped.map(({ id, why }) => html`<li>${id} ${why}.</li>`)}
${partial === 0 ? '' : html`<li>${counted(partial, 'run')} that looked at less than this one.</li>`}
</ul></section>`
}
