import type { CheckContext } from './fixtures.ts'
import type { RequirementId } from './requirement.ts'

/**
 * Ensures that one cause has one finding.
 * @param cause the expected and the actual value, as a key
 * @param id the requirement that is about to be violated
 * @throws {Inconclusive} if an earlier check of the run has found the same cause
 */
export async function requireRootFinding(
  { once, inconclusive }: Pick<CheckContext, 'once' | 'inconclusive'>,
  cause: string,
  id: RequirementId,
): Promise<void> {
  const roots = await once('root findings', async () => new Map<string, RequirementId>())
  const root = roots.get(cause) ?? id
  roots.set(cause, root)
  if (root !== id) inconclusive('another requirement has the same finding', { dependsOn: [root] })
}
