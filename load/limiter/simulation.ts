import type { Identified } from './characterisation.ts'
import { fixedWindow } from './models/fixed-window.ts'
import { gridWindow } from './models/grid-window.ts'
import type { Simulation, Values } from './models/model.ts'
import { slidingCounter } from './models/sliding-counter.ts'
import { slidingLog } from './models/sliding-log.ts'
import { tokenBucket } from './models/token-bucket.ts'

/**
 * A limiter that does what was claimed, unused as yet, to reckon in virtual time what clients would meet.
 * A queue that delays is reckoned as a bucket of one token: it admits at the same rate, but refuses what it would delay.
 */
export function simulationOf(claimed: Identified): Simulation {
  const { kind, capacity = 1, rate, windowMs, windowStart, variant } = claimed
  const values: Values = {
    capacity,
    period: windowMs ?? 1000 / rate,
    ...(windowStart !== undefined && { start: windowStart }),
  }
  switch (kind) {
    case 'fixed-window':
      return (windowStart === undefined ? fixedWindow : gridWindow).simulate(values)
    case 'sliding-log':
      return slidingLog(variant !== '').simulate(values)
    case 'sliding-counter':
      return slidingCounter(variant !== '').simulate(values)
    case 'token-bucket':
    case 'leaky-bucket':
      return tokenBucket.simulate(values)
  }
}
