import type { DecisionInterval } from '../data-points.ts'
import type { Interval } from '../interval.ts'
import { type Fit, type LimiterParameters, type Model, type Simulation, samplesOf, shareOf } from './model.ts'

/**
 * Admits a request if the log contains fewer than `capacity` requests of the last window, such as the last 10 s.
 * @param countsRefused whether the log contains refused requests too, so that they lengthen the wait
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

/** Finds the lengths of the window that explain the decisions of a limiter with this capacity. */
function fitLog(capacity: number, periods: Interval, countsRefused: boolean): Fit {
  /** Requests that are certainly in the log. */
  const counted: DecisionInterval[] = []
  /** Requests that may be in the log, including `counted`. */
  const possible: DecisionInterval[] = []
  let window = periods
  return {
    capacity,
    observe(decision) {
      let { low, high } = window
      const isRefused = decision.outcome === 'throttled'
      // The limiter refuses requests until this request is older than the window.
      const oldest = (isRefused ? possible : counted).at(-capacity)
      if (isRefused) {
        if (oldest === undefined) return false
        low = Math.max(low, decision.from - oldest.to)
      } else if (decision.outcome === 'admitted' && oldest !== undefined) {
        high = Math.min(high, decision.to - oldest.from)
      }
      if (low >= high) return false
      window = { low, high }
      // A stated refusal, which only Retry-After predicts, is no request, so the log never contains it.
      if (isRefused && (!countsRefused || decision.isStated)) return true
      possible.push(decision)
      if (decision.outcome !== 'unknown') counted.push(decision)
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
