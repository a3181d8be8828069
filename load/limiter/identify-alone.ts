import { Candidates, estimates, type LimiterEstimate } from './candidates.ts'
import type { Identified, NotIdentified } from './conclusion.ts'
import { conclude } from './elimination.ts'
import type { ExperimentLog } from './experiment.ts'
import { hypotheses } from './hypotheses.ts'
import { sendIdleBurst } from './idle-burst.ts'
import type { Interval } from './interval.ts'
import { nextStep } from './next-step.ts'
import { notIdentifiedAlone, refusedByWiderLimit, widerLimit } from './not-identified.ts'
import { chooseTrial } from './trials.ts'

/** How often refusals of a second, wider limit are set aside. */
const maxSetAside = 5

/** Why no limiter is identified although budget is left. */
export interface NoneAlone {
  /** Whether no limiter explains all responses and values of Retry-After. */
  readonly isContradicted: boolean
  readonly candidates: Candidates
  /** Windows of the best candidates. */
  readonly windows: readonly Interval[]
}

/**
 * Identifies a limiter without other traffic, from the first 429 of a fresh limiter on.
 * @param done trials chosen so far, by family
 * @param isRestarted whether it follows a restart, because no limiter explained all responses: then it needs more proof
 */
export async function identifyAlone(
  log: ExperimentLog,
  done: Map<string, number>,
  isRestarted: boolean,
): Promise<Identified | NotIdentified | NoneAlone> {
  let candidates = new Candidates()
  let trials = 0
  let idleBursts = 0
  for (;;) {
    const estimatesBefore = estimates(candidates.best)
    candidates = withLatestResponses(log, candidates, estimatesBefore)
    const next = nextStep({ log, candidates, estimatesBefore, trials, idleBursts, isRestarted })
    switch (next.step) {
      case 'give-up':
        if (next.because === 'wider-limit') return widerLimit(log, candidates, estimatesBefore)
        if (next.because === 'several-limits') return notIdentifiedAlone(log, candidates, 'several-limits')
        return noneAlone(candidates, estimatesBefore)
      case 'conclude':
        if (next.believesRetryAfter) candidates.believeRetryAfter(log.dataPoints)
        return conclusionAlone(log, candidates)
      case 'idle-burst':
        await sendIdleBurst(next, log)
        trials += 1
        idleBursts += 1
        break
      case 'poll':
        await log.send(next.at)
        break
      case 'trial': {
        if (next.doubtsRetryAfter) candidates.distrustRetryAfter(log.dataPoints)
        const trial = trialFor(log, candidates, trials, done)
        if (trial === undefined)
          return isRestarted ? noneAlone(candidates, estimatesBefore) : conclusionAlone(log, candidates)
        await log.tryOut(trial)
        trials += 1
      }
    }
  }
}

/**
 * Reads the latest responses. Refusals of a wider limit are set aside, and a Retry-After that no limiter explains is
 * not trusted, so that the rest may still identify one.
 * @returns the candidates left; new ones if refusals were set aside, since the earlier ones have read these
 */
function withLatestResponses(
  log: ExperimentLog,
  before: Candidates,
  estimatesBefore: readonly LimiterEstimate[],
): Candidates {
  let candidates = before
  candidates.update(log.dataPoints)
  if (
    candidates.unexplained > 0 &&
    refusedByWiderLimit(log, estimatesBefore) &&
    log.setAside.length < maxSetAside
  ) {
    log.setRefusalsAside()
    candidates = new Candidates()
    candidates.update(log.dataPoints)
  }
  if (candidates.unexplained > 0) candidates.distrustRetryAfter(log.dataPoints)
  return candidates
}

/** @returns undefined: no trial rules anything out */
function trialFor(log: ExperimentLog, candidates: Candidates, trials: number, done: Map<string, number>) {
  // Retry-After decides which limiters to test first; its weight falls with each trial that settles nothing.
  const doubt = Math.min(1, 0.03 * 1.2 ** trials)
  const possible = hypotheses(candidates.plausible, log.dataPoints, doubt)
  const readsRetryAfter = candidates.trustsRetryAfter && log.hasRetryAfter
  return chooseTrial(possible, log.constraints(), done, readsRetryAfter)
}

/** The conclusion without other traffic. */
function conclusionAlone(log: ExperimentLog, candidates: Candidates): Identified | NotIdentified | NoneAlone {
  const conclusion = conclude(log, candidates)
  if (typeof conclusion === 'object') return conclusion
  if (log.isOver || conclusion === 'renewed') return notIdentifiedAlone(log, candidates, conclusion)
  return { ...noneAlone(candidates, []), isContradicted: conclusion === 'retry-after' }
}

function noneAlone(candidates: Candidates, before: readonly LimiterEstimate[]): NoneAlone {
  const windows = [...before, ...estimates(candidates.best)].map(({ window }) => window)
  return { isContradicted: candidates.unexplained > 0, candidates, windows }
}

/** The kinds that explain all responses without other traffic when the budget is spent; undefined: no kind does. */
export function budgetRanOut(
  log: ExperimentLog,
  { isContradicted, candidates }: NoneAlone,
): NotIdentified | undefined {
  if (isContradicted) return undefined
  candidates.update(log.dataPoints)
  return candidates.unexplained === 0 ? notIdentifiedAlone(log, candidates, 'budget') : undefined
}
