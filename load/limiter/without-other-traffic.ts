import { Candidates, estimates, type LimiterEstimate } from './candidates.ts'
import type { Identified, NotIdentified } from './conclusion.ts'
import { conclude } from './elimination.ts'
import type { BudgetedExperiment } from './experiment.ts'
import { hypotheses } from './hypotheses.ts'
import { sendIdleBurst } from './idle-burst.ts'
import type { Interval } from './interval.ts'
import { nextStep } from './next-step.ts'
import { notIdentifiedWithoutOtherTraffic, refusedByWiderLimit } from './not-identified.ts'
import { chooseTrial } from './trials.ts'

/** Largest number of times that refusals of a second, wider limit are set aside. */
const maxSetAside = 5

/** The search for a limiter without other traffic ended without a conclusion. */
export interface Undecided {
  readonly result: 'undecided'
  /** Whether no limiter explains all responses and values of Retry-After. */
  readonly isContradicted: boolean
  readonly candidates: Candidates
  /** Windows of the best candidates, now and before the latest step. */
  readonly windows: readonly Interval[]
}

/**
 * Identifies a limiter without other traffic, after the first 429 of a fresh limiter.
 * @param isRestarted whether the experiment was restarted, because no limiter explained all responses. A conclusion
 * then needs more proof.
 */
export async function identifyWithoutOtherTraffic(
  experiment: BudgetedExperiment,
  isRestarted: boolean,
): Promise<Identified | NotIdentified | Undecided> {
  let candidates = new Candidates()
  let steps = 0
  let idleBursts = 0
  for (;;) {
    const estimatesBefore = estimates(candidates.best)
    candidates = withLatestResponses(experiment, candidates, estimatesBefore)
    const next = nextStep({ experiment, candidates, estimatesBefore, steps, idleBursts, isRestarted })
    switch (next.step) {
      case 'give-up':
        if (next.because === 'undecided') return undecided(candidates, estimatesBefore)
        return notIdentifiedWithoutOtherTraffic(
          experiment,
          candidates,
          next.because,
          next.because === 'wider-limit' ? estimatesBefore : undefined,
        )
      case 'conclude':
        if (next.assumesAdmission) candidates.assumeAdmittedAfterRetryAfter(experiment.record.current)
        return conclusionFor(experiment, candidates)
      case 'idle-burst':
        await sendIdleBurst(next, experiment)
        steps += 1
        idleBursts += 1
        break
      case 'poll':
        await experiment.send(next.at)
        break
      case 'trial': {
        if (next.distrustsRetryAfter) candidates.distrustRetryAfter(experiment.record.current)
        const trial = trialFor(experiment, candidates, steps)
        if (trial === undefined)
          return isRestarted ? undecided(candidates, estimatesBefore) : conclusionFor(experiment, candidates)
        await experiment.sendTrialOrEnd(trial)
        steps += 1
      }
    }
  }
}

/**
 * Reads the latest responses. If no limiter explains all data points, refusals of a wider limit are set aside, and then
 * Retry-After is no longer trusted. The other data points may still identify a limiter.
 * @returns the remaining candidates. If refusals were set aside, these are new, since `before` has read the refusals.
 */
function withLatestResponses(
  experiment: BudgetedExperiment,
  before: Candidates,
  estimatesBefore: readonly LimiterEstimate[],
): Candidates {
  let candidates = before
  candidates.update(experiment.record.current)
  if (
    candidates.unexplained > 0 &&
    refusedByWiderLimit(experiment.record, estimatesBefore) &&
    experiment.record.setAside.length < maxSetAside
  ) {
    experiment.record.setRefusalsAside()
    candidates = new Candidates()
    candidates.update(experiment.record.current)
  }
  if (candidates.unexplained > 0) candidates.distrustRetryAfter(experiment.record.current)
  return candidates
}

function trialFor(experiment: BudgetedExperiment, candidates: Candidates, steps: number) {
  // In the first trials, limiters that agree with Retry-After matter most. With each step, the others weigh more.
  const doubt = Math.min(1, 0.03 * 1.2 ** steps)
  const { record } = experiment
  const possible = hypotheses(candidates.plausible, record.current, doubt)
  const readsRetryAfter = candidates.trustsRetryAfter && record.hasRetryAfter
  return chooseTrial(possible, experiment.constraints(), record.trials, readsRetryAfter)
}

function conclusionFor(
  experiment: BudgetedExperiment,
  candidates: Candidates,
): Identified | NotIdentified | Undecided {
  const conclusion = conclude(experiment, candidates)
  if (typeof conclusion === 'object') return conclusion
  if (experiment.isOver || conclusion === 'renewed') {
    const reason = conclusion === 'undecided' ? 'budget' : conclusion
    return notIdentifiedWithoutOtherTraffic(experiment, candidates, reason)
  }
  return { ...undecided(candidates, []), isContradicted: conclusion === 'retry-after' }
}

function undecided(candidates: Candidates, before: readonly LimiterEstimate[]): Undecided {
  const windows = [...before, ...estimates(candidates.best)].map(({ window }) => window)
  return { result: 'undecided', isContradicted: candidates.unexplained > 0, candidates, windows }
}

/** The result after the budget ran out, if kinds without other traffic explain all responses; otherwise undefined. */
export function budgetRanOut(
  experiment: BudgetedExperiment,
  { isContradicted, candidates }: Undecided,
): NotIdentified | undefined {
  if (isContradicted) return undefined
  candidates.update(experiment.record.current)
  return candidates.unexplained === 0
    ? notIdentifiedWithoutOtherTraffic(experiment, candidates, 'budget')
    : undefined
}
