import type { TopLevelSpec } from 'vega-lite'
import type { ProbeResult } from '../result.ts'
import { latencyPanel } from './latency-panel.ts'
import { colour } from './palette.ts'
import { axisWidth, plotWidth, quantity, type Time } from './panel.ts'
import { percentilePanel } from './percentile-panel.ts'
import { timesByOutcome } from './percentiles.ts'
import { type Level, ratePanel } from './rate-panel.ts'
import { barSeconds, lastMoment } from './series.ts'

export interface ChartText {
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
