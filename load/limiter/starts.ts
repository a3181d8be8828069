import { firstApart } from './few.ts'
import type { Values } from './models/model.ts'
import { near, type Possibility, window } from './possibility.ts'

/** When to ask: `first` times from `from` on, one after the other, and then a burst from `rest` on (milliseconds). */
export interface Start {
  readonly from: number
  readonly first: number
  readonly rest: number
  /** What plans of this sort have in common: one that settled nothing is tried again later than others. */
  readonly shape: string
}

export interface Surroundings {
  /** Earliest time of the next request: after any Retry-After. */
  readonly earliest: number
  /** Milliseconds that a request takes. */
  readonly serviceMs: number
  /** What a request and a millisecond are worth against each other: shares of what is left. */
  readonly requestsLeft: number
  readonly msLeft: number
}

/** Times worth comparing: when something may come back, parts of a window, ends of windows, and pauses within one. */
export function starts(possibilities: readonly Possibility[], surroundings: Surroundings): Start[] {
  const { earliest, serviceMs } = surroundings
  const capacity = Math.max(...possibilities.map(({ values }) => values.capacity))
  const likely = [...possibilities].sort((one, other) => other.weight - one.weight)
  const periods = firstApart(
    likely.map(({ kind, values }) => window(kind, values)),
    near,
    4,
  )
  const returns = firstApart(
    likely.map(({ state }) => state.nextAdmission(earliest)),
    (one, other) => Math.abs(one - other) <= serviceMs,
    8,
  ).sort((one, other) => one - other)
  const between = returns.slice(1).map((time, index) => (time + (returns[index] ?? time)) / 2)
  const times: (readonly [at: number, word: string])[] = [
    [earliest, 'soon'],
    ...between.map((time) => [time, 'soon'] as const),
    ...returns.map((time) => [time + serviceMs, 'soon'] as const),
    ...periods.flatMap((period) =>
      [0.3, 0.6, 1.02, 1.5, 2.3].map((share) => [earliest + share * period, `after ${share}`] as const),
    ),
  ]
  for (const values of grids(likely)) {
    const spell = capacity * serviceMs + 0.03 * values.period
    for (const windows of [0, 1, 3]) {
      const end = endOfWindow(values, earliest + spell) + windows * values.period
      times.push([end - spell, `end of window ${windows}`])
    }
  }
  const result: Start[] = times.map(([from, word]) => ({ from, first: 0, rest: from, shape: word }))
  const early = [earliest, earliest + 0.6 * (periods[0] ?? 0)]
  for (const [index, from] of early.entries()) {
    for (const [first, word] of new Map([
      [1, 'one'],
      [Math.ceil(capacity / 2), 'half'],
      [Math.max(1, capacity - 1), 'most'],
    ])) {
      for (const period of periods) {
        for (const share of [0.5, 0.85, 0.95]) {
          result.push({
            from,
            first,
            rest: from + share * period,
            shape: `${index}, ${word}, pause ${share}`,
          })
        }
      }
    }
  }
  return result
}

/** The likeliest windows on a grid that differ. */
function grids(likely: readonly Possibility[]): Values[] {
  const all = likely.map(({ values }) => values).filter(({ start }) => start !== undefined)
  return firstApart(all, (one, other) => near(one.period, other.period), 3)
}

/** When the window of a grid ends that holds a time. */
function endOfWindow({ start = 0, period }: Values, at: number): number {
  return start + (Math.floor((at - start) / period) + 1) * period
}
