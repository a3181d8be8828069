/** A measured value: one line of the printed table, and one entry of reports/bench.json. */
export interface Figure {
  readonly figure: string
  readonly value: number
  readonly unit: string
  readonly aim: string | null
  /** Whether the value meets the aim; null without an aim. */
  readonly holds: boolean | null
}

/** A figure whose value must be at most `limit`. Without `limit`, the figure is for comparison only. */
export function figure(name: string, value: number, unit: string, limit?: number): Figure {
  const rounded = Math.round(value * 100) / 100
  return {
    figure: name,
    value: rounded,
    unit,
    aim: limit === undefined ? null : `<= ${limit}`,
    holds: limit === undefined ? null : rounded <= limit,
  }
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
