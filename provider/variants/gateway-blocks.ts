import { type Alter, withSurface } from '../alteration.ts'
import { htmlResponse } from '../http.ts'

const page = (status: number) =>
  htmlResponse(status, '<!doctype html><title>Not available</title><p>Not available.</p>')

/** Responds to the next requests after the first `after` ones, by default to all, with a page of a gateway. */
function block(after: number, { requests = Number.POSITIVE_INFINITY, status = 403 } = {}): Alter {
  return ({ idp, hub, webhooks }) => {
    let count = 0
    const respond = () => {
      count += 1
      return count > after && count <= after + requests ? page(status) : undefined
    }
    for (const { interceptors } of [idp, hub, webhooks]) interceptors.push(respond)
  }
}

/** Gateways that block Plumbline, or take the service away, during a run. */
export const gatewayBlockVariants = withSurface(
  'all',
  [
    ...[12, 80, 150].map((after) => ({
      name: `gateway-blocks-after-${after}-requests`,
      summary: `Refuses each request after the first ${after} with 403 and the page of a gateway.`,
      alter: block(after),
    })),
    ...[29, 32].map((after) => ({
      name: `gateway-blocks-four-after-${after}-requests`,
      summary: `Refuses four requests after the first ${after} with 403 and the page of a gateway.`,
      alter: block(after, { requests: 4 }),
    })),
    ...[30, 90].map((after) => ({
      name: `maintenance-page-after-${after}-requests`,
      summary: `Responds to each request after the first ${after} with status 200 and a maintenance page.`,
      alter: block(after, { status: 200 }),
    })),
    {
      name: 'route-removed-after-120-requests',
      summary: 'Responds to each request after the first 120 with 404 and the page of a gateway.',
      alter: block(120, { status: 404 }),
    },
  ].map((variant) => ({
    ...variant,
    concerns: [
      'TOKEN-GRANT-CLIENT-CREDENTIALS',
      'AUTHZ-ERROR-REDIRECT',
      'USERINFO-BEARER',
      'EVENT-WINDOW-LIMIT',
    ],
    unspecified: 'A gateway before the service may respond for reasons of its own.',
    mayBeInconclusive: ['*'],
  })),
)
