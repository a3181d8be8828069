import { count } from './fixed-window.ts'
import { GridFit } from './grid.ts'
import type { Model, Simulation, Values } from './model.ts'

/** `capacity` requests in each window of a grid, such as each minute of the clock. */
export const gridWindow: Model = {
  kind: 'fixed-window',
  variant: 'on a grid',
  leastCapacity: (burst) => Math.ceil(burst / 2),
  fit: (capacity, leastSpacing) =>
    new GridFit(capacity, leastSpacing, true, (branch, reading) => {
      const counted = count(branch.counted, reading.outcome, capacity)
      return counted && { ...branch, counted }
    }),
  simulate: (values) => simulate(values, Number.NEGATIVE_INFINITY, 0),
}

function simulate(values: Values, current: number, count: number): Simulation {
  const { capacity, period, start = 0 } = values
  let number = current
  let counted = count
  const numberOf = (at: number) => Math.floor((at - start) / period)
  return {
    nextAdmission: (at) => (counted < capacity ? at : Math.max(at, start + (number + 1) * period)),
    record(at, admitted) {
      if (numberOf(at) > number) {
        number = numberOf(at)
        counted = 0
      }
      if (admitted) counted += 1
    },
    copy: () => simulate(values, number, counted),
  }
}
