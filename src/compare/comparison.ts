import type { Observation } from '../check/result.ts'
import type { Verdict } from '../check/verdict.ts'
import type { RequirementOutcome } from '../results/outcome.ts'
import type { RunResults } from '../results/results.ts'

export type ObservedValue = Observation['value']

/** Facts about each of two compared runs. */
export type ComparedRun = Pick<
  RunResults['run'],
  'id' | 'kind' | 'target' | 'hosts' | 'startedAt' | 'version' | 'selection'
>

/** A requirement with two outcomes. */
export interface VerdictDifference {
  readonly id: string
  readonly before: RequirementOutcome
  readonly after: RequirementOutcome
  /** Checks of the requirement whose verdicts differ; null for a check that only the other run has. */
  readonly checks: readonly {
    readonly name: string
    readonly before: Verdict | null
    readonly after: Verdict | null
  }[]
}

/** An observation that differs; without `before` or `after` if only one run has it. */
export interface ObservationDifference {
  readonly key: string
  readonly requirement: string
  readonly before?: ObservedValue
  readonly after?: ObservedValue
}

/**
 * The differences between two runs, and what could not be compared. Swapping the runs only swaps `before` and `after`,
 * and `appeared` and `vanished`.
 */
export interface Comparison {
  readonly formatVersion: 1
  readonly before: ComparedRun
  readonly after: ComparedRun
  readonly differsIn: readonly ('target' | 'hosts' | 'version' | 'selection')[]
  /** Conclusive in both runs, but different. */
  readonly changed: readonly VerdictDifference[]
  /** Inconclusive in one run, or in both for different causes. */
  readonly undecided: readonly VerdictDifference[]
  /** Not applicable in one run. */
  readonly applicability: readonly VerdictDifference[]
  readonly observations: readonly ObservationDifference[]
  /** Ids that only the catalogue of the later run, or only that of the earlier run, contains. */
  readonly appeared: readonly string[]
  readonly vanished: readonly string[]
  /** Ids that were not selected in one of the runs. */
  readonly notSelected: { readonly before: readonly string[]; readonly after: readonly string[] }
  /** Numbers of requirements and observations that are conclusive in both runs and equal. */
  readonly alike: { readonly requirements: number; readonly observations: number }
  /** Only for drift: the older runs that some requirements are compared with, newest first. */
  readonly olderBases?: readonly Base[]
  /** Only for drift: since when each requirement is violated, if an earlier run found the violation. */
  readonly violatedSince?: Readonly<Record<string, ViolatedSince>>
}

/** An older run, used for requirements that are inconclusive in later runs. */
export interface Base extends Pick<RunResults['run'], 'id' | 'startedAt'> {
  /** Their ids. */
  readonly requirements: readonly string[]
}

export interface ViolatedSince {
  /** Start of the first run with the violation: ISO 8601, UTC. */
  readonly startedAt: string
  /** Number of runs with the violation. */
  readonly runs: number
  /** Whether it may have begun earlier, in a run that was not searched. */
  readonly atLeast?: boolean
}
