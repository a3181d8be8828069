import type { Observation } from '../check/result.ts'
import type { Verdict } from '../check/verdict.ts'
import type { Outcome } from '../results/outcome.ts'
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
  readonly before: Outcome
  readonly after: Outcome
  /** Its checks whose verdicts differ; null for a check that only the other run has. */
  readonly checks: readonly {
    readonly name: string
    readonly before: Verdict | null
    readonly after: Verdict | null
  }[]
}

/** An observation with another value; without `before` or `after` where only one run made it. */
export interface ObservationDifference {
  readonly key: string
  readonly requirement: string
  readonly before?: ObservedValue
  readonly after?: ObservedValue
}

/**
 * What differs between two runs, and what could not be compared. Swapping the runs swaps `before` and
 * `after`, `appeared` and `vanished`, and nothing else.
 */
export interface Comparison {
  readonly formatVersion: 1
  readonly before: ComparedRun
  readonly after: ComparedRun
  readonly differsIn: readonly ('target' | 'hosts' | 'version' | 'selection')[]
  /** Decided in both runs, and not alike. */
  readonly changed: readonly VerdictDifference[]
  /** Undecided in one of them, or in both for different causes. */
  readonly undecided: readonly VerdictDifference[]
  /** Not applicable in one of them. */
  readonly applicability: readonly VerdictDifference[]
  readonly observations: readonly ObservationDifference[]
  /** Ids that only the later or only the earlier catalogue has. */
  readonly appeared: readonly string[]
  readonly vanished: readonly string[]
  /** Ids that were not selected in one of the runs. */
  readonly notSelected: { readonly before: readonly string[]; readonly after: readonly string[] }
  /** Counts of what was decided in both runs and is alike. */
  readonly alike: { readonly requirements: number; readonly observations: number }
  /** Of drift only: the older runs that some requirements are compared with, the newest first. */
  readonly olderBases?: readonly Base[]
  /** Of drift only: since when requirements are violated; without those that no earlier run saw violated. */
  readonly violatedSince?: Readonly<Record<string, ViolatedSince>>
}

/** A run that stands in for a later one that did not decide some requirements. */
export interface Base extends Pick<RunResults['run'], 'id' | 'startedAt'> {
  /** Their ids. */
  readonly requirements: readonly string[]
}

export interface ViolatedSince {
  /** Start of the first run that saw it: ISO 8601, UTC. */
  readonly startedAt: string
  /** How many runs saw it. */
  readonly runs: number
}
