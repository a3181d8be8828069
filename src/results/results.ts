import type { Level } from '../check/requirement.ts'
import type { CheckResult, Observation } from '../check/result.ts'
import type { Verdict } from '../check/verdict.ts'
import type { Exchange } from '../evidence/exchange.ts'
import type { BudgetUsed } from '../http/budget.ts'
import type { TargetName } from '../target/profiles.ts'

/** results.json: described by schemas/run-results.schema.json. */
export interface RunResults {
  readonly formatVersion: 2
  readonly run: {
    readonly id: string
    readonly kind: 'check' | 'probe'
    readonly target: TargetName
    readonly hosts: readonly string[]
    /** ISO 8601, UTC. */
    readonly startedAt: string
    readonly finishedAt: string | null
    readonly version: string
    /** Versions of what it ran with; absent in runs of before these were kept, and of probes. */
    readonly software?: { readonly node: string; readonly browser: string | null }
    /** False while the run goes on, and for ever when it was killed. */
    readonly completed: boolean
    /** What was selected, as the user wrote it; empty means everything. */
    readonly selection: { readonly only: readonly string[]; readonly areas: readonly string[] }
  }
  readonly totals: Readonly<Record<Verdict, number>>
  readonly budget: BudgetUsed & {
    readonly requestCap: number
    readonly loginCap: number
  }
  readonly requirements: readonly RequirementResult[]
  readonly observations: readonly Observation[]
  /** Each exchange that some check rests on, once, redacted, by its number. */
  readonly exchanges: readonly Exchange[]
}

export interface RequirementResult {
  readonly id: string
  readonly area: string
  readonly section: string
  readonly level: Level
  readonly statement: string
  readonly verdict: Verdict
  /** Why a requirement without a check has none. */
  readonly reason: string | null
  readonly checks: readonly CheckRecord[]
}

/** A check as results.json keeps it: exchanges by number, observations beside the requirements. */
export interface CheckRecord
  extends Omit<CheckResult, 'requirement' | 'observations' | 'exchanges' | 'enabled' | 'reproduce'> {
  /** One line per exchange: method, address, status. */
  readonly evidence: readonly string[]
  /** Numbers of the same exchanges, those shared with other checks included, in order. */
  readonly exchanges: readonly number[]
  /** Command that repeats just this requirement. */
  readonly reproduce: string
}
