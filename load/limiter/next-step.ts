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

// A grid is a sequence of windows at regular times, such as the minutes of the clock. With several grids (limits per address,
// client and user, as in `several-grids.ts`), each has a phase of its own.

/** After this many steps without a conclusion, other traffic may be the reason. */
const maxSteps = 40

/** Like `maxSteps`, if only the parameters of one kind remain open. */
const maxStepsOfOneKind = 26

/**
 * Like `maxSteps`, after a restart. If no limiter explained all responses only because windows of several limit keys began at
 * different times, these steps suffice.
 */
const maxStepsAfterRestart = 8

/** After this many steps, `sufficientPrecision` replaces `targetPrecision` for an estimate whose window is not confirmed. */
const maxPreciseSteps = 12

/** Idle bursts that must fit if earlier responses do not fit, or if several limits may be the reason. */
const idleBurstsInDoubt = 2

/** Idle bursts at most: a window on a grid may end during the idle period, so that one burst proves nothing. */
const maxIdleBursts = 6

/** Like `maxIdleBursts`, if several grids explain the responses too and are likelier to be configured. */
const maxIdleBurstsAgainstGrids = 8

/** What is known before a step of an experiment on a limiter without other traffic. */
export interface Situation {
  readonly experiment: BudgetedExperiment
  /** Limiters that the responses do not exclude. */
  readonly candidates: Candidates
  /** Estimates of the limiters that explained all responses before the latest step. */
  readonly estimatesBefore: readonly LimiterEstimate[]
  /** Number of trials and idle bursts so far; polls do not count. */
  readonly steps: number
  /** Those of `steps` that are idle bursts. */
  readonly idleBursts: number
  /** Whether the experiment was restarted, because no limiter explained all responses: a conclusion then needs more proof. */
  readonly isRestarted: boolean
}

type NextStep =
  | ({ readonly step: 'idle-burst' } & IdleBurst)
  // `assumesAdmission`: whether to assume that a request after the last Retry-After would be admitted.
  | { readonly step: 'conclude'; readonly assumesAdmission: boolean }
  // `distrustsRetryAfter`: whether limiters that contradict Retry-After become possible.
  | { readonly step: 'trial'; readonly distrustsRetryAfter: boolean }
  // One request, to see whether requests are admitted again.
  | { readonly step: 'poll'; readonly at: number }
  | { readonly step: 'give-up'; readonly because: 'wider-limit' | 'several-limits' | 'undecided' }

/** Decides what follows from the responses so far. */
export function nextStep(situation: Situation): NextStep {
  const { experiment, isRestarted } = situation
  // With a wider limit, `isContradicted` is true as well: report the more precise reason.
  if (showsWiderLimit(situation)) return { step: 'give-up', because: 'wider-limit' }
  if (isContradicted(situation) || isStuck(situation)) return giveUp
  const estimate = estimateOf(situation)
  if (estimate !== undefined) return verification(estimate, situation)
  if (!experiment.isOver) return pollOrTrial(situation)
  return isRestarted ? giveUp : { step: 'conclude', assumesAdmission: true }
}

/** A poll costs a single request, so it comes before a trial wherever it is worthwhile. */
function pollOrTrial({ experiment, candidates }: Situation): NextStep {
  const at = nextPollAt(experiment.record, candidates)
  return at === undefined ? { step: 'trial', distrustsRetryAfter: false } : { step: 'poll', at }
}

const giveUp: NextStep = { step: 'give-up', because: 'undecided' }
const concludeNow: NextStep = { step: 'conclude', assumesAdmission: false }

/** Decides whether an estimate needs more proof. */
function verification(estimate: LimiterEstimate, situation: Situation): NextStep {
  const { experiment, idleBursts, isRestarted } = situation
  // Further bursts would not make such values more likely.
  if (isImplausible(estimate, situation)) return giveUp
  const isConfirmed = isWindowConfirmed(estimate, experiment.record.current)
  const mayBeSeveralGrids = fitsSeveralGrids(estimate, situation)
  const areGridsLikelier = mayBeSeveralGrids && !hasRoundTime(estimate.window)
  const needed = idleBurstsNeededFor(estimate, situation, mayBeSeveralGrids)
  if (isConfirmed && !areGridsLikelier && idleBursts >= needed) return concludeNow
  if (!experiment.isOver && idleBursts < (areGridsLikelier ? maxIdleBurstsAgainstGrids : maxIdleBursts)) {
    // Until a refusal confirms the window, repeat the first idle burst (`earlier: 0`): a single old request causes its
    // refusal. After that, several grids require bursts at different phases.
    return {
      step: 'idle-burst',
      estimate,
      earlier: mayBeSeveralGrids && isConfirmed ? idleBursts : 0,
      mayBeSeveralGrids,
    }
  }
  if (areGridsLikelier) return { step: 'give-up', because: 'several-limits' }
  if (experiment.isOver) return isRestarted ? giveUp : concludeNow
  // All bursts are spent without proof: a Retry-After that is far too long may have excluded the shorter windows.
  return mayDistrustRetryAfter(situation) ? { step: 'trial', distrustsRetryAfter: true } : concludeNow
}

/** Whether no single limiter explains all responses. */
const isContradicted = ({ candidates }: Situation) => candidates.unexplained > 0

/** Whether the refusals that no single limiter explains are those of a second, wider one. */
function showsWiderLimit(situation: Situation): boolean {
  return isContradicted(situation) && hasWiderLimit(situation.experiment.record, situation.estimatesBefore)
}

/** Whether there have been so many steps that the next ones will not decide either: something else is the reason. */
function isStuck({ estimatesBefore, steps, isRestarted }: Situation): boolean {
  if (isRestarted) return steps >= maxStepsAfterRestart
  return steps >= (estimatesBefore.length === 1 ? maxStepsOfOneKind : maxSteps)
}

/** The estimate that is precise enough to verify; if its window is not confirmed, only with the target precision. */
function estimateOf(situation: Situation): LimiterEstimate | undefined {
  const { experiment, candidates, steps } = situation
  const sufficient = preciseEstimate(candidates, sufficientPrecision)
  if (sufficient === undefined || steps >= maxPreciseSteps) return sufficient
  return isWindowConfirmed(sufficient, experiment.record.current)
    ? sufficient
    : preciseEstimate(candidates, targetPrecision)
}

/** Whether people hardly ever configure such values. After a restart, only values that people do configure are accepted. */
function isImplausible(estimate: LimiterEstimate, { isRestarted }: Situation): boolean {
  return isRestarted ? !isRound(estimate) : isOddlyShort(estimate)
}

/** Whether several grids of one size explain the responses as well: they imitate a single limiter with windows. */
function fitsSeveralGrids({ kind }: LimiterEstimate, { experiment }: Situation): boolean {
  return limiterKinds[kind].hasWindow && severalGrids(experiment.record.current).length > 0
}

/**
 * Idle bursts before a conclusion. If several grids are possible, more are needed without Retry-After, which would have shown
 * when their windows end.
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
