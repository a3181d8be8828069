import { type Alter, withSurface } from '../alteration.ts'
import { type HttpRequest, type HttpResponse, htmlResponse, jsonResponse } from '../http.ts'

const page = (status: number) =>
  htmlResponse(status, '<!doctype html><title>Not available</title><p>Not available.</p>')

interface Block {
  /** Number of blocked requests; unlimited by default. */
  readonly requests?: number
  /** Length of the block in milliseconds; unlimited by default. */
  readonly forMs?: number
  readonly response?: (request: HttpRequest) => HttpResponse
}

/** Responds to requests in place of the provider, after the first `after` requests. */
function block(
  after: number,
  {
    requests = Number.POSITIVE_INFINITY,
    forMs = Number.POSITIVE_INFINITY,
    response = () => page(403),
  }: Block = {},
): Alter {
  return ({ idp, hub, webhooks }) => {
    let count = 0
    let firstAt: number | undefined
    const respond = (request: HttpRequest) => {
      count += 1
      if (count <= after || count > after + requests) return undefined
      firstAt ??= Date.now()
      return Date.now() <= firstAt + forMs ? response(request) : undefined
    }
    for (const { interceptors } of [idp, hub, webhooks]) interceptors.push(respond)
  }
}

/**
 * Gateways that block Plumbline, or make the provider unavailable, during a run. The numbers of requests differ, so
 * that different checks meet the block first.
 */
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
    ...[40, 100, 147].map((after) => ({
      name: `gateway-blocks-for-a-second-after-${after}-requests`,
      summary: `Refuses every request for one second, after the first ${after} requests, with 403 and the page of a gateway.`,
      alter: block(after, { forMs: 1000 }),
    })),
    ...[30, 90].map((after) => ({
      name: `maintenance-page-after-${after}-requests`,
      summary: `Responds to each request after the first ${after} with status 200 and a maintenance page.`,
      alter: block(after, { response: () => page(200) }),
    })),
    {
      name: 'route-removed-after-120-requests',
      summary: 'Responds to each request after the first 120 with 404 and the page of a gateway.',
      alter: block(120, { response: () => page(404) }),
    },
    {
      name: 'route-removed-in-json-after-120-requests',
      summary: 'Responds to each request after the first 120 with 404 and JSON of a gateway.',
      alter: block(120, { response: () => jsonResponse(404, { message: 'no Route matched' }) }),
    },
    {
      name: 'status-page-after-40-requests',
      summary: 'Redirects each request after the first 40 to a page about the status of the service.',
      alter: block(40, {
        response: () => ({ status: 302, headers: { location: 'https://status.invalid/' }, body: '' }),
      }),
    },
    {
      name: 'gateway-blocks-in-accepted-type-after-120-requests',
      summary:
        'Refuses each request after the first 120 with 403. The body is JSON only if the `Accept` header permits it.',
      alter: block(120, {
        response: ({ headers }) =>
          headers.accept?.includes('json') ? jsonResponse(403, { message: 'Forbidden' }) : page(403),
      }),
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
