import type { TopLevelSpec } from 'vega-lite'
import type { ProbeResult } from '../result.ts'
import { colour } from './palette.ts'
import { type Percentiles, type TimesByOutcome, timesByOutcome } from './percentiles.ts'
import {
  barSeconds,
  bars,
  dots,
  firstThrottledAt,
  lastMoment,
  medians,
  type Outcome,
  outcomes,
  waits,
} from './series.ts'
import { milliseconds, rateText } from './words.ts'

/** A rate that a limiter was found to allow. */
export interface Level {
  readonly ratePerSecond: number
  /** What it is, in a few words. */
  readonly label: string
}

export interface ChartText {
  readonly title: string
  /** Lines below the title, each short enough for the width. */
  readonly lines: readonly string[]
}

const plotWidth = 700
const axisWidth = 56

const colours: Readonly<Record<Outcome, string>> = {
  '2xx, 3xx': colour.accepted,
  '429': colour.throttled,
  'other 4xx': colour.clientError,
  '5xx': colour.serverError,
  'no answer': colour.unanswered,
}
const shapes: Readonly<Record<Outcome, string>> = {
  '2xx, 3xx': 'circle',
  '429': 'cross',
  'other 4xx': 'square',
  '5xx': 'diamond',
  'no answer': 'triangle-up',
}

type Panel = Extract<TopLevelSpec, { vconcat: unknown }>['vconcat'][number]
type Layer = Extract<TopLevelSpec, { layer: unknown }>['layer'][number]

/** A probe in three panels, one below the other: what was sent, how long it took, and percentiles. */
export function chartSpec(result: ProbeResult, text: ChartText, level: Level | undefined): TopLevelSpec {
  const end = lastMoment(result)
  const time: Time = { x: quantity([0, end / 1000]), end, bar: barSeconds(end) }
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    title: {
      text: text.title,
      subtitle: [...text.lines],
      anchor: 'start',
      frame: 'group',
      dx: -axisWidth,
      offset: 14,
      fontSize: 18,
      color: colour.ink,
      subtitleColor: colour.ink,
      subtitleFontSize: 13,
      subtitleLineHeight: 18,
      subtitlePadding: 6,
    },
    spacing: 16,
    vconcat: [
      ratePanel(result, time, level),
      latencyPanel(result, time),
      ...percentilePanel(timesByOutcome(result.shots)),
    ],
    config: {
      aria: false,
      background: colour.ground,
      padding: 12,
      font: 'system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif',
      view: { stroke: null },
      axis: {
        labelColor: colour.quiet,
        titleColor: colour.quiet,
        titleFontWeight: 'normal',
        labelFontSize: 12,
        titleFontSize: 12,
        domainColor: colour.quiet,
        tickColor: colour.quiet,
        gridColor: colour.grid,
      },
      axisY: { minExtent: axisWidth - 16, maxExtent: axisWidth - 16, domain: false, ticks: false },
      legend: {
        orient: 'top',
        title: null,
        direction: 'horizontal',
        offset: 6,
        labelColor: colour.ink,
        labelFontSize: 12,
        labelLimit: plotWidth,
        symbolSize: 90,
        symbolStrokeWidth: 2,
      },
    },
  }
}

interface Quantity {
  readonly type: 'quantitative'
  readonly scale: { readonly type?: 'log'; readonly domain: number[]; readonly nice: false }
}

/** An axis of exactly this extent. */
function quantity(domain: number[], scale: { readonly type?: 'log' } = {}): Quantity {
  return { type: 'quantitative', scale: { ...scale, domain, nice: false } }
}

/** The axis that panels share. */
interface Time {
  /** In seconds. */
  readonly x: Quantity
  /** In milliseconds. */
  readonly end: number
  /** Width of a bar, in seconds. */
  readonly bar: number
}

/** Colours by outcome, of those that occur. */
function outcomeColours(occurring: readonly { readonly outcome: Outcome }[]) {
  const domain = outcomes.filter((outcome) => occurring.some((one) => one.outcome === outcome))
  return { domain, range: domain.map((outcome) => colours[outcome]) }
}

/** One colour with a line of its own in the legend. */
function named(label: string, value: string, symbolType: 'stroke' | 'square') {
  const dash = value === colour.schedule ? { symbolDash: [2, 3] } : {}
  return {
    datum: label,
    type: 'nominal',
    scale: { domain: [label], range: [value] },
    legend: { symbolType, ...dash },
  } as const
}

