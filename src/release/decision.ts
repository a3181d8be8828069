import type { Verdict } from '../check/verdict.ts'
import type { RunResults } from '../results/results.ts'
import type { Policy } from './policy.ts'
import type { Waiver } from './waivers.ts'

/** Effects of findings on the decision, in order: `violated` says no, `undecided` says not yet, `noted` nothing. */
export const effects = ['violated', 'undecided', 'noted'] as const
export type Effect = (typeof effects)[number]

/** A fact about a run that the policy or the waivers ask about. */
export interface PolicyFinding {
  readonly effect: Effect
  readonly subject: 'run' | 'requirement' | 'coverage' | 'waiver'
  readonly requirement: string | null
  /** One sentence, without its full stop. */
  readonly text: string
}

/** How many of the requirements that apply were decided. */
export interface Coverage {
  readonly applicable: number
  readonly decided: number
  /** Undecided, but waived, or following from a waived requirement: settled all the same. */
  readonly waived: number
  /** Share of decided and waived requirements, from 0 to 1; null where none applied. */
  readonly share: number | null
}

/** An undecided requirement that could not be decided because of a waived one. */
export interface Follower {
  readonly requirement: string
  /** Ids of the requirements that it follows from, each waived or a follower itself. */
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
  /** In the order of their effects. */
  readonly findings: readonly PolicyFinding[]
  /** Waivers that an open requirement needed. */
  readonly waived: readonly (Waiver & { readonly verdict: Verdict })[]
  /** Undecided requirements that these waivers settle too. */
  readonly following: readonly Follower[]
}
