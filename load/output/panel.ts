import type { TopLevelSpec } from 'vega-lite'
import { colour } from '../../src/chart/palette.ts'
import { outcomes, outcomeText, type ShotOutcome } from './outcome.ts'

/** Widths in pixels of the plot and of the axis on its left. */
export const plotWidth = 700
export const axisWidth = 56

export type Panel = Extract<TopLevelSpec, { vconcat: unknown }>['vconcat'][number]
export type Layer = Extract<TopLevelSpec, { layer: unknown }>['layer'][number]

/** The time axis that panels share. */
export interface Time {
  /** In seconds. */
  readonly x: ReturnType<typeof quantity>
  /** In milliseconds. */
  readonly end: number
  /** Width of a bar, in seconds. */
  readonly bar: number
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

/** A scale for the outcomes that occur, by their text. */
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

/** Replaces an outcome by its text. */
export function labelled<T extends { readonly outcome: ShotOutcome }>(one: T) {
  return { ...one, outcome: outcomeText[one.outcome] }
}

/** One colour with its own line in the legend. */
export function named(label: string, value: string, symbolType: 'stroke' | 'square') {
  const dash = value === colour.schedule ? { symbolDash: [2, 3] } : {}
  return {
    datum: label,
    type: 'nominal',
    scale: { domain: [label], range: [value] },
    legend: { symbolType, ...dash },
  } as const
}

/** Colour, shape and size of dots by outcome. */
export function outcomeStyle(drawn: readonly { outcome: ShotOutcome }[]) {
  const outcome = { field: 'outcome', type: 'nominal' as const, legend: null }
  return {
    color: { ...outcome, scale: outcomeScale(drawn, outcomeColours) },
    // Draw errors prominently, even if there are few.
    size: { condition: { test: { field: 'outcome', oneOf: [outcomeText.accepted] }, value: 34 }, value: 70 },
    shape: { ...outcome, scale: outcomeScale(drawn, outcomeShapes) },
  }
}
