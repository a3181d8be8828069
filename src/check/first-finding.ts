import type { RequirementId } from './requirement.ts'
import type { RunContext } from './run-context.ts'
import { Inconclusive } from './verdict.ts'

/**
 * Ensures that a run has each finding only once, even if several requirements judge the same value.
 * @param key a text that identifies the expected and the actual value
 * @param id the requirement that is about to be violated
 * @throws {Inconclusive} if another requirement has this finding
 */
export function requireFirstFinding(
  { firstFindings }: Pick<RunContext, 'firstFindings'>,
  key: string,
  id: RequirementId,
): void {
  const first = firstFindings.get(key) ?? id
  firstFindings.set(key, first)
  if (first !== id) throw new Inconclusive('another requirement has the same finding', [first])
}
