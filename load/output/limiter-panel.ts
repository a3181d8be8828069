import { colour } from '../../src/chart/palette.ts'
import { limiterName } from '../limiter/index.ts'
import type { ProbeResult } from '../result.ts'
import { replayOf } from './limiter-replay.ts'
import { type Layer, labelled, named, outcomeStyle, type Panel, quantity, type Time } from './panel.ts'

/**
 * The identified limiter as a line over the requests: it is right if each 429 is at 0 and each other response above.
 * Empty without an identified limiter that refuses requests.
 */
export function limiterPanel({ shots, limiter }: ProbeResult, { x, end, layout }: Time): Panel[] {
  const replay = limiter?.result === 'identified' ? replayOf(shots, limiter) : undefined
  if (limiter?.result !== 'identified' || replay === undefined) return []
  const label = `${limiterName(limiter)}: requests left`
  const axis = { title: null, labels: false, ticks: false, grid: false } as const
  const inTime = <Value extends { readonly at: number }>(values: readonly Value[]) =>
    values.filter(({ at }) => at <= end / 1000)
  const y = {
    field: 'remaining',
    ...quantity([-0.06 * (limiter.capacity ?? 1), 1.08 * (limiter.capacity ?? 1)]),
    title: 'requests left',
    axis: { tickCount: 4, tickMinStep: 1 },
  }
  const line: Layer = {
    data: { values: inTime(replay.line) },
    mark: { type: 'line', strokeWidth: 1.5 },
    encoding: {
      x: { field: 'at', ...x, axis },
      y,
      order: { field: 'order' },
      color: named(label, colour.limit, 'stroke', layout),
    },
  }
  const dots: Layer = {
    data: { values: inTime(replay.shots).map(labelled) },
    mark: { type: 'point', filled: true, opacity: 0.8 },
    encoding: { x: { field: 'at', ...x, axis }, y, ...outcomeStyle(replay.shots) },
  }
  return [
    {
      width: layout.plotWidth,
      height: 130,
      layer: [line, dots],
      resolve: { scale: { color: 'independent' } },
    },
  ]
}
