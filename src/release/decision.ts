import type { Verdict } from '../check/verdict.ts'
import type { ExitCode } from '../exit-codes.ts'
import type { NotCheckedCounts, NotCheckedGroup } from '../results/not-checked.ts'
import type { RunResults } from '../results/results.ts'
import type { Policy } from './policy.ts'
import type { Waiver } from './waivers.ts'

/**
 * Weights of findings, heaviest first: `violated` and `undecided` block the release, `noted` does not. All blocking
 * findings except violations are `undecided`, such as an inconclusive requirement or a run that is too old. With such a
 * finding, the answer on the release may be `no` or `no decision`.
 */
export const findingWeights = ['violated', 'undecided', 'noted'] as const
export type FindingWeight = (typeof findingWeights)[number]

/** A fact about a run that concerns the policy or the waivers. */
export interface PolicyFinding {
  /** The weight. The schema names it `effect`; it is not an effect of a check. */
  readonly effect: FindingWeight
  readonly subject: 'run' | 'requirement' | 'coverage' | 'waiver'
  readonly requirement: string | null
  /** One sentence, without its full stop. */
  readonly text: string
  /** Ids of the violated requirements that make this requirement inconclusive; absent if no violation does. */
  readonly follows?: readonly string[]
  /** Why a requirement with `follows` is inconclusive. */
  readonly reason?: string | null
}

/** Numbers of requirements by verdict. */
export interface Coverage {
  /** Requirements that hold, are violated or are inconclusive, except those of the levels `reference` and `silent`. */
  readonly applicable: number
  /** The requirements of `applicable` that hold or are violated. */
  readonly decided: number
  /** Inconclusive requirements with a waiver, plus those that `following` counts. */
  readonly waived: number
  /** Inconclusive requirements without a waiver that follow from a waived requirement. */
  readonly following: number
  /** Requirements with the verdict `observed`. */
  readonly observed: number
  /** (`decided` + `waived`) / `applicable`, from 0 to 1; null if no requirement is applicable. */
  readonly share: number | null
}

/** A requirement that is inconclusive because of a waived requirement. */
export interface Follower {
  readonly requirement: string
  /** Ids of the requirements that make it inconclusive. Each of these is waived, or a follower itself. */
  readonly follows: readonly string[]
  /** Why the requirement is inconclusive. */
  readonly reason: string
}

/** Whether a run permits a release, and why. Schema: schemas/release-decision.schema.json. */
export interface ReleaseDecision {
  readonly formatVersion: 1
  readonly release: boolean
  /**
   * The answer is `no decision`
   * - if the run has another target or kind than the policy requires, even if a requirement is violated
   * - if the run is too old or incomplete, selected too little, or seems to end in the future, since a clock is wrong
   * - if only mistakes in the configuration block the release
   * In the last two cases, a violation in the scope of the policy makes the answer `no`, unless a waiver covers it.
   */
  readonly answer: 'yes' | 'no' | 'no decision'
  /** 0: yes. 1: no, because of a violation. 2: any other answer. */
  readonly exitCode: ExitCode<'ok' | 'violated' | 'inconclusive'>
  /** One sentence, without its full stop. */
  readonly because: string
  /** ISO 8601, UTC. */
  readonly decidedAt: string
  /** Version of Plumbline that decided. */
  readonly version: string
  readonly run: RunResults['run']
  readonly policy: Policy
  readonly coverage: Coverage & { readonly areas: Readonly<Record<string, Coverage>> }
  /** Numbers of requirements in the scope of the policy. `all` includes requirements that the run does not contain. */
  readonly inScope: { readonly inRun: number; readonly all: number }
  /** Counts of the whole run, in and outside the scope of the policy. */
  readonly notChecked: NotCheckedCounts
  /** The requirements in the scope of the policy that the run did not check, by reason. */
  readonly notCheckedInScope: readonly NotCheckedGroup[]
  /** In the order of `findingWeights`. */
  readonly findings: readonly PolicyFinding[]
  /** Waivers of violated and inconclusive requirements. */
  readonly waived: readonly (Waiver & { readonly verdict: Verdict })[]
  /** Inconclusive requirements that do not block the release, because they follow from waived ones. */
  readonly following: readonly Follower[]
}

/** The members of a decision that state its answer. */
export type ReleaseAnswer = Pick<ReleaseDecision, 'release' | 'answer' | 'exitCode' | 'because'>

/** The facts from which the answer follows. */
export type DecisionFacts = Omit<ReleaseDecision, 'formatVersion' | keyof ReleaseAnswer>
