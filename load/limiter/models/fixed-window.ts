import type { DecisionInterval } from '../data-points.ts'
import { type Interval, union } from '../interval.ts'
import { gridFit } from './grid.ts'
import { branchFit, type LimiterParameters, type Model, type Simulation } from './model.ts'

// Two models of a fixed window. A model can predict the decisions of a limiter (`simulate`), and find the parameters
// that explain its decisions (`fit`).

/**
 * Admits `capacity` requests in a window that starts with its first request. Responses do not show whether refused
 * requests count.
 */
export const fixedWindow: Model = {
  kind: 'fixed-window',
  variant: 'first-request',
  hasGrid: false,
  countsRefused: false,
  minCapacity: (burst) => burst,
  fit: (capacity, window) =>
    branchFit<Branch>(
      capacity,
      (branches, decision) => (branches ? advance(branches, decision, capacity) : begin(decision, window)),
      (branch) => branch.window,
    ),
  simulate: (parameters) => simulate(parameters, false),
}

/**
 * Admits `capacity` requests in each window of a grid: windows at regular times, such as each minute of the clock.
 */
export const gridWindow: Model = {
  kind: 'fixed-window',
  variant: 'grid',
  alignedVariant: 'clock',
  hasGrid: true,
  countsRefused: false,
  // A window may end during the burst, so that two windows share its requests.
  minCapacity: (burst) => Math.ceil(burst / 2),
  fit: (capacity, periods) =>
    gridFit(capacity, periods, true, (branch, decision) => {
      const counted = countOne(branch.counted, decision.outcome, capacity)
      return counted && { ...branch, counted }
    }),
  simulate: (parameters) => simulate(parameters, true),
}

/**
 * One possible history: which request started the current window. Several histories are possible, since the lengths
 * of windows and some outcomes are unknown.
 */
interface Branch {
  /** When the limiter decided on the request that started the window: between `from` and `to`, in milliseconds. */
  readonly first: { readonly from: number; readonly to: number }
  /** Number of requests in the window. */
  readonly counted: Interval
  /** Possible lengths of a window, in milliseconds. */
  readonly window: Interval
}

/** The history in which this request starts the first window. */
function begin(decision: DecisionInterval, window: Interval): Branch[] {
  // A fresh limiter does not refuse its first request.
  if (decision.outcome === 'throttled') return []
  return [{ first: decision, counted: { low: decision.outcome === 'admitted' ? 1 : 0, high: 1 }, window }]
}

/** Continues each history in two ways: the request is in the current window, or it starts the next window. */
function advance(branches: readonly Branch[], decision: DecisionInterval, capacity: number): Branch[] {
  const after: Branch[] = []
  /** Lengths with which the current window ended before the request. */
  const ended: Interval[] = []
  for (const branch of branches) {
    const { first, window } = branch
    const low = Math.max(window.low, decision.from - first.to)
    const counted = countOne(branch.counted, decision.outcome, capacity)
    if (low < window.high && counted) after.push({ first, counted, window: { low, high: window.high } })
    // A new window would admit `capacity` requests. If a 429 follows sooner, the request starts no window.
    if (decision.requestsUntil429 < capacity) continue
    const shorter = { low: window.low, high: Math.min(window.high, decision.to - first.from) }
    if (shorter.low >= shorter.high) continue
    ended.push(shorter)
    // Without a response, the limiter may not have counted the request. Then a later request starts the next window.
    if (decision.outcome === 'unknown') after.push({ ...branch, window: shorter })
  }
  const counted = { low: 1, high: 1 }
  return [...after, ...union(ended).map((window) => ({ first: decision, counted, window }))]
}

/** Number of requests in a window after one more request; undefined if the outcome is impossible. */
function countOne(
  counted: Interval,
  outcome: DecisionInterval['outcome'],
  capacity: number,
): Interval | undefined {
  if (outcome === 'unknown') return { low: counted.low, high: Math.min(counted.high + 1, capacity) }
  if (outcome === 'throttled') return counted.high < capacity ? undefined : { low: capacity, high: capacity }
  if (counted.low >= capacity) return undefined
  return { low: counted.low + 1, high: Math.min(counted.high, capacity - 1) + 1 }
}

function simulate(
  parameters: LimiterParameters,
  isGrid: boolean,
  startedAt = Number.NEGATIVE_INFINITY,
  count = 0,
): Simulation {
  const { capacity, period, start = 0 } = parameters
  let started = startedAt
  let counted = count
  return {
    nextAdmission: (at) => (counted < capacity ? at : Math.max(at, started + period)),
    record(at, admitted) {
      if (at >= started + period) {
        const window = isGrid ? start + Math.floor((at - start) / period) * period : at
        // Rounding errors must not move the start back into the previous window.
        started = Math.max(started + period, window)
        counted = 0
      }
      if (admitted) counted += 1
    },
    copy: () => simulate(parameters, isGrid, started, counted),
  }
}
