import type { RunContext } from '../run-context.ts'
import { Inconclusive } from '../verdict.ts'
import type { AuthorizationSteps } from './authorization-steps.ts'
import { errorOf } from './landing-content.ts'

/** Errors for a level that the user cannot reach (section Errors: Authorization endpoint). */
const unmetErrors: ReadonlySet<string> = new Set(['unmet_authentication_requirements', 'access_denied'])

/**
 * Call this if a level seems too weak, to rule out that ACR_ORDER is wrong. One more request, for the weakest level of
 * ACR_ORDER, shows whether the target refuses that level although it reaches others.
 * @throws {Inconclusive} if the target refuses the weakest level
 */
export async function requireLevelOrder(run: RunContext, authorization: AuthorizationSteps): Promise<void> {
  const refusesWeakest = await run.once(requireLevelOrder, async () => {
    const { acrOrder, requiredAcr } = run.target
    const weakest = acrOrder?.[0]
    if (weakest === undefined || weakest === requiredAcr) return false
    const { landing } = await authorization.authorize('new-login', { acr_values: weakest })
    return unmetErrors.has(errorOf(landing) ?? '')
  })
  if (refusesWeakest)
    throw new Inconclusive('the target reaches a level of ACR_ORDER, but refuses the weakest one', {
      variables: ['ACR_ORDER'],
      advice: 'set ACR_ORDER to all levels, weakest first',
    })
}
