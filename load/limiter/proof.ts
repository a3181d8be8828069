import type { Belief } from './belief.ts'
import { type Candidates, explainedBy } from './candidates.ts'
import type { Proof } from './characterisation.ts'
import type { Log } from './log.ts'
import { MODELS } from './models/all.ts'

/** How many observations the claimed kind explains, and how many the best of all others. */
export function proofOf({ kind, capacity }: Belief, log: Log, candidates: Candidates): Proof {
  const observations = log.observations.length
  const explained = observations - candidates.missed
  let nextBest: Proof['nextBest'] = { kind, explained: -1 }
  for (const model of MODELS) {
    if (model.kind === kind) continue
    for (let size = Math.max(1, capacity.low - 2); size <= capacity.high; size += 1) {
      const explains = explainedBy(model, size, log.observations, candidates.leastWindow)
      if (explains > nextBest.explained) nextBest = { kind: model.kind, explained: explains }
    }
  }
  return {
    observations,
    explained,
    nextBest,
    sentence: `${kind} explains ${explained} of ${observations} observations; next best ${nextBest.kind} with ${nextBest.explained}.`,
  }
}
