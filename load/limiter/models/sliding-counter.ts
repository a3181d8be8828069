import type { Reading } from '../observation.ts'
import { cut, type Region } from '../region.ts'
import { type GridBranch, GridFit } from './grid.ts'
import type { Model, Simulation, Values } from './model.ts'

/**
 * Two counters, of this window of a grid and of the one before, which weighs by its share in the last `window`:
 * estimate = previous · (1 - elapsed share of this window) + current.
 * @param wholeRequest whether the request itself has to fit (estimate + 1 <= capacity), or the estimate alone
 * (estimate < capacity)
 */
export function slidingCounter(wholeRequest: boolean): Model {
  return {
    kind: 'sliding-counter',
    variant: wholeRequest ? 'the request itself has to fit' : '',
    // The weight of a window falls by less than a sixth while the rest of such a burst is asked.
    leastCapacity: (burst) => Math.ceil(burst * 0.85) - 1,
    fit: (capacity, leastSpacing) => {
      const limit = wholeRequest ? capacity - 1 : capacity
      return new GridFit(capacity, leastSpacing, false, (branch, reading) =>
        narrow(branch, reading, capacity, limit),
      )
    },
    simulate: (values) =>
      simulate(values, wholeRequest ? values.capacity - 1 : values.capacity, {
        number: Number.NEGATIVE_INFINITY,
        current: 0,
        previous: 0,
      }),
  }
}

/** @param limit the estimate that still admits */
function narrow(
  branch: GridBranch,
  { from, to, outcome }: Reading,
  capacity: number,
  limit: number,
): GridBranch | undefined {
  const { number, counted, total } = branch
  let { region } = branch
  // What counts for the window before this one counts for it in full and, as time passes, for ever less: the least
  // estimate has the least in this window.
  if (outcome === 'admitted') {
    if (counted.low >= capacity) return undefined
    region = weighs(region, 1, number, total.low - counted.low, limit - counted.low, to)
  } else if (outcome === 'throttled') {
    const previous = total.high - counted.high
    if (previous <= 0 && counted.high < capacity) return undefined
    region = weighs(region, -1, number, previous, limit - counted.high, from)
  }
  if (region.length === 0) return undefined
  const least = outcome === 'admitted' ? 1 : 0
  const most = outcome === 'throttled' ? 0 : 1
  return {
    ...branch,
    region,
    counted: { low: counted.low + least, high: counted.high + most },
    total: { low: total.low + least, high: total.high + most },
  }
}

/**
 * Cuts a region to where the previous window weighs at most (`sign` 1) or at least (-1) `room`:
 * previous · ((number + 1) · window + start - at) <= room · window.
 */
function weighs(
  region: Region,
  sign: 1 | -1,
  number: number,
  previous: number,
  room: number,
  at: number,
): Region {
  if (previous <= 0) return region
  return cut(region, sign * (previous * (number + 1) - room), sign * previous, sign * previous * at)
}

interface Counters {
  readonly number: number
  readonly current: number
  readonly previous: number
}

function simulate(values: Values, limit: number, counters: Counters): Simulation {
  const { capacity, period, start = 0 } = values
  let { number, current, previous } = counters
  const turn = (to: number) => {
    if (to <= number) return
    previous = to === number + 1 ? current : 0
    current = 0
    number = to
  }
  /** When this window would admit: the weight of the previous one has to fall to what is left. */
  const within = (before: number, held: number, begin: number, at: number) => {
    if (held >= capacity) return Number.POSITIVE_INFINITY
    if (before === 0) return at
    return Math.max(at, begin + period * (1 - (limit - held) / before))
  }
  return {
    nextAdmission(at) {
      let begin = start + Math.max(number, Math.floor((at - start) / period)) * period
      let passed = (begin - start) / period - number
      for (;;) {
        const before = passed < 0.5 ? previous : passed < 1.5 ? current : 0
        const when = within(before, passed < 0.5 ? current : 0, begin, Math.max(at, begin))
        if (when < begin + period) return when
        begin += period
        passed += 1
      }
    },
    record(at, admitted) {
      turn(Math.floor((at - start) / period))
      if (admitted) current += 1
    },
    copy: () => simulate(values, limit, { number, current, previous }),
  }
}
