import { type Belief, beliefs } from './belief.ts'
import { type Candidate, type Candidates, explainedBy } from './candidates.ts'
import type { Characterisation } from './characterisation.ts'
import { claim } from './claim.ts'
import type { Log } from './log.ts'
import { remembersHalf } from './memory.ts'
import type { Kind } from './models/model.ts'
import { promisesDiffer, refusedInVain, withPromises } from './promises.ts'
import { proofOf } from './proof.ts'
import { notIdentified } from './unclear.ts'

/** How narrow a claim has to be: shares of the rate and of the capacity, and requests of the capacity. */
interface Precision {
  readonly rate: number
  readonly capacityShare: number
  readonly capacityRequests: number
}

/** What is aimed at. Of large capacities, the last request is not worth the whole bursts that it would take. */
export const AIM: Precision = { rate: 0.1, capacityShare: 0.02, capacityRequests: 0 }

/** What is still worth claiming, with its interval, when asking on has not made it clearer for a while. */
export const ENOUGH: Precision = { rate: 0.2, capacityShare: 0.03, capacityRequests: 1 }

/** Whether one kind alone is left, and its capacity and rate are as narrow as that. */
export function isConclusive(candidates: Candidates, precision: Precision): boolean {
  if (kinds(candidates.left).length !== 1) return false
  const [belief] = beliefs(candidates.best)
  return belief !== undefined && isPrecise(belief, precision)
}

function isPrecise({ capacity, rate }: Belief, precision: Precision): boolean {
  const wide = capacity.high - capacity.low
  const narrowCapacity = wide <= Math.max(precision.capacityRequests, capacity.high * precision.capacityShare)
  return narrowCapacity && rate.high <= rate.low * (1 + precision.rate)
}

/**
 * Whether even the best candidates leave something unexplained. Of limiters that are none of the kinds, one often
 * explains all but a single observation: that is no claim.
 */
export function isContradicted(candidates: Candidates): boolean {
  return candidates.missed > 0
}

const kinds = (candidates: readonly Candidate[]): Kind[] => [
  ...new Set(candidates.map(({ model }) => model.kind)),
]

/** The claim, where what is left allows one; otherwise why not. */
export function conclude(log: Log, candidates: Candidates, epochOffset: number): Characterisation {
  const [belief, another] = beliefs(candidates.best)
  if (belief === undefined || another !== undefined) return notIdentified(log, candidates, 'alike')
  if (!isPrecise(belief, ENOUGH)) return notIdentified(log, candidates, 'wide')
  if (kinds(candidates.left).length > 1) return notIdentified(log, candidates, 'close')
  if (belief.kind !== 'token-bucket' && !remembersHalf(belief, log.observations))
    return notIdentified(log, candidates, 'anew')
  if (breaksPromises(belief, candidates, log)) return notIdentified(log, candidates, 'promises')
  return claim(belief, log, proofOf(belief, log, candidates), candidates.leastWindow, epochOffset)
}

/** Whether it would have admitted sooner than a Retry-After said, or one was followed by a refusal; where these say anything. */
function breaksPromises({ candidates }: Belief, { leastWindow }: Candidates, { observations }: Log): boolean {
  if (!promisesDiffer(observations)) return false
  if (refusedInVain(observations).refused > 0) return true
  const promised = withPromises(observations)
  return candidates.every(
    ({ model, fit }) => explainedBy(model, fit.capacity, promised, leastWindow) < promised.length,
  )
}
