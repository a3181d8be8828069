import type { TopLevelSpec } from 'vega-lite'
import { colour } from '../../src/chart/palette.ts'
import { rateText, wrap } from '../../src/text/format.ts'
import { type Identified, limiterName } from '../limiter/index.ts'
import type { BarGrid, Dot } from './chart-data.ts'
import { outcomes, outcomeText, type ShotOutcome } from './outcome.ts'

/** Width in pixels of the axis on the left of a plot. */
export const axisWidth = 56

/** A chart for wide pages and one for phones. */
export type ChartForm = 'wide' | 'narrow'

/** The sizes of a chart; lengths are in pixels unless stated otherwise. */
interface Layout {
  readonly width: number
  readonly plotWidth: number
  /** Characters per line of the title. */
  readonly titleLength: number
  /** Characters per line of other texts. */
  readonly lineLength: number
  /** Approximate number of labels on the time axis. */
  readonly ticks: number
  readonly legendColumns: number
  /** Characters per line of a legend. */
  readonly legendLength: number
  readonly legendDirection: 'horizontal' | 'vertical'
  /** The table of percentiles. */
  readonly table: {
    /** Left edge of the values. */
    readonly from: number
    readonly rowHeight: number
    /** Offsets of a row's label and values from its middle. */
    readonly labelY: number
    readonly valueY: number
  }
}

export const layouts: Readonly<Record<ChartForm, Layout>> = {
  wide: {
    ...{ width: 800, plotWidth: 700, titleLength: 84, lineLength: 108, ticks: 10 },
    ...{ legendColumns: 3, legendLength: 100, legendDirection: 'horizontal' },
    table: { from: 220, rowHeight: 22, labelY: 0, valueY: 0 },
  },
  narrow: {
    ...{ width: 358, plotWidth: 270, titleLength: 36, lineLength: 50, ticks: 6 },
    ...{ legendColumns: 1, legendLength: 38, legendDirection: 'vertical' },
    table: { from: -48, rowHeight: 40, labelY: -9, valueY: 9 },
  },
}

export type Panel = Extract<TopLevelSpec, { vconcat: unknown }>['vconcat'][number]
export type Layer = Extract<TopLevelSpec, { layer: unknown }>['layer'][number]

/** The time axis that panels share. */
export interface Time {
  /** The axis, in seconds. */
  readonly x: ReturnType<typeof quantity>
  /** End of the axis, in milliseconds. */
  readonly end: number
  readonly grid: BarGrid
  readonly layout: Layout
}

export const outcomeColours: Readonly<Record<ShotOutcome, string>> = {
  accepted: colour.accepted,
  throttled: colour.throttled,
  'client-error': colour.clientError,
  'server-error': colour.serverError,
  unanswered: colour.unanswered,
}

const outcomeShapes: Readonly<Record<ShotOutcome, string>> = {
  accepted: 'circle',
  throttled: 'cross',
  'client-error': 'square',
  'server-error': 'diamond',
  unanswered: 'triangle-up',
}

/** An axis of exactly this extent. */
export function quantity(domain: number[], scale: { readonly type?: 'log' } = {}) {
  return { type: 'quantitative', scale: { ...scale, domain, nice: false } } as const
}

/** A scale for the outcomes that occur, each under its text in the legend. */
export function outcomeScale(
  drawn: readonly { outcome: ShotOutcome }[],
  range: Readonly<Record<ShotOutcome, string>>,
) {
  const occurring = outcomes.filter((outcome) => drawn.some((one) => one.outcome === outcome))
  return {
    domain: occurring.map((outcome) => outcomeText[outcome]),
    range: occurring.map((outcome) => range[outcome]),
  }
}

/** The x axis of a panel above the lowest panel, which alone shows the times. */
export const hiddenAxis = { title: null, labels: false, ticks: false, grid: false } as const

/** Gives each layer of a panel its own legend. */
export const resolve = { scale: { color: 'independent' } } as const

export function dotLayer(dots: readonly Pick<Dot, 'at' | 'outcome'>[], x: object, y: object): Layer {
  return {
    data: { values: dots.map(labelled) },
    mark: { type: 'point', filled: true, opacity: 0.8 },
    encoding: { x: { field: 'at', ...x }, y, ...outcomeStyle(dots) },
  }
}

/** `token bucket: 0.5 requests/s` */
export function limiterRateText(limiter: Identified): string {
  return `${limiterName(limiter)}: ${rateText(limiter.rate)} requests/s`
}

/** Replaces an outcome by its text. */
export function labelled<T extends { readonly outcome: ShotOutcome }>(one: T) {
  return { ...one, outcome: outcomeText[one.outcome] }
}

/** The colour of a layer, with its text in the legend. */
export function named(
  text: string,
  value: string,
  symbolType: 'stroke' | 'square',
  { legendLength }: Pick<Layout, 'legendLength'>,
) {
  const label = wrap(text, legendLength, 0).join('\n')
  const dash = value === colour.schedule ? { symbolDash: [2, 3] } : {}
  return {
    datum: label,
    type: 'nominal',
    scale: { domain: [label], range: [value] },
    legend: { symbolType, ...dash, labelExpr: "split(datum.label, '\\n')" },
  } as const
}

/** Colour, shape and size of dots by outcome. */
function outcomeStyle(drawn: readonly { outcome: ShotOutcome }[]) {
  const outcome = { field: 'outcome', type: 'nominal' as const, legend: null }
  return {
    color: { ...outcome, scale: outcomeScale(drawn, outcomeColours) },
    // Draw errors prominently, even if there are few.
    size: { condition: { test: { field: 'outcome', oneOf: [outcomeText.accepted] }, value: 34 }, value: 70 },
    shape: { ...outcome, scale: outcomeScale(drawn, outcomeShapes) },
  }
}