function ratePanel({ shots, holds, stages }: ProbeResult, time: Time, level: Level | undefined): Panel {
  const { x, end, bar } = time
  const drawn = bars(shots, bar)
  const totals = [...Map.groupBy(drawn, ({ from }) => from).values()].map((some) =>
    some.reduce((sum, { rate }) => sum + rate, 0),
  )
  const schedule = stages
    .filter(({ from }) => from < end)
    .map(({ from, until, ratePerSecond: rate }) => ({
      from: from / 1000,
      until: Math.min(until, end) / 1000,
      rate,
    }))
  const highest = [...totals, ...schedule.map(({ rate }) => rate), level?.ratePerSecond ?? 0, 1]
  // Room for a line of words above.
  const top = 1.18 * highest.reduce((one, other) => Math.max(one, other))
  const y = { field: 'rate', ...quantity([0, top]), title: 'requests a second' }
  const axis = { title: null, labels: false, ticks: false, grid: false } as const
  const first = firstThrottledAt(shots)
  const layers: Layer[] = [
    ...waitLayer(holds, time, axis, null),
    {
      data: { values: drawn.map((one) => ({ ...within(one, end), order: outcomes.indexOf(one.outcome) })) },
      mark: { type: 'bar', binSpacing: 1 },
      encoding: {
        x: { field: 'from', ...x, axis, bin: { binned: true, step: bar } },
        x2: { field: 'until' },
        y: { ...y, stack: 'zero', axis: { tickCount: 5 } },
        order: { field: 'order' },
        color: {
          field: 'outcome',
          type: 'nominal',
          scale: outcomeColours(drawn),
          legend: { symbolType: 'square', columns: 3 },
        },
      },
    },
  ]
  if (schedule.length > 0)
    layers.push({
      data: { values: schedule },
      mark: { type: 'rule', strokeWidth: 2, strokeDash: [2, 3] },
      encoding: {
        x: { field: 'from', ...x, axis },
        x2: { field: 'until' },
        y,
        color: named('schedule', colour.schedule, 'stroke'),
      },
    })
  if (level)
    layers.push({
      data: { values: [{ rate: level.ratePerSecond }] },
      mark: { type: 'rule', strokeWidth: 2 },
      encoding: {
        y,
        color: named(`${level.label}: ${rateText(level.ratePerSecond)} a second`, colour.limit, 'stroke'),
      },
    })
  if (first !== undefined) layers.push(...momentLayers(first / 1000, time))
  return {
    width: plotWidth,
    height: 170,
    layer: layers,
    resolve: { scale: { color: 'independent' } },
  }
}

/** What would end after the axis does ends with it. */
function within<T extends { readonly until: number }>(span: T, end: number): T {
  return { ...span, until: Math.min(span.until, end / 1000) }
}

/** The waits that the target asked for, as ground behind what happened. */
function waitLayer(
  holds: ProbeResult['holds'],
  { x, end }: Time,
  axis: object,
  label: string | null,
): Layer[] {
  const values = waits(holds, end).map(({ from, until }) => ({ from: from / 1000, until: until / 1000 }))
  if (values.length === 0) return []
  return [
    {
      data: { values },
      mark: { type: 'rect', color: colour.wait },
      encoding: {
        x: { field: 'from', ...x, axis },
        x2: { field: 'until' },
        ...(label !== null && { color: named(label, colour.wait, 'square') }),
      },
    },
  ]
}

/** A line across the panel where the first 429 came, with words on the side where there is room. */
function momentLayers(at: number, { x, end }: Time): Layer[] {
  const data = { values: [{ at, label: `first 429 at ${at.toFixed(1)} s` }] }
  const right = at < (0.75 * end) / 1000
  return [
    {
      data,
      mark: { type: 'rule', color: colour.throttled, strokeWidth: 1.5 },
      encoding: { x: { field: 'at', ...x } },
    },
    {
      data,
      mark: {
        type: 'text',
        color: colour.throttled,
        fontWeight: 'bold',
        fontSize: 12,
        align: right ? 'left' : 'right',
        baseline: 'top',
        dx: right ? 5 : -5,
        y: 2,
      },
      encoding: { x: { field: 'at', ...x }, text: { field: 'label' } },
    },
  ]
}

