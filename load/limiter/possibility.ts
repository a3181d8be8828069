import type { Kind, Simulation, Values } from './models/model.ts'

/** One limiter that the observations leave possible, in the state that they leave it in. */
export interface Possibility {
  readonly kind: Kind
  readonly values: Values
  readonly state: Simulation
  /** Share among all possibilities. */
  readonly weight: number
  /** The same for each model, shared among its possibilities. */
  readonly rivalWeight: number
  /** Observations more that it must fail to explain, to be ruled out. */
  readonly spare: number
}

/** The time in which a limiter gives back all it has. */
export function window(kind: Kind, { capacity, period }: Values): number {
  return kind === 'token-bucket' ? capacity * period : period
}

/** Possibilities whose rates differ by less need not be told apart. */
const SAME_RATE = 0.04

export const near = (one: number, other: number) => Math.abs(Math.log(one / other)) < Math.log(1 + SAME_RATE)
