import { compare } from '../../compare/compare.ts'
import { newlyDecided, noLongerChecked } from '../../compare/drift.ts'
import { changeText, observationChange } from '../../compare/text.ts'
import { wallTime } from '../../results/queries.ts'
import type { RunResults } from '../../results/results.ts'
import { observationName, verdicts } from '../../results/text.ts'
import { counted, duration, minuteOf } from '../../text/format.ts'
import { countsOf, type History } from '../history.ts'
import { matrix, requirementLink, wideTable } from './components.ts'
import { historyCharts } from './history-charts.ts'
import { type Content, type Html, html, prose } from './html.ts'
import { page } from './page.ts'

/** Trends over the last runs of the same target and kind, and the changes from each run to the next. */
export function historyPage(results: RunResults, history: History): string {
  const { run, requirements } = results
  const { runs } = history
  const ids = new Set(requirements.map(({ id }) => id))
  const isPart = run.selection.only.length + run.selection.areas.length > 0
  const columns = ['Started', ...verdicts, 'requests', 'logins', 'throttled', 'took', 'version', 'run']
  const rows = runs.map((one) => runRow(one, ids)).reverse()
  return page('history.html', results, [
    html`<p>${runsText(results, history)}.${
      isPart && runs.length > 1
        ? ' Earlier runs may have checked more: their requests, logins and duration are those of the whole run.'
        : ''
    }</p>`,
    runs.length === 0
      ? ''
      : [
          html`<div class="charts">${historyCharts(runs, ids)}</div>`,
          html`<p class="quiet">The lines above the bars of requests and logins show their budgets.</p>`,
          html`<section>${wideTable('Runs, newest first', columns, rows)}</section>`,
        ],
    changes(runs),
    leftOut(history),
  ])
}

/**
 * `The last 30 finished check runs of uat, including this one, with the verdicts of the 460 requirements of this run`
 */
function runsText({ run, requirements }: RunResults, { runs, partial }: History): string {
  const { kind, target, completed } = run
  if (runs.length === 0) return `No ${kind} run of ${target} has finished`
  if (runs.length === 1 && completed) {
    const condition = partial.length === 0 ? '' : ' with all requirements of this run'
    return `This is the first finished ${kind} run of ${target}${condition}; there is nothing to compare`
  }
  const shown =
    runs.length === 1
      ? `The only finished ${kind} run of ${target}`
      : `The last ${runs.length} finished ${kind} runs of ${target}${completed ? ', including this one' : ''}`
  return `${shown}, with the verdicts of the ${counted(requirements.length, 'requirement')} of this run`
}

function runRow(results: RunResults, ids: ReadonlySet<string>): Html {
  const { run, budget } = results
  const counts = countsOf(results, ids)
  const cells = [
    ...verdicts.map((verdict) => counts[verdict]),
    `${budget.requests} of ${budget.requestCap}`,
    `${budget.logins} of ${budget.loginCap}`,
    budget.throttled,
    duration(wallTime(run) ?? 0),
    run.version,
    prose(run.id),
  ]
  return row(prose(minuteOf(run.startedAt)), cells)
}

function changes(runs: readonly RunResults[]): Content {
  if (runs.length < 2) return ''
  const rows = runs.flatMap((run, index) => {
    const before = runs[index - 1]
    if (!before) return []
    const comparison = compare(before, run)
    const verdicts = [...comparison.changed, ...noLongerChecked(comparison), ...newlyDecided(comparison)]
    const started = prose(minuteOf(run.run.startedAt))
    return [
      ...verdicts.map((one) => row(started, [requirementLink(one.id), changeText(one)])),
      ...comparison.observations.map((one) =>
        row(started, [
          html`${observationName(one.key)} (${requirementLink(one.requirement)})`,
          observationChange(one),
        ]),
      ),
    ]
  })
  const caption = 'Verdicts and observations that differ from the previous run, newest first'
  return html`<section><h2>What changed</h2>
${
  rows.length === 0
    ? html`<p>No verdict or observation changed between these runs, except for requirements that one of the runs did not decide.</p>`
    : matrix(caption, ['Run', 'What', 'Change'], rows.reverse())
}</section>`
}

function row(head: Content, cells: readonly Content[]): Html {
  return html`<tr role="row"><th scope="row" role="rowheader">${head}</th>${cells.map((cell) => html`<td role="cell">${cell}</td>`)}</tr>
`
}

function leftOut({ skipped, partial }: History): Content {
  if (skipped.length === 0 && partial.length === 0) return ''
  return html`<section><h2>Omitted</h2><ul>
${skipped.map(({ id, why }) => html`<li>${prose(`${id} ${why}.`)}</li>`)}
${partial.map((id) => html`<li>${prose(id)} checked less than this run.</li>`)}
</ul></section>`
}
