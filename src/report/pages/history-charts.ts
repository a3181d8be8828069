import type { Verdict } from '../../check/verdict.ts'
import { wallTime } from '../../results/queries.ts'
import type { RunResults } from '../../results/results.ts'
import { verdicts } from '../../results/text.ts'
import { minuteOf } from '../../text/format.ts'
import { countsOf } from '../history.ts'
import { type Html, html } from './html.ts'

/** In pixels. A chart fits on a phone at its full size. */
const plot = { left: 44, top: 8, width: 268, height: 120 }
const size = { width: plot.left + plot.width + 12, height: plot.top + plot.height + 22 }
/** Bars become narrower only beyond this number of runs. */
const fewRuns = 10

interface Chart {
  readonly title: string
  /** Values by run. Bars of several kinds are stacked. */
  readonly bars: readonly { readonly kind: Verdict | 'used'; readonly values: readonly number[] }[]
  /** Upper limit of the values, by run. */
  readonly caps?: readonly number[]
}

/**
 * Small charts of the runs, the oldest on the left: verdicts, use of the budget, and time.
 * @param ids the requirements that are counted
 */
export function historyCharts(runs: readonly RunResults[], ids: ReadonlySet<string>): Html[] {
  const counts = runs.map((run) => countsOf(run, ids))
  const byVerdict = (kinds: readonly Verdict[]) =>
    kinds.map((kind) => ({ kind, values: counts.map((count) => count[kind]) }))
  const used = (values: readonly number[]) => [{ kind: 'used', values } as const]
  const budget = (name: Exclude<keyof RunResults['budget'], 'pace'>) => runs.map((run) => run.budget[name])
  const charts: Chart[] = [
    // On a separate scale: one violation among hundreds of passes would be invisible.
    { title: 'Requirements violated or inconclusive', bars: byVerdict(['fail', 'inconclusive']) },
    { title: 'Requirements by verdict', bars: byVerdict(verdicts) },
    { title: 'Requests used', bars: used(budget('requests')), caps: budget('requestCap') },
    { title: 'Logins used', bars: used(budget('logins')), caps: budget('loginCap') },
    { title: 'Throttled responses', bars: used(budget('throttled')) },
    {
      title: 'Duration in seconds',
      bars: used(runs.map(({ run }) => Math.round((wallTime(run) ?? 0) / 100) / 10)),
    },
  ]
  const times = runs.map(({ run }) => minuteOf(run.startedAt))
  return charts.map((chart, index) => figure(chart, `chart-${index + 1}`, times))
}

function figure({ title, bars, caps = [] }: Chart, id: string, times: readonly string[]): Html {
  const totals = times.map((_, run) => bars.reduce((sum, { values }) => sum + (values[run] ?? 0), 0))
  const ticks = ticksUpTo(Math.max(1, ...totals, ...caps))
  const y = (value: number) => plot.top + plot.height * (1 - value / (ticks.at(-1) ?? 1))
  const widthOfRun = plot.width / Math.max(fewRuns, times.length)
  const x = (run: number) => plot.left + (run + 0.125) * widthOfRun
  const bottoms = times.map(() => 0)
  const paths = bars.map(({ kind, values }) => {
    const path = values.map((value, run) => {
      const bottom = bottoms[run] ?? 0
      bottoms[run] = bottom + value
      return `M${x(run)} ${y(bottom)}V${y(bottom + value)}h${widthOfRun * 0.75}V${y(bottom)}z`
    })
    return html`<path class="${kind}" d="${path.join('')}"/>`
  })
  const lines = caps.map((cap, run) => `M${plot.left + run * widthOfRun} ${y(cap)}h${widthOfRun}`)
  const legend = bars.map(({ kind }) => html`<span><span class="${kind}">■</span> ${kind}</span> `)
  const [first, last] = labelsOf(times)
  const isEmpty = totals.every((total) => total === 0)
  return html`<figure><figcaption>${title}${bars.length > 1 ? html`<p class="quiet">${legend}</p>` : ''}</figcaption>
<svg role="img" aria-labelledby="${id}-title ${id}-description" width="${size.width}" height="${size.height}" viewBox="0 0 ${size.width} ${size.height}">
<title id="${id}-title">${title}</title><desc id="${id}-description">${descriptionOf(bars, caps)}</desc>
${ticks.map((tick) => html`<path class="grid" d="M${plot.left} ${y(tick)}h${plot.width}"/><text x="${plot.left - 6}" y="${y(tick) + 4}" text-anchor="end">${tick}</text>`)}
${isEmpty ? html`<text x="${plot.left + plot.width / 2}" y="${y(0) - plot.height / 2}" text-anchor="middle">none in these runs</text>` : paths}<path class="cap" d="${lines.join('')}"/>
<text x="${plot.left}" y="${size.height - 4}">${first}</text>
${last === undefined ? '' : html`<text x="${plot.left + plot.width}" y="${size.height - 4}" text-anchor="end">${last}</text>`}
</svg></figure>`
}

/** When the runs began: a label below the first and the last bar, or one label if the bars are too close together. */
function labelsOf(times: readonly string[]): readonly [string, string?] {
  const [first = '', last = first] = [times[0], times.at(-1)]
  const day = (time: string) => time.slice(0, 10)
  if (first === last) return [first]
  const isOneDay = day(first) === day(last)
  const [from, to] = isOneDay ? [first, last.slice(11)] : [day(first), day(last)]
  return times.length < fewRuns ? [`${from.replace(' UTC', '')} to ${to}`] : [from, to]
}

/** About four ticks up to at least `most`: `0, 20, 40, 60`. The step is 1, 2 or 5 times a power of ten. */
function ticksUpTo(most: number): number[] {
  const power = 10 ** Math.floor(Math.log10(most / 4))
  const step = Math.max(
    1,
    [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= most / 4) ?? 1,
  )
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step)
}

/** The chart in words: `fail: always 0; pass: 3 to 9, 4 in the last run`. */
function descriptionOf(bars: Chart['bars'], caps: readonly number[]): string {
  const ranges = bars.map(({ kind, values }) => {
    const [least, most] = [Math.min(...values), Math.max(...values)]
    const range = least === most ? `always ${least}` : `${least} to ${most}, ${values.at(-1)} in the last run`
    return kind === 'used' ? range : `${kind}: ${range}`
  })
  const cap = caps.length === 0 ? '' : `, of at most ${caps.at(-1)}`
  return `${ranges.join('; ')}${cap}. The table below has the figures of each run.`
}
