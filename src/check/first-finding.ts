import type { RequirementId } from './requirement.ts'
import type { RunContext } from './run-context.ts'
import { Inconclusive } from './verdict.ts'

/**
 * Ensures that each cause has only one finding in a run.
 * @param cause a text that identifies the expected and the actual value
 * @param id the requirement that is about to be violated
 * @throws {Inconclusive} if an earlier check of the run has found the same cause
 */
export function requireFirstFinding(
  { firstFindings }: Pick<RunContext, 'firstFindings'>,
  cause: string,
  id: RequirementId,
): void {
  const first = firstFindings.get(cause) ?? id
  firstFindings.set(cause, first)
  if (first !== id) throw new Inconclusive('another requirement has the same finding', [first])
}
