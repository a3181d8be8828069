import { type Answer, fieldsOf, type Received } from '../http.ts'
import type { Endpoint, IdentityBehaviour } from './behaviour.ts'

/** The address an answer sends the user back to the application with; undefined for any other answer. */
export function callbackOf(answer: Answer, received: Received): URL | undefined {
  const { location } = answer.headers
  if (typeof location !== 'string' || !URL.canParse(location)) return undefined
  const url = new URL(location)
  return url.host === received.headers.host ? undefined : url
}

/**
 * Turns an answer of oidc-provider into the one the specification describes: 302 instead of 303, everything in
 * the query, token_type in lower case, a client without credentials called invalid_client.
 */
export function asSpecified(
  endpoint: Endpoint,
  answer: Answer,
  received: Received,
  behaviour: IdentityBehaviour,
): void {
  if (endpoint === 'authorization') authorizationAnswer(answer, received, behaviour)
  if (endpoint === 'token' || endpoint === 'introspection') clientFailure(answer)
  if (endpoint === 'token') tokenAnswer(answer, received, behaviour)
}

function authorizationAnswer(answer: Answer, received: Received, behaviour: IdentityBehaviour): void {
  if (answer.status === 303) answer.status = 302
  const callback = callbackOf(answer, received)
  if (!callback) return
  if (callback.hash) {
    for (const [name, value] of new URLSearchParams(callback.hash.slice(1)))
      callback.searchParams.set(name, value)
    callback.hash = ''
  }
  // The library has one name for every parameter that needs openid; the description tells them apart.
  if (callback.searchParams.get('error_description')?.startsWith('openid scope must be requested')) {
    callback.searchParams.set('error', behaviour.missingOpenidError)
  }
  answer.headers.location = callback.href
}

function clientFailure(answer: Answer): void {
  const body = fieldsOf(answer)
  if (answer.status === 400 && body?.error_description === 'no client authentication mechanism provided') {
    answer.status = 401
    body.error = 'invalid_client'
  }
}

function tokenAnswer(answer: Answer, received: Received, behaviour: IdentityBehaviour): void {
  const body = fieldsOf(answer)
  if (answer.status !== 200 || !body) return
  body.token_type = String(body.token_type).toLowerCase()
  if (behaviour.refreshRotation === 'omit' && received.form?.get('grant_type') === 'refresh_token') {
    delete body.refresh_token
  }
}
