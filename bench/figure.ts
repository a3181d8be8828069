/** One line of the table, and of reports/bench.json. */
export interface Figure {
  readonly figure: string
  readonly value: number
  readonly unit: string
  readonly aim: string | null
  readonly holds: boolean | null
}

/** A figure. Its aim is at most `most`; without `most`, the figure is for comparison only. */
export function figure(name: string, value: number, unit: string, most?: number): Figure {
  const rounded = Math.round(value * 100) / 100
  return {
    figure: name,
    value: rounded,
    unit,
    aim: most === undefined ? null : `<= ${most}`,
    holds: most === undefined ? null : rounded <= most,
  }
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