function latencyPanel({ shots, holds }: ProbeResult, time: Time): Panel {
  const { x, end, bar } = time
  const drawn = dots(shots, end)
  const latencies = drawn.map(({ latency }) => latency)
  const [least, most] = [Math.min, Math.max].map((of) =>
    Math.log10(latencies.reduce((one, other) => of(one, other), latencies[0] ?? 1)),
  ) as [number, number]
  // Whole decades, so that the axis has at least two labels.
  const decades = Array.from(
    { length: Math.floor(most) - Math.floor(least) + 2 },
    (_, index) => Math.floor(least) + index,
  )
  const values = decades.map((decade) => Number(`1e${decade}`))
  const y = {
    field: 'latency',
    ...quantity([values[0] ?? 1, values.at(-1) ?? 10], { type: 'log' }),
    title: 'latency from intended start',
  }
  const axisY = {
    values,
    labelExpr: "datum.value >= 1000 ? datum.value / 1000 + ' s' : datum.value + ' ms'",
  }
  const axis = { title: 'seconds since the probe began', grid: false, tickCount: 10 } as const
  const scale = outcomeColours(drawn)
  const middle = medians(shots, bar)
  const layers: Layer[] = [
    ...waitLayer(holds, time, axis, waitLabel(holds)),
    {
      data: { values: drawn },
      mark: { type: 'point', filled: true, opacity: 0.8 },
      encoding: {
        x: { field: 'at', ...x, axis },
        y: { ...y, axis: axisY },
        color: { field: 'outcome', type: 'nominal', scale, legend: null },
        // What went wrong stands out, however little of it there is.
        size: { condition: { test: { field: 'outcome', oneOf: ['2xx, 3xx'] }, value: 34 }, value: 70 },
        shape: {
          field: 'outcome',
          type: 'nominal',
          scale: { domain: scale.domain, range: scale.domain.map((outcome) => shapes[outcome]) },
          legend: null,
        },
      },
    },
  ]
  if (middle.length > 0)
    layers.push({
      data: { values: middle.map((one) => within(one, end)) },
      mark: { type: 'rule', strokeWidth: 2.5 },
      encoding: {
        x: { field: 'from', ...x, axis },
        x2: { field: 'until' },
        y: { ...y, axis: axisY },
        color: named('median of 2xx and 3xx', colour.ink, 'stroke'),
      },
    })
  return {
    width: plotWidth,
    height: 190,
    layer: layers,
    resolve: { scale: { color: 'independent' } },
  }
}

function waitLabel(holds: ProbeResult['holds']): string {
  const all = waits(holds, Number.POSITIVE_INFINITY)
  return `waits asked for: ${all.length}, ${milliseconds(all.reduce((sum, { from, until }) => sum + until - from, 0))} in all`
}

const columns = { p50: 'p50', p90: 'p90', p99: 'p99', p999: 'p99.9', max: 'max' } as const
const rowHeight = 22

/** Percentiles in figures: rows of times, columns of parts. Nothing where there was no answer. */
function percentilePanel({ accepted, throttled, answered, unanswered }: TimesByOutcome): Panel[] {
  const [name, first] = accepted.count > 0 ? ['with 2xx or 3xx', accepted] : ['of any answer', answered]
  const rows = [
    { row: `latency, ${first.count} ${name}`, times: first.latencyMs },
    { row: 'service time of the same', times: first.serviceTimeMs },
    { row: `latency, ${throttled.count} with 429`, times: throttled.latencyMs },
  ].flatMap(({ row, times }) => (times ? [{ row, times }] : []))
  if (rows.length === 0) return []
  const cells = rows.flatMap(({ row, times }) =>
    Object.entries(columns).map(([key, column]) => ({
      row,
      column,
      text: milliseconds(times[key as keyof Percentiles]),
    })),
  )
  const note = unanswered === 0 ? [] : [{ row: `${unanswered} without an answer: in no percentile` }]
  const all = [...rows, ...note].map(({ row }) => row)
  const y = { field: 'row', type: 'ordinal', sort: all, scale: { domain: all }, axis: null } as const
  const sort = Object.values(columns)
  return [
    {
      width: plotWidth,
      height: all.length * rowHeight,
      layer: [
        {
          data: { values: cells },
          mark: { type: 'text', color: colour.ink, fontSize: 13 },
          encoding: {
            x: {
              field: 'column',
              type: 'ordinal',
              sort,
              scale: { range: [220, plotWidth] },
              axis: { orient: 'top', title: null, labelAngle: 0, domain: false, ticks: false },
            },
            y,
            text: { field: 'text', type: 'nominal' },
          },
        },
        {
          data: { values: all.map((row) => ({ row })) },
          mark: { type: 'text', color: colour.ink, fontSize: 13, align: 'left', x: -axisWidth },
          encoding: { y, text: { field: 'row', type: 'nominal' } },
        },
      ],
    },
  ]
}
