/** Identifies the rate limiter behind a target, and simulates it. How: docs/probes-limiter.md. */
export { characterise } from './characterise.ts'
export {
  type Characterisation,
  type Identified,
  limiterName,
  type NotThrottled,
  recoveryMsOf,
  simulationOf,
} from './conclusion.ts'
export type { DataPoint } from './data-points.ts'
export type { Experiment } from './experiment.ts'
export type { Interval } from './interval.ts'
export { type Kind, type KindVariant, limiterKinds, variantText } from './models/kinds.ts'
export type { Simulation } from './models/model.ts'
