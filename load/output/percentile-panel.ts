import { colour } from '../../src/chart/palette.ts'
import { axisWidth, type Panel, plotWidth } from './panel.ts'
import type { Percentiles, TimesByOutcome } from './percentiles.ts'
import { percentileText } from './words.ts'

const columns = { p50: 'p50', p90: 'p90', p99: 'p99', p999: 'p99.9', max: 'max' } as const
const rowHeight = 22

/** Percentiles in figures: rows of times, columns of parts. Nothing where there was no answer. */
export function percentilePanel({ accepted, throttled, answered, unanswered }: TimesByOutcome): Panel[] {
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
      text: percentileText(times[key as keyof Percentiles]),
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
