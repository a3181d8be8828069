import type { Candidates, LimiterEstimate } from './candidates.ts'
import {
  hasRoundWindow,
  idleBurstsNeeded,
  isOddlyShort,
  isRound,
  preciseEstimate,
  sufficientPrecision,
  targetPrecision,
} from './elimination.ts'
import type { BudgetedExperiment } from './experiment.ts'
import { limiterKinds } from './models/kinds.ts'
import { hasWiderLimit } from './not-identified.ts'
import { nextPollAt } from './polls.ts'
import { severalGrids } from './several-grids.ts'
import { isWindowConfirmed } from './window-proof.ts'

/** After this many trials without a conclusion, other traffic may be the reason. */
const maxTrials = 40

/** As `maxTrials`, if only the parameters of one kind remain open. */
const maxTrialsOfOneKind = 26

/** Trials after a restart. A limiter whose windows only needed to begin together is identified within these. */
const maxTrialsAfterRestart = 8

/** After this many trials, sufficient precision is enough, even if the window is not confirmed. */
const maxPreciseTrials = 12

/** Idle bursts that must fit if earlier responses do not fit, or if several limits may be the reason. */
const idleBurstsInDoubt = 2

/** Idle bursts at most: a window on a grid may end during the idle period, so that one burst settles nothing. */
const maxIdleBursts = 6

/** As `maxIdleBursts`, if several grids explain the responses too and are likelier to be configured. */
const maxIdleBurstsAgainstGrids = 8

/** What is known before a step of an experiment on a limiter without other traffic. */
export interface Situation {
  readonly experiment: BudgetedExperiment
  /** Those that the responses leave. */
  readonly candidates: Candidates
  /** Those that explained all responses before the latest trial. */
  readonly estimatesBefore: readonly LimiterEstimate[]
  /** Steps so far, without polls: trials and idle bursts. */
  readonly trials: number
  /** Idle bursts so far. */
  readonly idleBursts: number
  /** Whether it follows a restart, because no limiter explained all responses: then it needs more proof. */
  readonly isRestarted: boolean
}

/** Verifies an estimate by an idle burst: a burst after an idle period, in which the limiter becomes fresh. */
export interface IdleBurst {
  readonly step: 'idle-burst'
  readonly estimate: LimiterEstimate
  /** Earlier bursts, from which this one differs in phase. */
  readonly earlier: number
  /** Whether requests near the end of the window are needed, since several limits would differ there. */
  readonly mayBeSeveralGrids: boolean
}

type NextStep =
  | IdleBurst
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
  // A wider limit contradicts each single one: of the two reasons, this is the more precise.
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
  const areGridsLikelier = mayBeSeveralGrids && !hasRoundWindow(estimate)
  const needed = idleBurstsNeededFor(estimate, situation, mayBeSeveralGrids)
  if (isConfirmed && !areGridsLikelier && idleBursts >= needed) return concludeNow
  if (!experiment.isOver && idleBursts < (areGridsLikelier ? maxIdleBurstsAgainstGrids : maxIdleBursts)) {
    // Until a refusal confirms the window, each burst is like the first, in which a single old request causes the refusal.
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

/** Whether there have been so many trials that the next ones will not decide either: something else is the reason. */
function isStuck({ estimatesBefore, trials, isRestarted }: Situation): boolean {
  if (isRestarted) return trials >= maxTrialsAfterRestart
  return trials >= (estimatesBefore.length === 1 ? maxTrialsOfOneKind : maxTrials)
}

/** The estimate that is precise enough to verify. While its window is not confirmed, trials go on to the target precision. */
function estimateOf(situation: Situation): LimiterEstimate | undefined {
  const { experiment, candidates, trials } = situation
  const sufficient = preciseEstimate(candidates, sufficientPrecision)
  if (sufficient === undefined || trials >= maxPreciseTrials) return sufficient
  return isWindowConfirmed(sufficient, experiment.record.current)
    ? sufficient
    : preciseEstimate(candidates, targetPrecision)
}

/** Whether people hardly configure such values. After a restart, only values that they do configure are accepted. */
function isImplausible(estimate: LimiterEstimate, { isRestarted }: Situation): boolean {
  return isRestarted ? !isRound(estimate) : isOddlyShort(estimate)
}

/** Whether several grids of one size explain the responses as well: they imitate a single limiter with windows. */
function fitsSeveralGrids({ kind }: LimiterEstimate, { experiment }: Situation): boolean {
  return limiterKinds[kind].hasWindow && severalGrids(experiment.record.current).length > 0
}

/** Idle bursts before a conclusion. Retry-After would have shown at which times several limits end a window. */
function idleBurstsNeededFor(
  estimate: LimiterEstimate,
  { experiment, isRestarted }: Situation,
  mayBeSeveralGrids: boolean,
): number {
  const isDoubtful = isRestarted || (mayBeSeveralGrids && !experiment.record.hasRetryAfter)
  return Math.max(isDoubtful ? idleBurstsInDoubt : 0, idleBurstsNeeded(estimate))
}

/** Whether without Retry-After other limiters would be possible. */
function mayDistrustRetryAfter({ candidates, experiment }: Situation): boolean {
  return (
    candidates.trustsRetryAfter && experiment.record.current.some(({ retryAfterMs = 0 }) => retryAfterMs > 0)
  )
}
