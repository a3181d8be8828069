import { colour } from '../../src/chart/palette.ts'
import type { ProbeResult } from '../result.ts'
import { type Outcome, outcomeText } from './outcome.ts'
import {
  type Layer,
  labelled,
  named,
  outcomeColours,
  outcomeScale,
  type Panel,
  plotWidth,
  quantity,
  type Time,
  waitLayer,
  within,
} from './panel.ts'
import { askedToWaitMs, type Dot, dots, medians, waits } from './series.ts'
import { milliseconds } from './words.ts'

const shapes: Readonly<Record<Outcome, string>> = {
  accepted: 'circle',
  throttled: 'cross',
  'client-error': 'square',
  'server-error': 'diamond',
  unanswered: 'triangle-up',
}

/** Latency of each request over time, on a log axis. */
export function latencyPanel({ shots, holds }: ProbeResult, time: Time): Panel {
  const { x, end, bar } = time
  const drawn = dots(shots, end)
  const values = decadesOf(drawn)
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
  const middle = medians(shots, bar)
  const layers: Layer[] = [
    ...waitLayer(holds, time, axis, waitLabel(holds)),
    {
      data: { values: drawn.map(labelled) },
      mark: { type: 'point', filled: true, opacity: 0.8 },
      encoding: {
        x: { field: 'at', ...x, axis },
        y: { ...y, axis: axisY },
        color: {
          field: 'outcome',
          type: 'nominal',
          scale: outcomeScale(drawn, outcomeColours),
          legend: null,
        },
        // What went wrong stands out, however little of it there is.
        size: {
          condition: { test: { field: 'outcome', oneOf: [outcomeText.accepted] }, value: 34 },
          value: 70,
        },
        shape: { field: 'outcome', type: 'nominal', scale: outcomeScale(drawn, shapes), legend: null },
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

/** The powers of ten around all latencies: whole decades, so that the axis has at least two labels. */
function decadesOf(drawn: readonly Dot[]): number[] {
  const latencies = drawn.length === 0 ? [1] : drawn.map(({ latency }) => latency)
  const least = Math.floor(Math.log10(Math.min(...latencies)))
  const most = Math.floor(Math.log10(Math.max(...latencies))) + 1
  return Array.from({ length: most - least + 1 }, (_, index) => Number(`1e${least + index}`))
}

function waitLabel(holds: ProbeResult['holds']): string {
  const { length } = waits(holds, Number.POSITIVE_INFINITY)
  return `waits asked for: ${length}, ${milliseconds(askedToWaitMs(holds))} in all`
}
