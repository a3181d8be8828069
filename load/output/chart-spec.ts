import type { TopLevelSpec } from 'vega-lite'
import { chartConfig } from '../../src/chart/draw.ts'
import { colour } from '../../src/chart/palette.ts'
import type { ProbeResult } from '../result.ts'
import { latencyPanel } from './latency-panel.ts'
import { axisWidth, plotWidth, quantity, type Time } from './panel.ts'
import { percentilePanel } from './percentile-panel.ts'
import { timesByOutcome } from './percentiles.ts'
import { type Level, ratePanel } from './rate-panel.ts'
import { barSeconds, lastMoment } from './series.ts'

interface ChartText {
  readonly title: string
  /** Lines below the title, each short enough for the width. */
  readonly lines: readonly string[]
}

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
      ...chartConfig,
      padding: 12,
      axisY: { minExtent: axisWidth - 16, maxExtent: axisWidth - 16, domain: false, ticks: false },
      legend: { ...chartConfig.legend, labelLimit: plotWidth },
    },
  }
}
