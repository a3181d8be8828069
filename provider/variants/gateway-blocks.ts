import { type Alter, withSurface } from '../alteration.ts'
import { htmlResponse } from '../http.ts'

const blocked = () => htmlResponse(403, '<!doctype html><title>Access denied</title><p>Request blocked.</p>')

/** Refuses that many requests to the service, after the first ones, on a page of a gateway. */
function block(requests: number, after: number): Alter {
  return ({ idp, hub, webhooks }) => {
    let count = 0
    const refuse = () => {
      count += 1
      return count > after && count <= after + requests ? blocked() : undefined
    }
    for (const { interceptors } of [idp, hub, webhooks]) interceptors.push(refuse)
  }
}

const unspecified = 'A gateway before the service may block a client for reasons of its own.'
const concerns = [
  'TOKEN-GRANT-CLIENT-CREDENTIALS',
  'TOKEN-GRANT-UNAUTHORIZED',
  'TOKEN-BODY-MALFORMED-ERROR',
  'TOKEN-CODE-SINGLE-USE-ERROR',
]

/** Gateways that block Plumbline during a run. */
export const gatewayBlockVariants = withSurface('all', [
  ...[12, 20, 30, 80].map((after) => ({
    name: `gateway-blocks-after-${after}-requests`,
    summary: `Refuses each request after the first ${after} with 403 on a page of a gateway.`,
    concerns,
    unspecified,
    mayBeInconclusive: ['*'],
    alter: block(Number.POSITIVE_INFINITY, after),
  })),
  ...[29, 32].map((after) => ({
    name: `gateway-blocks-four-after-${after}-requests`,
    summary: `Refuses four requests after the first ${after} with 403 on a page of a gateway.`,
    concerns,
    unspecified,
    mayBeInconclusive: ['*'],
    alter: block(4, after),
  })),
])
