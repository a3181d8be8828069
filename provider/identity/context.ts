import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Deployment, User } from '../deployment.ts'
import type { HttpRequest } from '../http.ts'
import type { SigningKey } from '../keys.ts'
import type { IdentityBehaviour } from './behaviour.ts'

export interface IdentitySetup {
  issuer: string
  /** Path of the issuer, without a trailing slash. */
  basePath: string
  seed: string
  deployment: Deployment
  behaviour: IdentityBehaviour
  /** Signs tokens, and is in the key set. */
  key: SigningKey
  /** Called with each claim that a user has changed. */
  onClaimChanged(user: User, claim: string, value: string): void
}

/** Shared by all parts of the identity provider. */
export interface IdentityContext extends IdentitySetup {
  /** The request being handled, as oidc-provider represents it. */
  currentContext(): KoaContextWithOIDC
  /** The request being handled. */
  currentRequest(): HttpRequest
}
