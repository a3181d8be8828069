import type { DecisionInterval } from '../data-points.ts'
import { clip, type GridBranch, gridFit } from './grid.ts'
import type { LimiterParameters, Model, Simulation } from './model.ts'

/**
 * Counts requests of the previous and the current window of a grid, that is, of windows at regular times. The
 * previous window counts less and less: `estimate = previous · (1 - elapsed share of the current window) + current`.
 * @param wholeRequest whether the count includes the new request: `estimate + 1 <= capacity` instead of
 * `estimate < capacity`
 */
export function slidingCounter(wholeRequest: boolean): Model {
  /** Upper bound of the estimate with which a request is admitted. */
  const limitOf = (capacity: number) => (wholeRequest ? capacity - 1 : capacity)
  return {
    kind: 'sliding-counter',
    ...(wholeRequest && { variant: 'whole-request' }),
    hasGrid: true,
    countsRefused: false,
    // If a window ends during a burst at twice the rate, its requests count less and less, so the burst may be longer
    // than the capacity: by a factor of up to 1 / 0.85. The last request may exceed the limit by less than 1.
    minCapacity: (burst) => Math.ceil(burst * 0.85) - 1,
    fit: (capacity, periods) =>
      gridFit(capacity, periods, false, (branch, decision) =>
        count(branch, decision, capacity, limitOf(capacity)),
      ),
    simulate: (parameters) => simulate(parameters, limitOf(parameters.capacity), fresh),
  }
}

/**
 * Counts one more request in a possible history (`branch`) of windows, and keeps the grids on which its outcome is
 * possible.
 * @returns undefined if its outcome is possible on none of them
 */
function count(
  branch: GridBranch,
  { from, to, outcome }: DecisionInterval,
  capacity: number,
  limit: number,
): GridBranch | undefined {
  const { number, counted, total, polygon } = branch
  let after = polygon
  /**
   * Keeps the grids on which, at the time `at`, the previous window with its `previous` requests weighs at most `room`
   * requests: `previous · ((number + 1) · window + start - at) <= room · window`. For sign -1: `>=`.
   */
  const keepGrids = (sign: 1 | -1, previous: number, room: number, at: number) =>
    clip(polygon, sign * (previous * (number + 1) - room), sign * previous, sign * previous * at)
  // An admission is possible if the lowest estimate permits it: the one with the fewest requests in the current window.
  if (outcome === 'admitted') {
    if (counted.low >= capacity) return undefined
    after = keepGrids(1, total.low - counted.low, limit - counted.low, to)
  } else if (outcome === 'throttled') {
    const previous = total.high - counted.high
    // Without requests in the previous window, only a full current window refuses a request.
    if (previous <= 0 && counted.high < capacity) return undefined
    after = keepGrids(-1, previous, limit - counted.high, from)
  }
  if (after.length === 0) return undefined
  const low = outcome === 'admitted' ? 1 : 0
  const high = outcome === 'throttled' ? 0 : 1
  return {
    ...branch,
    polygon: after,
    counted: { low: counted.low + low, high: counted.high + high },
    total: { low: total.low + low, high: total.high + high },
  }
}

interface Counters {
  /** Number of the current window on the grid. */
  readonly number: number
  readonly current: number
  readonly previous: number
}

const fresh: Counters = { number: Number.NEGATIVE_INFINITY, current: 0, previous: 0 }

function simulate(parameters: LimiterParameters, limit: number, counters: Counters): Simulation {
  const { capacity, period, start = 0 } = parameters
  const numberAt = (at: number) => Math.floor((at - start) / period)
  let { number, current, previous } = counters
  return {
    nextAdmission(at) {
      for (let index = Math.max(number, numberAt(at)); ; index += 1) {
        const counted = index === number ? current : 0
        const before = index === number ? previous : index === number + 1 ? current : 0
        const begin = start + index * period
        // The time at which the previous window has lost enough weight for one more request.
        const roomAt = before === 0 ? begin : begin + period * (1 - (limit - counted) / before)
        const admittedAt = counted >= capacity ? Number.POSITIVE_INFINITY : Math.max(at, begin, roomAt)
        if (admittedAt < begin + period) return admittedAt
      }
    },
    record(at, admitted) {
      const now = numberAt(at)
      if (now > number) {
        previous = now === number + 1 ? current : 0
        current = 0
        number = now
      }
      if (admitted) current += 1
    },
    copy: () => simulate(parameters, limit, { number, current, previous }),
  }
}
