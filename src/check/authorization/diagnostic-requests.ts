import type { Agent } from '../../browser/index.ts'
import { authorizationRequest } from '../../oauth/authorization-request.ts'
import { otherAddresses } from '../../oauth/endpoints.ts'
import { exchangeForm } from '../../oauth/form.ts'
import { randomValue } from '../../oauth/pkce.ts'
import { DiscoverySteps } from '../discovery-steps.ts'
import type { CheckExecution } from '../execution.ts'
import { unlessUndecided } from '../obstacle.ts'
import type { RunContext } from '../run-context.ts'
import type { DiagnosticRequests } from './refused-by-configuration.ts'
import { openAgent, sendAuthorization } from './send-authorization.ts'

/**
 * Further requests that show whether the target or the configuration caused the refusal of the first request.
 * @param first user agent of the refused request, if it can be used again
 */
export function diagnosticRequests(
  run: RunContext,
  execution: CheckExecution,
  first?: Agent,
): DiagnosticRequests {
  const { provider, target } = run
  return {
    authorize: async (changes, window) => {
      const agent = (window === 'same' ? first : undefined) ?? (await openAgent(run, execution))
      return unlessUndecided(sendAuthorization(run, agent, authorizationRequest(target, changes), 'stop'))
    },
    exchange: async () => {
      if (!target.allowedEffects.includes('bad-credentials')) return undefined
      const exchange = provider.token(exchangeForm(randomValue(), authorizationRequest(target)))
      return (await unlessUndecided(exchange))?.object?.error
    },
    otherAddresses: async () => {
      const metadata = await new DiscoverySteps(run).document()
      return metadata && otherAddresses(target, metadata)
    },
  }
}
