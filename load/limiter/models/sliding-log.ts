import type { Reading } from '../experiment.ts'
import type { Interval } from '../interval.ts'
import { type Fit, type LimiterParameters, type Model, type Simulation, samplesOf, shareOf } from './model.ts'

/**
 * Admits a request while fewer than `capacity` requests are in the last `window`.
 * @param countsRefused whether refused requests are in the log too, which lengthens the wait
 */
export function slidingLog(countsRefused: boolean): Model {
  return {
    kind: 'sliding-log',
    ...(countsRefused && { variant: 'counts-refused' }),
    hasGrid: false,
    countsRefused,
    minCapacity: (burst) => burst,
    fit: (capacity, periods) => fitLog(capacity, periods, countsRefused),
    simulate: (parameters) => simulate(parameters, countsRefused),
  }
}

function fitLog(capacity: number, periods: Interval, countsRefused: boolean): Fit {
  /** Requests that were counted, and those that may have been. */
  const counted: Reading[] = []
  const possible: Reading[] = []
  let window = periods
  return {
    capacity,
    observe(reading) {
      let { low, high } = window
      const isRefused = reading.outcome === 'throttled'
      const oldest = (isRefused ? possible : counted).at(-capacity)
      if (isRefused) {
        if (oldest === undefined) return false
        low = Math.max(low, reading.from - oldest.to)
      } else if (reading.outcome === 'admitted' && oldest !== undefined) {
        high = Math.min(high, reading.to - oldest.from)
      }
      if (low >= high) return false
      window = { low, high }
      if (isRefused && (!countsRefused || reading.isStated)) return true
      possible.push(reading)
      if (reading.outcome !== 'unknown') counted.push(reading)
      return true
    },
    periods: () => window,
    share: () => shareOf(window),
    samples: (suggested) => samplesOf(capacity, window, suggested),
  }
}

function simulate(
  parameters: LimiterParameters,
  countsRefused: boolean,
  counted: readonly number[] = [],
): Simulation {
  const { capacity, period } = parameters
  const log = [...counted]
  return {
    nextAdmission: (at) => Math.max(at, (log.at(-capacity) ?? Number.NEGATIVE_INFINITY) + period),
    record(at, admitted) {
      if (admitted || countsRefused) log.push(at)
    },
    copy: () => simulate(parameters, countsRefused, log.slice(-capacity)),
  }
}
