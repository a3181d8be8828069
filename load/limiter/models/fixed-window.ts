import type { Reading } from '../observation.ts'
import { type Interval, union } from '../region.ts'
import {
  type Fit,
  LONGEST_PERIOD_MS,
  type Model,
  type Simulation,
  type Suggested,
  spread,
  type Values,
} from './model.ts'

/** `capacity` requests in a window that the first request begins. Refused ones may count or not: it shows nowhere. */
export const fixedWindow: Model = {
  kind: 'fixed-window',
  variant: 'begun by the first request',
  leastCapacity: (burst) => burst,
  fit: (capacity, leastSpacing) => new FixedWindowFit(capacity, leastSpacing),
  simulate: (values) => simulate(values, Number.NEGATIVE_INFINITY, 0),
}

/** One history: the window was begun by the request `first`, and `counted` requests are in it. */
interface Branch {
  readonly first: { readonly from: number; readonly to: number }
  readonly counted: Interval
  readonly window: Interval
}

class FixedWindowFit implements Fit {
  readonly capacity: number
  #branches: readonly Branch[] | undefined

  readonly #leastWindow: number

  constructor(capacity: number, leastSpacing: number) {
    this.capacity = capacity
    this.#leastWindow = capacity * leastSpacing
  }

  observe(reading: Reading): boolean {
    const after: Branch[] = []
    if (this.#branches === undefined) {
      if (reading.outcome === 'throttled') return false
      const least = reading.outcome === 'admitted' ? 1 : 0
      after.push({
        first: reading,
        counted: { low: least, high: 1 },
        window: { low: this.#leastWindow, high: LONGEST_PERIOD_MS },
      })
    }
    const over: Interval[] = []
    for (const branch of this.#branches ?? []) {
      const same = this.#sameWindow(branch, reading)
      if (same !== undefined) after.push(same)
      if (reading.outcome === 'throttled' || reading.untilThrottled < this.capacity) continue
      const high = Math.min(branch.window.high, reading.to - branch.first.from)
      if (branch.window.low >= high) continue
      const window = { low: branch.window.low, high }
      over.push(window)
      // Lost before it counted: the window is over, and the next request begins one.
      if (reading.outcome === 'unknown') after.push({ ...branch, window })
    }
    for (const window of union(over)) after.push({ first: reading, counted: { low: 1, high: 1 }, window })
    if (after.length === 0) return false
    this.#branches = after
    return true
  }

  #sameWindow({ first, counted, window }: Branch, reading: Reading): Branch | undefined {
    const low = Math.max(window.low, reading.from - first.to)
    if (low >= window.high) return undefined
    const now = count(counted, reading.outcome, this.capacity)
    return now && { first, counted: now, window: { low, high: window.high } }
  }

  periods(): Interval {
    const windows = (this.#branches ?? []).map(({ window }) => window)
    return {
      low: Math.min(...windows.map(({ low }) => low)),
      high: Math.max(...windows.map(({ high }) => high)),
    }
  }

  samples({ windows }: Suggested): Values[] {
    return (this.#branches ?? []).flatMap(({ window }) =>
      spread(window, windows).map((period) => ({ capacity: this.capacity, period })),
    )
  }
}

/** How many requests a window holds after one more; undefined: it would not have had this outcome. */
export function count(
  counted: Interval,
  outcome: Reading['outcome'],
  capacity: number,
): Interval | undefined {
  if (outcome === 'unknown') return { low: counted.low, high: Math.min(counted.high + 1, capacity) }
  if (outcome === 'throttled') return counted.high < capacity ? undefined : { low: capacity, high: capacity }
  if (counted.low >= capacity) return undefined
  return { low: counted.low + 1, high: Math.min(counted.high, capacity - 1) + 1 }
}

function simulate(values: Values, begun: number, count: number): Simulation {
  const { capacity, period } = values
  let first = begun
  let counted = count
  return {
    nextAdmission: (at) => (counted < capacity ? at : Math.max(at, first + period)),
    record(at, admitted) {
      if (at >= first + period) {
        first = at
        counted = 0
      }
      if (admitted) counted += 1
    },
    copy: () => simulate(values, first, counted),
  }
}
