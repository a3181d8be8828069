import type { TopLevelSpec } from 'vega-lite'
import { chartConfig, drawSvg } from '../../chart/draw.ts'
import { colour } from '../../chart/palette.ts'
import type { Verdict } from '../../check/verdict.ts'
import { verdicts, wallTime } from '../../results/queries.ts'
import type { RunResults } from '../../results/results.ts'
import { minuteOf } from '../../text/format.ts'
import { countsOf } from '../history.ts'
import { Html, html } from './html.ts'
import { chartClass } from './page.ts'

/** Pixels: a chart fits on a phone as it is, letters included. */
const width = 324
const axisWidth = 44
const padding = { left: axisWidth, right: 12, top: 8, bottom: 22 }
const legendHeight = 42
const fewRuns = 10
const plot = { width: width - padding.left - padding.right, height: 120 }

const verdictColours: Readonly<Record<Verdict, string>> = {
  fail: colour.fail,
  inconclusive: colour.inconclusive,
  pass: colour.pass,
  observed: colour.observed,
  'not-applicable': colour.notApplicable,
}

interface Bar {
  /** Place of the run, from 0. */
  readonly run: number
  readonly value: number
  readonly kind: string
}

interface Chart {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly bars: readonly Bar[]
  readonly colours: Readonly<Record<string, string>>
  /** Values that are not to be passed, by run. */
  readonly caps?: readonly number[]
}

/**
 * Small charts of the runs, the oldest on the left: verdicts, what was used of the budget, and time.
 * @param ids the requirements that are counted
 */
export function historyCharts(runs: readonly RunResults[], ids: ReadonlySet<string>): Promise<Html[]> {
  const counts = runs.map((run) => countsOf(run, ids))
  const bars = (values: readonly number[], kind: string): Bar[] =>
    values.map((value, run) => ({ run, value, kind }))
  const byVerdict = (some: readonly Verdict[]) => ({
    bars: some.flatMap((verdict) =>
      bars(
        counts.map((count) => count[verdict]),
        verdict,
      ),
    ),
    colours: Object.fromEntries(some.map((verdict) => [verdict, verdictColours[verdict]])),
    description: some
      .map((verdict) => `${verdict}: ${span(counts.map((count) => count[verdict]))}`)
      .join('; '),
  })
  const used = (kind: string, values: readonly number[], caps?: readonly number[]) => ({
    bars: bars(values, kind),
    colours: { [kind]: colour.used },
    description: `${span(values)}${caps ? `, of at most ${caps.at(-1)}` : ''}`,
    ...(caps && { caps }),
  })
  const budget = (name: keyof RunResults['budget']) => runs.map((run) => run.budget[name])
  const charts: Chart[] = [
    // On a scale of their own: one violation among hundreds that hold would not be seen.
    { id: 'open', title: 'Requirements violated or undecided', ...byVerdict(['fail', 'inconclusive']) },
    { id: 'verdicts', title: 'Requirements by verdict', ...byVerdict(verdicts) },
    { id: 'requests', title: 'Requests used', ...used('requests', budget('requests'), budget('requestCap')) },
    { id: 'logins', title: 'Logins used', ...used('logins', budget('logins'), budget('loginCap')) },
    { id: 'throttled', title: 'Throttled answers', ...used('throttled', budget('throttled')) },
    {
      id: 'time',
      title: 'Seconds a run took',
      ...used(
        'seconds',
        runs.map((run) => Math.round((wallTime(run.run) ?? 0) / 100) / 10),
      ),
    },
  ]
  return Promise.all(charts.map((chart) => draw(chart, runs)))
}

async function draw(chart: Chart, runs: readonly RunResults[]): Promise<Html> {
  const svg = await drawSvg(specOf(chart, runs), {
    id: `chart-${chart.id}`,
    className: chartClass,
    width,
    title: chart.title,
    description: `${chart.description}. The table below has the figures of each run.`,
  })
  return html`<figure><figcaption>${chart.title}</figcaption>${new Html(svg)}</figure>`
}

function specOf({ bars, colours, caps = [] }: Chart, runs: readonly RunResults[]): TopLevelSpec {
  const names = Object.keys(colours)
  const highest = Math.max(1, ...caps, ...sums(bars))
  // The bars of a few runs are no wider than those of some more.
  const places = Array.from({ length: Math.max(fewRuns, runs.length) }, (_, run) => run)
  const x = {
    field: 'run',
    type: 'ordinal',
    scale: { domain: places, paddingInner: 0.25, paddingOuter: 0.1 },
  } as const
  const days = runs.map(({ run }) => minuteOf(run.startedAt).slice(0, 10))
  const scale = { domain: [0, highest], nice: true }
  const y = { field: 'value', type: 'quantitative', scale, title: null } as const
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    ...plot,
    layer: [
      {
        data: { values: bars.map((bar) => ({ ...bar, order: names.indexOf(bar.kind) })) },
        mark: { type: 'bar' },
        encoding: {
          x: {
            ...x,
            axis: {
              title: null,
              labelAngle: 0,
              labelAlign: { expr: "datum.value === 0 ? 'left' : 'right'" },
              labelFlush: true,
              ticks: false,
              values: runs.length < fewRuns ? [0] : [0, runs.length - 1],
              labelExpr: `${JSON.stringify(days)}[datum.value]`,
              labelOverlap: false,
            },
          },
          y: {
            ...y,
            stack: 'zero',
            axis: {
              tickCount: 4,
              tickMinStep: 1,
              domain: false,
              ticks: false,
            },
          },
          order: { field: 'order' },
          color: {
            field: 'kind',
            type: 'nominal',
            scale: { domain: names, range: names.map((name) => colours[name] ?? colour.used) },
            legend:
              names.length > 1
                ? { orient: 'none', columns: 3, legendX: -axisWidth, legendY: -legendHeight }
                : null,
          },
        },
      },
      ...(caps.length === 0
        ? []
        : [
            {
              data: { values: caps.map((value, run) => ({ run, value })) },
              mark: {
                type: 'tick',
                thickness: 2,
                color: colour.limit,
                bandSize: plot.width / Math.max(1, runs.length),
              },
              encoding: { x, y },
            } as const,
          ]),
    ],
    config: {
      ...chartConfig,
      padding: { ...padding, top: padding.top + (names.length > 1 ? legendHeight : 0) },
      autosize: 'none',
    },
  }
}

/** Height of the stack of each run. */
function sums(bars: readonly Bar[]): number[] {
  return [...Map.groupBy(bars, ({ run }) => run).values()].map((some) =>
    some.reduce((sum, { value }) => sum + value, 0),
  )
}

/** `always 3`, or `3 to 9, 4 at last`. */
function span(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return least === most ? `always ${least}` : `${least} to ${most}, ${values.at(-1)} at last`
}
