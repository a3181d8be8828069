import type { Candidates, LimiterEstimate } from './candidates.ts'
import { longestRetryAfterMs } from './data-points.ts'
import {
  idleBurstsNeeded,
  isOddlyShort,
  isRound,
  preciseEstimate,
  sufficientPrecision,
  targetPrecision,
} from './elimination.ts'
import type { BudgetedExperiment } from './experiment.ts'
import type { IdleBurst } from './idle-burst.ts'
import { hasRoundTime } from './interval.ts'
import { limiterKinds } from './models/kinds.ts'
import { hasWiderLimit } from './not-identified.ts'
import { nextPollAt } from './polls.ts'
import { severalGrids } from './several-grids.ts'
import { isWindowConfirmed } from './window-proof.ts'

// A trial is a few requests, a pause and a burst that ends with the first 429. It rules out possible limiters. An
// idle burst verifies an estimate (the only possible kind, with ranges of its values): it follows a longer pause,
// after which the limiter no longer counts earlier requests (`idle-burst.ts`).
//
// A grid is a sequence of windows at regular times, such as the minutes of the clock. "Several grids" are several
// limits, for example per address and per client, whose windows start at different times (`several-grids.ts`).

/** Largest number of steps (trials and idle bursts). After these, requests of other clients are likely. */
const maxSteps = 40

/** Largest number of steps if only one kind is possible, and its parameters are still uncertain. */
const maxStepsOfOneKind = 26

/**
 * Largest number of steps after a restart: an idle period and new bursts, because no limiter explained all responses.
 * Eight suffice if windows that started at different times were the only reason: now they start together.
 */
const maxStepsAfterRestart = 8

/** Number of steps in which an estimate with an unconfirmed window (`window-proof.ts`) needs `targetPrecision`. */
const stepsOfTargetPrecision = 12

/** Smallest number of idle bursts after a restart, or if several grids are possible and there is no Retry-After. */
const idleBurstsInDoubt = 2

/** Largest number of idle bursts. One burst may prove nothing, since a window on a grid may end during its pause. */
const maxIdleBursts = 6

/** Largest number of idle bursts if several grids explain the responses too and are likelier to be configured. */
const maxIdleBurstsAgainstGrids = 8

/** The state of an experiment on a limiter that no other client uses, before its next step. */
export interface Situation {
  readonly experiment: BudgetedExperiment
  /** Limiters that the responses do not exclude. */
  readonly candidates: Candidates
  /** Estimates of the limiters that explained all responses before the latest step. */
  readonly estimatesBefore: readonly LimiterEstimate[]
  /** Number of trials and idle bursts so far; polls (single requests) do not count. */
  readonly steps: number
  /** Number of idle bursts in `steps`. */
  readonly idleBursts: number
  /** Whether the experiment was restarted, since no limiter explained all responses. This requires more proof. */
  readonly isRestarted: boolean
}

type NextStep =
  | ({ readonly step: 'idle-burst' } & IdleBurst)
  // `assumesAdmission`: whether to assume that a request after the last Retry-After, which the budget does not
  // permit, would be admitted.
  | { readonly step: 'conclude'; readonly assumesAdmission: boolean }
  // `distrustsRetryAfter`: whether limiters that contradict Retry-After become possible.
  | { readonly step: 'trial'; readonly distrustsRetryAfter: boolean }
  // One request, which shows whether requests are admitted again.
  | { readonly step: 'poll'; readonly at: number }
  | { readonly step: 'give-up'; readonly because: 'wider-limit' | 'several-limits' | 'undecided' }

/** Decides on the next step from the responses so far. */
export function nextStep(situation: Situation): NextStep {
  const { experiment, isRestarted } = situation
  // With a wider limit, `isContradicted` is true too, but this reason is more precise.
  if (showsWiderLimit(situation)) return { step: 'give-up', because: 'wider-limit' }
  if (isContradicted(situation) || isStuck(situation)) return giveUp
  const estimate = estimateOf(situation)
  if (estimate !== undefined) return verification(estimate, situation)
  if (!experiment.isOver) return pollOrTrial(situation)
  // The assumption may make an estimate precise. After a restart, this is too little proof.
  return isRestarted ? giveUp : { step: 'conclude', assumesAdmission: true }
}

/** A poll costs only one request, so a worthwhile poll comes before a trial. */
function pollOrTrial({ experiment, candidates }: Situation): NextStep {
  const at = nextPollAt(experiment.record, candidates)
  return at === undefined ? { step: 'trial', distrustsRetryAfter: false } : { step: 'poll', at }
}

