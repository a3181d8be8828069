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
import type { ExperimentLog } from './experiment.ts'
import { limiterKinds } from './models/kinds.ts'
import { hasWiderLimit } from './not-identified.ts'
import { nextPollAt } from './polls.ts'
import { severalGrids } from './several-grids.ts'
import { spansHalfWindow } from './window-proof.ts'

/** After this many trials without a conclusion, other traffic may be the reason. */
const maxTrialsAlone = 40

/** As `maxTrialsAlone`, if only the parameters of one kind remain open. */
const maxTrialsOfOneKind = 26

/** Trials after a restart. A limiter whose windows only needed to begin together is identified within these. */
const maxTrialsAfterRestart = 8

/** After this many trials, sufficient precision is enough, even if no refusal was due to old requests alone. */
const maxPreciseTrials = 12

/** Idle bursts that must fit if earlier responses do not fit, or if several limits may be the reason. */
const idleBurstsInDoubt = 2

/** Idle bursts at most: a window on a grid may end during the idle period, so that one burst settles nothing. */
const maxIdleBursts = 6

/** As `maxIdleBursts`, if several limits explain the responses too and are likelier to be configured. */
const maxIdleBurstsWithRival = 8

/** What is known before a step of an experiment on a limiter without other traffic. */
export interface Situation {
  readonly log: ExperimentLog
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
  readonly mayBeSeveral: boolean
}

type NextStep =
  | IdleBurst
  // `believesRetryAfter`: whether what the last Retry-After states has to replace the response to a request.
  | { readonly step: 'conclude'; readonly believesRetryAfter: boolean }
  // `doubtsRetryAfter`: whether limiters that contradict Retry-After become possible.
  | { readonly step: 'trial'; readonly doubtsRetryAfter: boolean }
  // One request, to see whether requests are admitted again.
  | { readonly step: 'poll'; readonly at: number }
  | { readonly step: 'give-up'; readonly because: 'wider-limit' | 'several-limits' | 'none-alone' }

/** Decides what follows from the responses so far. */
export function nextStep(situation: Situation): NextStep {
  const { log, isRestarted } = situation
  // A wider limit contradicts each single one: of the two reasons, this is the more precise.
  if (showsWiderLimit(situation)) return { step: 'give-up', because: 'wider-limit' }
  if (isContradicted(situation) || isStuck(situation)) return giveUpAlone
  const estimate = estimateOf(situation)
  if (estimate !== undefined) return verification(estimate, situation)
  if (!log.isOver) return pollOrTrial(situation)
  return isRestarted ? giveUpAlone : { step: 'conclude', believesRetryAfter: true }
}

/** A poll costs a single request, so it comes before a trial wherever it is worthwhile. */
function pollOrTrial({ log, candidates }: Situation): NextStep {
  const at = nextPollAt(log, candidates)
  return at === undefined ? { step: 'trial', doubtsRetryAfter: false } : { step: 'poll', at }
}

const giveUpAlone: NextStep = { step: 'give-up', because: 'none-alone' }
const concludeNow: NextStep = { step: 'conclude', believesRetryAfter: false }

/** Decides whether an estimate needs more proof. */
function verification(estimate: LimiterEstimate, situation: Situation): NextStep {
  const { log, idleBursts, isRestarted } = situation
  // Further bursts would not make such values more likely.
  if (isImplausible(estimate, situation)) return giveUpAlone
  const hasOld = hasOldCause(estimate, situation)
  const mayBeSeveral = fitsSeveralLimits(estimate, situation)
  const hasRival = mayBeSeveral && !hasRoundWindow(estimate)
  const needed = idleBurstsNeededFor(estimate, situation, mayBeSeveral)
  if (hasOld && !hasRival && idleBursts >= needed) return concludeNow
  if (!log.isOver && idleBursts < (hasRival ? maxIdleBurstsWithRival : maxIdleBursts)) {
    // Until a refusal has an old cause, each burst is like the first: after a single request, which is then the cause.
    return {
      step: 'idle-burst',
      estimate,
      earlier: mayBeSeveral && hasOld ? idleBursts : 0,
      mayBeSeveral,
    }
  }
  if (hasRival) return { step: 'give-up', because: 'several-limits' }
  if (log.isOver) return isRestarted ? giveUpAlone : concludeNow
  // All bursts are spent without proof: a Retry-After that is far too long may have excluded the shorter windows.
  return mayDoubtRetryAfter(situation) ? { step: 'trial', doubtsRetryAfter: true } : concludeNow
}

/** Whether no single limiter explains all responses. */
const isContradicted = ({ candidates }: Situation) => candidates.unexplained > 0

/** Whether the refusals that no single limiter explains are those of a second, wider one. */
function showsWiderLimit(situation: Situation): boolean {
  return isContradicted(situation) && hasWiderLimit(situation.log, situation.estimatesBefore)
}

/** Whether there have been so many trials that the next ones will not decide either: something else is the reason. */
function isStuck({ estimatesBefore, trials, isRestarted }: Situation): boolean {
  if (isRestarted) return trials >= maxTrialsAfterRestart
  return trials >= (estimatesBefore.length === 1 ? maxTrialsOfOneKind : maxTrialsAlone)
}

/** The estimate that is precise enough to verify. An old cause would still be missing: then trials go on to the aim. */
function estimateOf(situation: Situation): LimiterEstimate | undefined {
  const { candidates, trials } = situation
  const sufficient = preciseEstimate(candidates, sufficientPrecision)
  if (sufficient === undefined || trials >= maxPreciseTrials) return sufficient
  return hasOldCause(sufficient, situation) ? sufficient : preciseEstimate(candidates, targetPrecision)
}

/** Whether a 429 was due to old requests alone, or the limiter has no window: otherwise it may only seem long. */
function hasOldCause(estimate: LimiterEstimate, { log }: Situation): boolean {
  return spansHalfWindow(estimate, log.dataPoints)
}

/** Whether people hardly configure such values. After a restart, only values that they do configure are accepted. */
function isImplausible(estimate: LimiterEstimate, { isRestarted }: Situation): boolean {
  return isRestarted ? !isRound(estimate) : isOddlyShort(estimate)
}

/** Whether several limits of one size explain the responses as well: they imitate a single one with windows. */
function fitsSeveralLimits({ kind }: LimiterEstimate, { log }: Situation): boolean {
  return limiterKinds[kind].hasWindow && severalGrids(log.dataPoints).length > 0
}

/** Idle bursts before a conclusion. Retry-After would have shown at which times several limits end a window. */
function idleBurstsNeededFor(
  estimate: LimiterEstimate,
  { log, isRestarted }: Situation,
  mayBeSeveral: boolean,
): number {
  const isDoubtful = isRestarted || (mayBeSeveral && !log.hasRetryAfter)
  return Math.max(isDoubtful ? idleBurstsInDoubt : 0, idleBurstsNeeded(estimate))
}

/** Whether without Retry-After other limiters would be possible. */
function mayDoubtRetryAfter({ candidates, log }: Situation): boolean {
  return candidates.trustsRetryAfter && log.dataPoints.some(({ retryAfterMs = 0 }) => retryAfterMs > 0)
}
