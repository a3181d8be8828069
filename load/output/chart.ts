import type { TopLevelSpec } from 'vega-lite'
import { chartConfig, drawSvg } from '../../src/chart/draw.ts'
import { colour } from '../../src/chart/palette.ts'
import { capitalized, counted, milliseconds, minuteOf, wrap } from '../../src/text/format.ts'
import { identifiedIn, nameOf, type ProbeResult } from '../result.ts'
import { barSeconds, endOf, firstThrottledAt, totalWaitMs } from './chart-data.ts'
import { outcomeCounts } from './outcome.ts'
import { axisWidth, type ChartForm, layouts, limiterRateText, type Panel } from './panel.ts'
import {
  latencyText,
  type Percentiles,
  percentileText,
  type TimesByOutcome,
  timesByOutcome,
} from './percentiles.ts'
import { timePanels } from './time-panels.ts'

const className = 'plumbline-probe'

/**
 * Draws a probe as an SVG: requests, 429s and latency over time, with Retry-After waits and percentiles. The SVG
 * follows the reader's colour scheme, loads nothing, and contains no script.
 */
export async function probeChart(result: ProbeResult, form: ChartForm = 'wide'): Promise<string> {
  const title = `${nameOf(result)}, ${minuteOf(result.startedAt)}`
  return drawSvg(chartSpec(result, title, layouts[form]), {
    className,
    width: layouts[form].width,
    title,
    description: chartDescription(result),
  })
}

function chartSpec(result: ProbeResult, title: string, layout: (typeof layouts)[ChartForm]): TopLevelSpec {
  const { titleLength, lineLength, legendDirection } = layout
  // The types of Vega-Lite lack this option.
  const stacked: object = { layout: { top: { anchor: 'start', direction: legendDirection } } }
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    title: {
      text: wrap(capitalized(result.headline ?? result.finding), titleLength, 0),
      subtitle: [
        title,
        ...[...pauseText(result), ...barText(result)].flatMap((line) => wrap(line, lineLength, 0)),
        ...(result.ended === null ? [] : wrap(`Ended early: ${result.ended}.`, lineLength, 0)),
      ],
      anchor: 'start',
      frame: 'group',
      dx: -axisWidth,
      offset: 14,
      fontSize: 16,
      color: colour.ink,
      subtitleColor: colour.ink,
      subtitleFontSize: 13,
      subtitleLineHeight: 18,
      subtitlePadding: 6,
    },
    spacing: 16,
    vconcat: [...timePanels(result, layout), ...percentilePanel(timesByOutcome(result.shots), layout)],
    config: {
      ...chartConfig,
      padding: 12,
      axisY: { minExtent: axisWidth - 16, maxExtent: axisWidth - 16, domain: false, ticks: false },
      legend: {
        ...chartConfig.legend,
        // No limit: Vega overestimates the width of letters, and would cut off labels that have room.
        labelLimit: 0,
        ...stacked,
      },
    },
  }
}

/** Explains bars of different widths, which occur beside waits. */
function barText(result: ProbeResult): string[] {
  if (result.waits.length === 0) return []
  const width = barSeconds(endOf(result))
  const divided = width === 1 ? '' : ` divided by ${width} s, even if it covers less`
  return [
    `A bar covers ${width} s, or less where a wait for Retry-After (red area) begins or ends. Its height is its number of requests${divided}.`,
  ]
}

/** Explains the pause of the probe `limiter` after its first request. */
function pauseText({ probe, shots }: ProbeResult): string[] {
  const [first, second] = shots
  if (probe !== 'limiter' || !first || !second) return []
  const pauseMs = second.sentAt - first.endedAt
  const pause = `${Math.round(pauseMs / 1000)} s`
  return pauseMs < 1000
    ? []
    : [
        `To tell window types apart, the probe sends one request, pauses for ${pause}, then sends the others. In a sliding window, the first request expires ${pause} before the others, so when the limit lifts, only one new request is admitted. In a fixed window, all of them expire at the same moment.`,
      ]
}

const columns = { p50: 'p50', p90: 'p90', p99: 'p99', p999: 'p99.9', max: 'max' } as const

function percentilePanel(
  { accepted, throttled, answered, unanswered }: TimesByOutcome,
  { plotWidth, table }: (typeof layouts)[ChartForm],
): Panel[] {
  const [name, first] = accepted.count > 0 ? ['with 2xx or 3xx', accepted] : ['responses', answered]
  const rows = [
    { row: `response time, ${first.count} ${name}`, times: first.latencyMs },
    { row: `service time, ${first.count} ${name}`, times: first.serviceTimeMs },
    { row: `response time, ${throttled.count} with 429`, times: throttled.latencyMs },
  ].flatMap(({ row, times }) => (times ? [{ row, times }] : []))
  if (rows.length === 0) return []
  const cells = rows.flatMap(({ row, times }) =>
    Object.entries(columns).map(([key, column]) => ({
      row,
      column,
      text: percentileText(times[key as keyof Percentiles]),
    })),
  )
  const note = [
    { row: 'Response time counts from the scheduled start,' },
    { row: 'service time from the actual start.' },
    ...(unanswered === 0 ? [] : [{ row: `${unanswered} without a response: not in the percentiles` }]),
  ]
  const all = [...rows, ...note].map(({ row }) => row)
  const y = { field: 'row', type: 'ordinal', sort: all, scale: { domain: all }, axis: null } as const
  const x = {
    field: 'column',
    type: 'ordinal',
    sort: Object.values(columns),
    scale: { range: [table.from, plotWidth] as number[] },
    axis: { orient: 'top', title: null, labelAngle: 0, domain: false, ticks: false },
  } as const
  const mark = { type: 'text', color: colour.ink, fontSize: 13 } as const
  return [
    {
      width: plotWidth,
      height: all.length * table.rowHeight,
      layer: [
        {
          data: { values: cells },
          mark: { ...mark, dy: table.valueY },
          encoding: { x, y, text: { field: 'text', type: 'nominal' } },
        },
        {
          data: { values: all.map((row) => ({ row })) },
          mark: { ...mark, align: 'left', x: -axisWidth, dy: table.labelY },
          encoding: { y, text: { field: 'row', type: 'nominal' } },
        },
      ],
    },
  ]
}

/** A text description of the chart, for screen readers. */
export function chartDescription(result: ProbeResult): string {
  const { shots, waits } = result
  const answers = outcomeCounts(shots)
  const first = firstThrottledAt(shots)
  const waitMs = totalWaitMs(waits)
  const limiter = identifiedIn(result)
  const { accepted } = timesByOutcome(shots)
  return [
    result.finding,
    `${counted(shots.length, 'request')} ${shots.length === 1 ? 'was' : 'were'} sent${answers.length > 0 ? `: ${answers.join(', ')}` : ''}.`,
    first === undefined ? 'There was no 429.' : `The first 429 arrived after ${milliseconds(first)}.`,
    ...(waitMs > 0 ? [`Waits for Retry-After: ${milliseconds(waitMs)} in total.`] : []),
    ...(accepted.latencyMs
      ? [
          `Latency of accepted requests: ${latencyText(accepted)}, at most ${milliseconds(accepted.latencyMs.max)}.`,
        ]
      : []),
    ...(limiter ? [`${limiterRateText(limiter)}.`] : []),
    ...(result.ended === null ? [] : [`Ended early: ${result.ended}.`]),
  ].join(' ')
}
