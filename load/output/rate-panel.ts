import { colour } from '../../src/chart/palette.ts'
import type { ProbeResult } from '../result.ts'
import { outcomes } from './outcome.ts'
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
import { bars, firstThrottledAt } from './series.ts'
import { rateText } from './words.ts'

/** A rate that a limiter was found to allow. */
export interface Level {
  readonly ratePerSecond: number
  /** What it is, in a few words. */
  readonly label: string
}

/** Requests by outcome over time, with the rates that were wanted and that are allowed. */
export function ratePanel(
  { shots, holds, stages }: ProbeResult,
  time: Time,
  level: Level | undefined,
): Panel {
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
      data: {
        values: drawn.map((one) => ({
          ...labelled(within(one, end)),
          order: outcomes.indexOf(one.outcome),
        })),
      },
      mark: { type: 'bar', binSpacing: 1 },
      encoding: {
        x: { field: 'from', ...x, axis, bin: { binned: true, step: bar } },
        x2: { field: 'until' },
        y: { ...y, stack: 'zero', axis: { tickCount: 5 } },
        order: { field: 'order' },
        color: {
          field: 'outcome',
          type: 'nominal',
          scale: outcomeScale(drawn, outcomeColours),
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
