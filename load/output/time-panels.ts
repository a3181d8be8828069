import { colour } from '../../src/chart/palette.ts'
import { counted, milliseconds } from '../../src/text/format.ts'
import type { Identified } from '../limiter/index.ts'
import { identifiedIn, type ProbeResult, type Span } from '../result.ts'
import {
  barSeconds,
  bars,
  type Dot,
  dots,
  endOf,
  firstThrottledAt,
  medians,
  mergedWaits,
  totalWaitMs,
} from './chart-data.ts'
import { limiterPanel } from './limiter-replay.ts'
import { outcomes } from './outcome.ts'
import {
  dotLayer,
  hiddenAxis,
  type Layer,
  labelled,
  limiterRateText,
  named,
  outcomeColours,
  outcomeScale,
  type Panel,
  quantity,
  resolve,
  type Time,
} from './panel.ts'

/** Width of the narrowest bar, in pixels. */
const leastBar = 3

/** Requests and latency over time, one panel below the other. */
export function timePanels(result: ProbeResult, layout: Time['layout']): Panel[] {
  const end = endOf(result)
  const width = layout.plotWidth
  const grid = { width: barSeconds(end), least: (leastBar * end) / 1000 / width, waits: result.waits }
  const time = { x: quantity([0, end / 1000]), end, grid, layout }
  return [
    { width, height: 170, layer: rateLayers(result, time), resolve },
    ...limiterPanel(result, time),
    { width, height: 190, layer: latencyLayers(result, time), resolve },
  ]
}

/** Requests by outcome, with the rates of the schedule and of the limiter. */
function rateLayers(result: ProbeResult, time: Time): Layer[] {
  const { shots, waits, stages } = result
  const { x, end, grid, layout } = time
  const limiter = identifiedIn(result)
  const drawn = bars(shots, grid)
  const totals = [...Map.groupBy(drawn, ({ from }) => from).values()].map((sameBar) =>
    sameBar.reduce((sum, { rate }) => sum + rate, 0),
  )
  const schedule = stages
    .filter(({ from }) => from < end)
    .map(({ from, until, ratePerSecond: rate }) =>
      within({ from: from / 1000, until: until / 1000, rate }, end),
    )
  const highest = [...totals, ...schedule.map(({ rate }) => rate), limiter?.rate ?? 0, 1]
  // Leaves room for a line of text above the bars.
  const top = 1.18 * highest.reduce((one, other) => Math.max(one, other))
  const title = grid.width === 1 ? 'requests per bar' : 'requests/s'
  const y = { field: 'rate', ...quantity([0, top]), title }
  const first = firstThrottledAt(shots)
  const values = drawn.map((one) => ({ ...labelled(within(one, end)), order: outcomes.indexOf(one.outcome) }))
  return [
    ...waitLayers(waits, time, hiddenAxis),
    {
      data: { values },
      mark: { type: 'bar', binSpacing: 1 },
      encoding: {
        x: { field: 'from', ...x, axis: hiddenAxis, bin: { binned: true, step: grid.width } },
        x2: { field: 'until' },
        y: { ...y, stack: 'zero', axis: { tickCount: 5 } },
        order: { field: 'order' },
        color: {
          field: 'outcome',
          type: 'nominal',
          scale: outcomeScale(drawn, outcomeColours),
          legend: { symbolType: 'square', columns: layout.legendColumns },
        },
      },
    },
    ...spanLayers(
      schedule,
      { type: 'rule', strokeWidth: 2, strokeDash: [2, 3] },
      { ...x, axis: hiddenAxis },
      { y, color: named('schedule', colour.schedule, 'stroke', layout) },
    ),
    ...(limiter ? [limiterRateLayer(limiter, y, layout)] : []),
    ...(first === undefined ? [] : firstThrottledLayers(first / 1000, time)),
  ]
}

/** A mark for each span, in seconds; empty without spans. */
function spanLayers(
  values: readonly Span[],
  mark: Extract<Layer, { mark: unknown }>['mark'],
  x: object,
  encoding: object,
): Layer[] {
  if (values.length === 0) return []
  return [
    {
      data: { values: [...values] },
      mark,
      encoding: { x: { field: 'from', ...x }, x2: { field: 'until' }, ...encoding },
    },
  ]
}

function limiterRateLayer(limiter: Identified, y: object, layout: Time['layout']): Layer {
  return {
    data: { values: [{ rate: limiter.rate }] },
    mark: { type: 'rule', strokeWidth: 2 },
    encoding: {
      y,
      color: named(limiterRateText(limiter), colour.limit, 'stroke', layout),
    },
  }
}

/** A line at the first 429, with text on the side that has room. */
function firstThrottledLayers(at: number, { x, end }: Time): Layer[] {
  const data = { values: [{ at, label: `first 429 at ${at.toFixed(1)} s` }] }
  const right = at < (0.75 * end) / 1000
  const side = right ? { align: 'left' as const, dx: 5 } : { align: 'right' as const, dx: -5 }
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
        baseline: 'top',
        y: 2,
        ...side,
      },
      encoding: { x: { field: 'at', ...x }, text: { field: 'label' } },
    },
  ]
}

/** Latency of each request on a log axis, and medians. */
function latencyLayers({ shots, waits }: ProbeResult, time: Time): Layer[] {
  const { x, end, grid, layout } = time
  const drawn = dots(shots, end)
  const values = decadesOf(drawn)
  const y = {
    field: 'latency',
    ...quantity([values[0] ?? 1, values.at(-1) ?? 10], { type: 'log' }),
    title: 'response time',
    axis: { values, labelExpr: "datum.value >= 1000 ? datum.value / 1000 + ' s' : datum.value + ' ms'" },
  }
  const axis = {
    title: 'time since the probe began to send (s)',
    grid: false,
    tickCount: layout.ticks,
  } as const
  const medianSpans = medians(shots, grid).map((one) => within(one, end))
  const text = `waits for Retry-After: ${counted(mergedWaits(waits).length, 'time')}, ${milliseconds(totalWaitMs(waits))} in total`
  return [
    ...waitLayers(waits, time, axis, { color: named(text, colour.wait, 'square', layout) }),
    dotLayer(drawn, { ...x, axis }, y),
    ...spanLayers(
      medianSpans,
      { type: 'rule', strokeWidth: 2.5 },
      { ...x, axis },
      { y, color: named('median of 2xx and 3xx', colour.ink, 'stroke', layout) },
    ),
  ]
}

/** The powers of ten around all latencies: whole decades, so that the axis has at least two labels. */
function decadesOf(drawn: readonly Dot[]): number[] {
  const latencies = drawn.length === 0 ? [1] : drawn.map(({ latency }) => latency)
  const least = Math.floor(Math.log10(Math.min(...latencies)))
  const most = Math.floor(Math.log10(Math.max(...latencies))) + 1
  return Array.from({ length: most - least + 1 }, (_, index) => Number(`1e${least + index}`))
}

function waitLayers(waits: readonly Span[], { x, end }: Time, axis: object, encoding: object = {}): Layer[] {
  const values = mergedWaits(waits, end).map(({ from, until }) => ({
    from: from / 1000,
    until: until / 1000,
  }))
  return spanLayers(values, { type: 'rect', color: colour.wait }, { ...x, axis }, encoding)
}

/** Cuts a span at the end of the axis. @param span in seconds @param end in milliseconds */
function within<T extends { readonly until: number }>(span: T, end: number): T {
  return { ...span, until: Math.min(span.until, end / 1000) }
}
