import type { Verdict } from '../check/verdict.ts'
import type { RunResults } from '../results/results.ts'
import type { Policy } from './policy.ts'
import type { Waiver } from './waivers.ts'

/**
 * What a finding does to the decision: a violation says no, something undecided says not yet, and what is
 * noted says nothing. In the order in which they matter.
 */
export const effects = ['violated', 'undecided', 'noted'] as const
export type Effect = (typeof effects)[number]

/** Which part of the policy, or of the waivers, a finding belongs to. */
export type Subject = 'run' | 'requirement' | 'coverage' | 'waiver'

export interface Finding {
  readonly effect: Effect
  readonly subject: Subject
  readonly requirement: string | null
  /** One sentence, without its full stop. */
  readonly text: string
}

/** How much of what applied was decided. */
export interface Coverage {
  readonly applicable: number
  readonly decided: number
  /** Undecided, but waived, or following from what is: settled all the same. */
  readonly waived: number
  /** Of what applied, what was decided or is waived: from 0 to 1; null where nothing applied. */
  readonly share: number | null
}

/** An undecided requirement that nobody could decide because of one that is waived. */
export interface Follower {
  readonly requirement: string
  /** Ids of what it follows from, which is waived, or follows itself. */
  readonly follows: readonly string[]
  /** Why it could not be decided. */
  readonly reason: string
}

/** Whether a run may be released, and why; described by schemas/release-decision.schema.json. */
export interface Decision {
  readonly formatVersion: 1
  readonly release: boolean
  /** 0 yes, 1 no because something is violated, 2 no because something is undecided. */
  readonly exitCode: 0 | 1 | 2
  /** One sentence, without its full stop. */
  readonly because: string
  /** ISO 8601, UTC. */
  readonly decidedAt: string
  /** Version of Plumbline that decided. */
  readonly version: string
  readonly run: RunResults['run']
  readonly policy: Policy
  readonly coverage: Coverage & { readonly areas: Readonly<Record<string, Coverage>> }
  /** What decides comes first. */
  readonly findings: readonly Finding[]
  /** Waivers that a requirement needed and had. */
  readonly waived: readonly (Waiver & { readonly verdict: Verdict })[]
  /** Undecided requirements that these waivers settle too. */
  readonly following: readonly Follower[]
}
