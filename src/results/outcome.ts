import type { Cause, Verdict } from '../check/verdict.ts'
import type { RequirementResult } from './results.ts'

/** The verdict of a requirement in a run, with cause and reason of the first check with this verdict. */
export interface RequirementOutcome {
  readonly verdict: Verdict
  readonly cause: Cause | null
  readonly reason: string | null
}

/** The outcome of a requirement, which has no finished check if the run ended early. */
export function requirementOutcome({ verdict, reason, checks }: RequirementResult): RequirementOutcome {
  if (verdict === 'inconclusive' && checks.length === 0)
    return { verdict, cause: 'environment', reason: 'the run ended before its checks' }
  const decisive = checks.find((check) => check.verdict === verdict)
  return { verdict, cause: decisive?.cause ?? null, reason: decisive?.reason ?? reason }
}

/** Whether a verdict is conclusive. */
export function isConclusive(verdict: Verdict): boolean {
  return verdict === 'pass' || verdict === 'fail' || verdict === 'observed'
}