const giveUp: NextStep = { step: 'give-up', because: 'undecided' }
const concludeNow: NextStep = { step: 'conclude', assumesAdmission: false }

/** Decides whether an estimate needs more proof. */
function verification(estimate: LimiterEstimate, situation: Situation): NextStep {
  const { experiment, idleBursts, isRestarted } = situation
  // Further bursts would not make implausible values likelier.
  if (isImplausible(estimate, situation)) return giveUp
  const isConfirmed = isWindowConfirmed(estimate, experiment.record.current)
  const mayBeSeveralGrids = fitsSeveralGrids(estimate, situation)
  const areGridsLikelier = mayBeSeveralGrids && !hasRoundTime(estimate.window)
  const needed = idleBurstsNeededFor(estimate, situation, mayBeSeveralGrids)
  if (isConfirmed && !areGridsLikelier && idleBursts >= needed) return concludeNow
  if (!experiment.isOver && idleBursts < (areGridsLikelier ? maxIdleBurstsAgainstGrids : maxIdleBursts)) {
    // Until a refusal confirms the window, the first idle burst is repeated (`earlier: 0`): one request, a pause, and
    // a burst, whose refusal only that old request explains. After that, bursts at other phases (times within a
    // window) test whether there are several grids.
    return {
      step: 'idle-burst',
      estimate,
      earlier: mayBeSeveralGrids && isConfirmed ? idleBursts : 0,
      mayBeSeveralGrids,
    }
  }
  if (areGridsLikelier) return { step: 'give-up', because: 'several-limits' }
  if (experiment.isOver) return isRestarted ? giveUp : concludeNow
  // No burst proved the window: a Retry-After that is far too long may have excluded shorter windows.
  return mayDistrustRetryAfter(situation) ? { step: 'trial', distrustsRetryAfter: true } : concludeNow
}

/** Whether no single limiter explains all responses. */
const isContradicted = ({ candidates }: Situation) => candidates.unexplained > 0

/** Whether a second, wider limit caused the refusals that no single limiter explains. */
function showsWiderLimit(situation: Situation): boolean {
  return isContradicted(situation) && hasWiderLimit(situation.experiment.record, situation.estimatesBefore)
}

/** Whether there have been so many steps that further steps will hardly decide. */
function isStuck({ estimatesBefore, steps, isRestarted }: Situation): boolean {
  if (isRestarted) return steps >= maxStepsAfterRestart
  return steps >= (estimatesBefore.length === 1 ? maxStepsOfOneKind : maxSteps)
}

/**
 * The estimate of the only plausible kind (all others are ruled out, or need a coincidence), if it is precise enough
 * to verify. In the first steps, it needs a confirmed window or `targetPrecision`.
 */
function estimateOf(situation: Situation): LimiterEstimate | undefined {
  const { experiment, candidates, steps } = situation
  const sufficient = preciseEstimate(candidates, sufficientPrecision)
  if (sufficient === undefined || steps >= stepsOfTargetPrecision) return sufficient
  return isWindowConfirmed(sufficient, experiment.record.current)
    ? sufficient
    : preciseEstimate(candidates, targetPrecision)
}

/** Whether people hardly ever configure the estimated values. After a restart, the values must be round. */
function isImplausible(estimate: LimiterEstimate, { isRestarted }: Situation): boolean {
  return isRestarted ? !isRound(estimate) : isOddlyShort(estimate)
}

/** Whether several grids of one size explain the responses, too: they may imitate a single limiter with windows. */
function fitsSeveralGrids({ kind }: LimiterEstimate, { experiment }: Situation): boolean {
  return limiterKinds[kind].hasWindow && severalGrids(experiment.record.current).length > 0
}

/**
 * Number of idle bursts before a conclusion. If several grids are possible, more are needed without Retry-After,
 * because Retry-After would show when windows end.
 */
function idleBurstsNeededFor(
  estimate: LimiterEstimate,
  { experiment, isRestarted }: Situation,
  mayBeSeveralGrids: boolean,
): number {
  const isDoubtful = isRestarted || (mayBeSeveralGrids && !experiment.record.hasRetryAfter)
  return Math.max(isDoubtful ? idleBurstsInDoubt : 0, idleBurstsNeeded(estimate))
}

/** Whether other limiters would become possible if Retry-After were not trusted. */
function mayDistrustRetryAfter({ candidates, experiment }: Situation): boolean {
  return candidates.trustsRetryAfter && longestRetryAfterMs(experiment.record.current) > 0
}
