import { fieldsOf, type HttpRequest, type HttpResponse } from '../http.ts'
import type { IdentityBehaviour } from './behaviour.ts'
import type { Endpoint } from './paths.ts'

/** The URL of a redirect to the application; undefined for any other response. */
export function callbackOf(response: HttpResponse, request: HttpRequest): URL | undefined {
  const { location } = response.headers
  if (typeof location !== 'string' || !URL.canParse(location)) return undefined
  const url = new URL(location)
  return url.host === request.headers.host ? undefined : url
}

/**
 * Edits a response of oidc-provider as specified: 302 instead of 303, all parameters in the query, token_type in lower
 * case, and invalid_client for a client without credentials or with an empty secret.
 */
export function asSpecified(
  endpoint: Endpoint,
  response: HttpResponse,
  request: HttpRequest,
  behaviour: IdentityBehaviour,
): void {
  if (endpoint === 'authorization') editAuthorization(response, request, behaviour)
  if (endpoint === 'token' || endpoint === 'introspection') editClientFailure(response)
  if (endpoint === 'token') editTokens(response, request, behaviour)
}

function editAuthorization(
  response: HttpResponse,
  request: HttpRequest,
  { missingOpenidError }: IdentityBehaviour,
): void {
  if (response.status === 303) response.status = 302
  const callback = callbackOf(response, request)
  if (!callback) return
  if (callback.hash) {
    for (const [name, value] of new URLSearchParams(callback.hash.slice(1)))
      callback.searchParams.set(name, value)
    callback.hash = ''
  }
  // oidc-provider uses one error code for all parameters that need the scope openid. Only the description differs.
  if (callback.searchParams.get('error_description')?.startsWith('openid scope must be requested')) {
    callback.searchParams.set('error', missingOpenidError)
  }
  response.headers.location = callback.href
}

/** Descriptions of oidc-provider for a client without credentials, and for a client with an empty secret. */
const withoutCredentials: ReadonlySet<unknown> = new Set([
  'no client authentication mechanism provided',
  'client_secret must be provided in the Authorization header',
])

function editClientFailure(response: HttpResponse): void {
  const body = fieldsOf(response)
  if (response.status === 400 && body && withoutCredentials.has(body.error_description)) {
    response.status = 401
    body.error = 'invalid_client'
  }
}

function editTokens(
  response: HttpResponse,
  request: HttpRequest,
  { refreshRotation }: IdentityBehaviour,
): void {
  const body = fieldsOf(response)
  if (response.status !== 200 || !body) return
  body.token_type = String(body.token_type).toLowerCase()
  if (refreshRotation === 'omit' && request.form?.get('grant_type') === 'refresh_token') {
    delete body.refresh_token
  }
}
