import { isTransientStatus } from '../../http/retry.ts'
import { documentedErrors } from '../../oauth/errors.ts'
import { isClientError } from '../valid-requests.ts'
import type { ReceivedErrorPage, ReceivedRedirect } from './authorization-log.ts'
import { codeOf, errorOf } from './landing-content.ts'

type Received = ReceivedRedirect | ReceivedErrorPage

/** Errors that blame the request or the application. */
const requestErrors: ReadonlySet<string> = new Set([
  'invalid_request',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_response_type',
])

/** Statuses with which firewalls and gateways refuse requests that look like attacks. */
const gatewayStatuses: ReadonlySet<number> = new Set([401, 403])

/**
 * Refusals of valid requests that the request does not explain, because a later valid request of the same application
 * returned a code. Refusals that the user, a gateway or a passing failure may explain do not count.
 * @param received responses to valid requests, in any order
 */
export function refusedOnce(received: readonly Received[]): Received[] {
  const inOrder = received.toSorted((a, b) => sentAt(a) - sentAt(b))
  return inOrder.filter(
    (refusal, index) =>
      isRefusal(refusal) &&
      inOrder
        .slice(index)
        .some(
          ({ request, landing }) =>
            request.application.id === refusal.request.application.id && codeOf(landing) !== undefined,
        ),
  )
}

function isRefusal({ landing }: Received): boolean {
  if (landing.kind === 'page')
    return (
      isClientError(landing) && !isTransientStatus(landing.status) && !gatewayStatuses.has(landing.status)
    )
  const error = errorOf(landing)
  return error !== undefined && (requestErrors.has(error) || !documentedErrors.has(error))
}

function sentAt({ exchanges }: Received): number {
  return exchanges[0]?.sentAt ?? 0
}
