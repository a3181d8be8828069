/** One line of the table, and of reports/bench.json. */
export interface Figure {
  readonly figure: string
  readonly value: number
  readonly unit: string
  readonly aim: string | null
  readonly holds: boolean | null
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
