import type { Cause, Verdict } from '../check/verdict.ts'
import type { RequirementResult } from './results.ts'

/** What a requirement came to in a run; cause and reason are those of the check that made the verdict. */
export interface Outcome {
  readonly verdict: Verdict
  readonly cause: Cause | null
  readonly reason: string | null
}

/** What a requirement came to, and because of which check. */
export function outcomeOf({ verdict, reason, checks }: RequirementResult): Outcome {
  const decisive = checks.find((check) => check.verdict === verdict)
  return { verdict, cause: decisive?.cause ?? null, reason: decisive?.reason ?? reason }
}

/** Observed, one way or the other. */
export function isDecided(verdict: Verdict): boolean {
  return verdict === 'pass' || verdict === 'fail' || verdict === 'observed'
}
