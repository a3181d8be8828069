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

// This search assumes that no other client's requests ("other traffic") count towards the limit. A candidate is a
// model of a limiter, such as a token bucket, with one capacity. An estimate is the range of values of all candidates
// of one kind.

/**
 * Largest number of times that refusals of a second, wider limit, such as 1000 requests per hour, are set aside: the
 * search then ignores the outcome of these requests.
 */
const maxSetAside = 5

/** The result if this search neither identifies a limiter nor gives a reason why it cannot. */
export interface Undecided {
  readonly result: 'undecided'
  /** Whether no limiter explains all responses and values of Retry-After. */
  readonly isContradicted: boolean
  readonly candidates: Candidates
  /** Possible windows of the best candidates before the latest step and now, in milliseconds. */
  readonly windows: readonly Interval[]
}

/**
 * Identifies a limiter without other traffic, after the first 429 of a fresh limiter. Each step sends requests:
 * - trial: requests whose outcome rules out some candidates
 * - idle burst: a burst after a pause in which the limiter becomes fresh; it verifies an estimate
 * - poll: one request, which shows whether requests are admitted again
 *
 * @param isRestarted whether the experiment was restarted, because no limiter explained all responses. A conclusion
 * then needs more proof.
 */
export async function identifyWithoutOtherTraffic(
  experiment: BudgetedExperiment,
  { isRestarted }: { readonly isRestarted: boolean },
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
        // The next round reads the response from the record.
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
 * Reads the latest responses. If no candidate explains all data points (requests and their outcomes), refusals of a
 * wider limit are set aside. If this does not help, Retry-After is no longer trusted. The remaining data points may
 * still identify a limiter.
 * @returns the candidates that remain. After refusals were set aside, it is a new object, since `before` has already
 * read these refusals.
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

/** The next trial; undefined if no trial would rule out a candidate. */
function trialFor(experiment: BudgetedExperiment, candidates: Candidates, steps: number) {
  // In the choice of a trial, limiters that contradict Retry-After weigh little at first, and more with each step.
  const doubt = Math.min(1, 0.03 * 1.2 ** steps)
  const { record } = experiment
  const possible = hypotheses(candidates.plausible, record.current, doubt)
  const readsRetryAfter = candidates.trustsRetryAfter && record.hasRetryAfter
  return chooseTrial(possible, experiment.constraints(), record.trials, readsRetryAfter)
}

/**
 * The conclusion from the candidates. If they permit none while budget remains, other explanations are tried next.
 */
function conclusionFor(
  experiment: BudgetedExperiment,
  candidates: Candidates,
): Identified | NotIdentified | Undecided {
  const conclusion = conclude(experiment, candidates)
  if (typeof conclusion === 'object') return conclusion
  // 'renewed' means that each refusal may restart ("renew") the wait, so that the window only seems long.
  if (experiment.isOver || conclusion === 'renewed') {
    const reason = conclusion === 'undecided' ? 'budget' : conclusion
    return notIdentifiedWithoutOtherTraffic(experiment, candidates, reason)
  }
  // A limiter that contradicts Retry-After suggests other traffic.
  return { ...undecided(candidates, []), isContradicted: conclusion === 'retry-after' }
}

function undecided(candidates: Candidates, before: readonly LimiterEstimate[]): Undecided {
  const windows = [...before, ...estimates(candidates.best)].map(({ window }) => window)
  return { result: 'undecided', isContradicted: candidates.unexplained > 0, candidates, windows }
}

/** The result after the budget ran out; undefined if no candidate explains all responses, including the latest. */
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
