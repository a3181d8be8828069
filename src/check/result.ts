import type { Exchange } from '../evidence/exchange.ts'
import type { RequirementId } from './requirement.ts'
import type { Cause, Finding, Verdict } from './verdict.ts'

/** Something worth knowing that changes no verdict. */
export interface Note {
  readonly text: string
}

/** Behaviour the specification is silent about, kept so that runs can be compared. */
export interface Observation {
  readonly key: string
  readonly value: string | number | boolean | null | readonly string[]
  readonly requirement: string
  /** Name of the check that made it; absent until a run keeps it. */
  readonly check?: string
}

/** What one check found, as plain data: it crosses from the worker to the reporters. */
export interface CheckResult {
  readonly requirement: string
  readonly name: string
  /** Path of the suite, relative to the project. */
  readonly file: string
  readonly verdict: Verdict
  readonly cause: Cause | null
  /** One sentence; null for `pass` and `observed`. */
  readonly reason: string | null
  /** What to change, where that is known; null otherwise. */
  readonly advice: string | null
  /** Requirements whose violation would explain an `inconclusive`. */
  readonly dependsOn: readonly RequirementId[]
  /** The violation; null for every verdict but `fail`. */
  readonly finding: Finding | null
  readonly notes: readonly Note[]
  readonly observations: readonly Observation[]
  /** Redacted exchanges this check rests on, shared ones included, in order. */
  readonly exchanges: readonly Exchange[]
  readonly durationMs: number
  /** Requests that this check itself added to the run. */
  readonly requests: number
  /** Logins with a typed password that it added. */
  readonly logins: number
  /** Effects of the check that its target does not allow unasked. */
  readonly enabled: readonly string[]
  /** How much data the verdict rests on, for example `{ events: 120 }`. */
  readonly basis: Readonly<Record<string, number>>
  /** Files of the run that show more. */
  readonly attachments?: readonly ResultFile[]
  /** Command that repeats it; the check of its requirement by default. */
  readonly reproduce?: string
}

/** A file of a run, by its path relative to the run's directory. */
export interface ResultFile {
  readonly name: string
  readonly mediaType: string
  readonly path: string
}

/** Why a check came to its verdict, with what to change and which requirements to look at first. */
export function reasonText({
  reason,
  advice,
  dependsOn,
}: Pick<CheckResult, 'reason' | 'advice' | 'dependsOn'>): string {
  const see = dependsOn.length === 0 ? null : `see ${new Intl.ListFormat('en-GB').format(dependsOn)}`
  return [reason, advice, see].filter((part) => part !== null).join('; ')
}
