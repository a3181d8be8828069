import type { TopLevelSpec } from 'vega-lite'
import { colour } from '../../src/chart/palette.ts'
import type { ProbeResult } from '../result.ts'
import { type Outcome, outcomes, outcomeText } from './outcome.ts'
import { waits } from './series.ts'

/** Widths in pixels: of what is drawn in, and of what stands to its left. */
export const plotWidth = 700
export const axisWidth = 56

export type Panel = Extract<TopLevelSpec, { vconcat: unknown }>['vconcat'][number]
export type Layer = Extract<TopLevelSpec, { layer: unknown }>['layer'][number]

export const outcomeColours: Readonly<Record<Outcome, string>> = {
  accepted: colour.accepted,
  throttled: colour.throttled,
  'client-error': colour.clientError,
  'server-error': colour.serverError,
  unanswered: colour.unanswered,
}

interface Quantity {
  readonly type: 'quantitative'
  readonly scale: { readonly type?: 'log'; readonly domain: number[]; readonly nice: false }
}

/** An axis of exactly this extent. */
export function quantity(domain: number[], scale: { readonly type?: 'log' } = {}): Quantity {
  return { type: 'quantitative', scale: { ...scale, domain, nice: false } }
}

/** The axis that panels share. */
export interface Time {
  /** In seconds. */
  readonly x: Quantity
  /** In milliseconds. */
  readonly end: number
  /** Width of a bar, in seconds. */
  readonly bar: number
}

/** A scale for the outcomes that occur, by their text. */
export function outcomeScale(drawn: readonly WithOutcome[], range: Readonly<Record<Outcome, string>>) {
  const occurring = outcomes.filter((outcome) => drawn.some((one) => one.outcome === outcome))
  return {
    domain: occurring.map((outcome) => outcomeText[outcome]),
    range: occurring.map((outcome) => range[outcome]),
  }
}

/** Shows the text of the outcome. */
export function labelled<T extends WithOutcome>(one: T) {
  return { ...one, outcome: outcomeText[one.outcome] }
}

interface WithOutcome {
  readonly outcome: Outcome
}

/** One colour with a line of its own in the legend. */
export function named(label: string, value: string, symbolType: 'stroke' | 'square') {
  const dash = value === colour.schedule ? { symbolDash: [2, 3] } : {}
  return {
    datum: label,
    type: 'nominal',
    scale: { domain: [label], range: [value] },
    legend: { symbolType, ...dash },
  } as const
}

/** What would end after the axis does ends with it. */
export function within<T extends { readonly until: number }>(span: T, end: number): T {
  return { ...span, until: Math.min(span.until, end / 1000) }
}

/** The waits that the target asked for, as ground behind what happened. */
export function waitLayer(
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
