import type { Level } from '../check/requirement.ts'
import type { CheckResult, Observation } from '../check/result.ts'
import type { Selection } from '../check/selection.ts'
import type { Cause, Verdict } from '../check/verdict.ts'
import type { Exchange } from '../evidence/exchange.ts'
import type { BudgetUsed } from '../http/budget.ts'
import type { Effect, TargetName } from '../target/profiles.ts'

/** The format that this version writes. Earlier formats are upgraded when a run is read. */
export const formatVersion = 2

/** Name of the attachment with a probe's chart for narrow pages. */
export const narrowChart = 'chart for narrow pages'

/** The content of results.json, which schemas/run-results.schema.json describes. */
export interface RunResults {
  readonly formatVersion: typeof formatVersion
  readonly run: {
    readonly id: string
    readonly kind: 'check' | 'probe'
    readonly target: TargetName
    readonly hosts: readonly string[]
    /** ISO 8601, UTC. */
    readonly startedAt: string
    readonly finishedAt: string | null
    readonly version: string
    /** Versions of Node and the browser; absent in probe runs, and in runs of older versions. */
    readonly software?: { readonly node: string; readonly browser: string | null }
    /** False until the run ends; it stays false if the run is killed. */
    readonly completed: boolean
    /** The selection as the user wrote it; empty for everything. */
    readonly selection: Selection
    /**
     * Effects that ENABLE added to those of the profile; absent if none, in probe runs, and in runs of older versions.
     */
    readonly enabled?: readonly Effect[]
  }
  /** Numbers of requirements by verdict. */
  readonly totals: Readonly<Record<Verdict, number>>
  readonly budget: BudgetUsed & {
    readonly requestCap: number
    readonly loginCap: number
  }
  readonly requirements: readonly RequirementResult[]
  readonly observations: readonly Observation[]
  /** The redacted exchanges (requests with their responses) of all checks, in order of their numbers. */
  readonly exchanges: readonly Exchange[]
}

export interface RequirementResult {
  readonly id: string
  readonly area: string
  readonly section: string
  readonly level: Level
  readonly statement: string
  /** How Plumbline reads an ambiguous statement; absent for other statements, and in runs of older versions. */
  readonly interpretation?: string
  readonly verdict: Verdict
  /** Why the requirement has no check; null if it has checks. */
  readonly reason: string | null
  readonly checks: readonly CheckRecord[]
}

/** What the catalogue states about a requirement of a run. */
export type RequirementFacts = Omit<RequirementResult, 'verdict' | 'reason' | 'checks'>

/** A check in results.json: its exchanges are referenced by number, its observations are listed separately. */
export interface CheckRecord
  extends Omit<
    CheckResult,
    'requirement' | 'observations' | 'exchanges' | 'effectsBeyondDefault' | 'reproduce'
  > {
  /** One line per exchange: method, address, status. */
  readonly evidence: readonly string[]
  /** Numbers of these exchanges in order, including those shared with other checks. */
  readonly exchanges: readonly number[]
  /**
   * The command that repeats the check or probe. It selects a check with `--only`. If the check judges requests of
   * other checks, it selects these, too, with `--area`.
   */
  readonly reproduce: string
}

/** The verdict of a requirement in a run, with cause and reason of the first check with this verdict. */
export interface RequirementOutcome {
  readonly verdict: Verdict
  readonly cause: Cause | null
  readonly reason: string | null
}

export function requirementOutcome({ verdict, reason, checks }: RequirementResult): RequirementOutcome {
  if (verdict === 'inconclusive' && checks.length === 0)
    return { verdict, cause: 'environment', reason: 'the run ended before its checks' }
  const decisive = checks.find((check) => check.verdict === verdict)
  return { verdict, cause: decisive?.cause ?? null, reason: decisive?.reason ?? reason }
}

/** Whether a verdict decides its requirement; false without a verdict. */
export function isDecided(verdict: Verdict | undefined): verdict is 'pass' | 'fail' | 'observed' {
  return verdict === 'pass' || verdict === 'fail' || verdict === 'observed'
}
