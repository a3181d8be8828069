import type { Verdict } from '../check/verdict.ts'
import type { ExitCode } from '../exit-codes.ts'
import type { NotCheckedCounts, NotCheckedGroup } from '../results/not-checked.ts'
import type { RunResults } from '../results/results.ts'
import type { Policy } from './policy.ts'
import type { Waiver } from './waivers.ts'

/**
 * Weights of findings in the decision, in order: `violated` and `undecided` block the release, `noted` does not.
 * `undecided`, a name of the schema, is any other reason than a violation: an inconclusive requirement, a partial run, …
 */
export const findingWeights = ['violated', 'undecided', 'noted'] as const
export type FindingWeight = (typeof findingWeights)[number]

/** A fact about a run that concerns the policy or the waivers. */
export interface PolicyFinding {
  /** Its weight: `effect` is the name in the schema, and has nothing to do with the effects of checks. */
  readonly effect: FindingWeight
  readonly subject: 'run' | 'requirement' | 'coverage' | 'waiver'
  readonly requirement: string | null
  /** One sentence, without its full stop. */
  readonly text: string
  /** Ids of the violated requirements that it follows from; absent for other findings. */
  readonly follows?: readonly string[]
  /** Why a requirement with `follows` is inconclusive. */
  readonly reason?: string | null
}

/** Numbers of requirements that apply, and that are decided. */
export interface Coverage {
  /** Requirements that hold, are violated or are inconclusive, without the observed ones. */
  readonly applicable: number
  readonly decided: number
  /** Inconclusive, but settled: waived, or following from a waived requirement. */
  readonly waived: number
  /** Those of `waived` without a waiver of their own, which follow from a waived requirement. */
  readonly following: number
  /** Recorded, never judged. */
  readonly observed: number
  /** Share of decided and waived requirements, from 0 to 1; null if none applies. */
  readonly share: number | null
}

/** A requirement that is inconclusive because of a waived one. */
export interface Follower {
  readonly requirement: string
  /** Ids of the requirements that it follows from, each waived or a follower itself. */
  readonly follows: readonly string[]
  /** Why it is inconclusive. */
  readonly reason: string
}

/** Whether a run permits a release, and why; described by schemas/release-decision.schema.json. */
export interface ReleaseDecision {
  readonly formatVersion: 1
  readonly release: boolean
  /**
   * `no decision`: the run is of another target or kind than the policy; or it shows no violation that the policy covers,
   * and is unsuitable for the policy, or the configuration makes everything that blocks the release inconclusive.
   */
  readonly answer: 'yes' | 'no' | 'no decision'
  /** 0: yes; 1: no, because of a violation; 2: no for other reasons, or no decision. */
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
  /**
   * Numbers of requirements in the scope of the policy: those of the run, and all that this version of Plumbline or the run
   * knows.
   */
  readonly inScope: { readonly inRun: number; readonly all: number }
  /** Counts of the whole run, over all levels and areas. */
  readonly notChecked: NotCheckedCounts
  /** The requirements in the scope of the policy that the run did not check, by reason. */
  readonly notCheckedInScope: readonly NotCheckedGroup[]
  /** In order of their findingWeights. */
  readonly findings: readonly PolicyFinding[]
  /** Waivers that a violated or inconclusive requirement needed. */
  readonly waived: readonly (Waiver & { readonly verdict: Verdict })[]
  /** Inconclusive requirements that these waivers also settle. */
  readonly following: readonly Follower[]
}

/** The members of a decision that state its answer. */
export type ReleaseAnswer = Pick<ReleaseDecision, 'release' | 'answer' | 'exitCode' | 'because'>

/** The facts from which the answer follows. */
export type DecisionFacts = Omit<ReleaseDecision, 'formatVersion' | keyof ReleaseAnswer>
