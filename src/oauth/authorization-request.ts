import { applicationOf } from '../target/parts.ts'
import type { Application, Target } from '../target/target.ts'
import { endpoint } from './endpoints.ts'
import { codeChallenge, codeVerifier, randomValue } from './pkce.ts'

/** Parameters to set in a request; null omits a parameter. */
export type Changes = Readonly<Record<string, string | null>>

export interface AuthorizationRequest {
  readonly url: URL
  readonly application: Application
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** redirect_uri as sent; a check may have altered the registered one. */
  readonly redirectUri: string
}

/** A valid request of the authorization code flow with PKCE and a new state and nonce. Changes are applied last. */
export function authorizationRequest(
  target: Target,
  changes: Changes = {},
  application: Application = applicationOf(target),
  verifier = codeVerifier(),
): AuthorizationRequest {
  const parameters: Record<string, string | null> = {
    response_type: 'code',
    client_id: application.id,
    redirect_uri: application.redirectUri,
    scope: target.scope,
    state: randomValue(),
    nonce: randomValue(),
    code_challenge: codeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(target.requiredAcr !== undefined && { acr_values: target.requiredAcr }),
    ...changes,
  }
  const url = endpoint(target, 'authorization')
  const query = Object.entries(parameters).flatMap(([name, value]) =>
    value === null ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  )
  url.search = query.join('&')
  return {
    url,
    application,
    state: parameters.state ?? '',
    nonce: parameters.nonce ?? '',
    verifier,
    redirectUri: parameters.redirect_uri ?? application.redirectUri,
  }
}
