import type Provider from 'oidc-provider'
import { type ClientMetadata, errors } from 'oidc-provider'
import type { Application } from '../deployment.ts'
import type { IdentityContext } from './context.ts'

export function clientMetadata(application: Application): ClientMetadata {
  return {
    client_id: application.id,
    client_secret: application.secret,
    client_name: application.name,
    token_endpoint_auth_method: application.authMethod,
    redirect_uris: application.redirectUris,
    response_types: ['code'],
    grant_types: application.refresh ? ['authorization_code', 'refresh_token'] : ['authorization_code'],
    subject_type: 'pairwise',
  }
}

/** The parts of oidc-provider's client that its types do not declare. */
interface ClientModel {
  clientId: string
  clientSecret: string
  clientAuthMethod: string
  redirectUris: string[]
  grantTypeAllowed(type: string): boolean
  responseTypeAllowed(type: string): boolean
  redirectUriAllowed(uri: string): boolean
  compareClientSecret(secret: string): boolean
}

/**
 * Applies the rules of the specification to clients. Only the configured authentication method is valid. A request for
 * a grant or flow that the client may not use returns the error unauthorized_client.
 */
export function installClientRules(provider: Provider, context: IdentityContext): void {
  const { behaviour } = context
  const clients = provider.Client.prototype as unknown as ClientModel

  clients.compareClientSecret = function (this: ClientModel, given) {
    const { authorization } = context.currentContext().headers
    const method = authorization === undefined ? 'client_secret_post' : 'client_secret_basic'
    if (behaviour.enforceAuthMethod && method !== this.clientAuthMethod) return false
    return behaviour.secretMatches(given, this.clientSecret)
  }

  clients.redirectUriAllowed = function (this: ClientModel, uri) {
    return behaviour.redirectUriMatches(uri, this.redirectUris)
  }

  const { grantTypeAllowed, responseTypeAllowed } = clients
  clients.grantTypeAllowed = function (this: ClientModel, type) {
    const allowed = grantTypeAllowed.call(this, type)
    const { oidc } = context.currentContext()
    // Other callers, such as `issueRefreshToken`, need only the answer false, and refuse no request.
    if (!allowed && oidc.route === 'token' && oidc.params?.grant_type === type) {
      const text = 'the client may not use this grant type'
      if (behaviour.unauthorizedGrantError === 'unauthorized_client')
        throw new errors.UnauthorizedClient(text)
      throw new errors.InvalidRequest(text)
    }
    return allowed
  }

  clients.responseTypeAllowed = function (this: ClientModel, type) {
    if (responseTypeAllowed.call(this, type)) return true
    throw new errors.UnauthorizedClient('the client may not use this flow')
  }
}

/**
 * Converts a Basic header with the raw id and secret of a client, as in the specification, to the form that
 * oidc-provider reads: both form-encoded (RFC 6749 section 2.3.1). Returns any other header unchanged.
 */
export function acceptRawBasic(header: string | undefined, applications: Application[]): string | undefined {
  const match = /^basic ([A-Za-z0-9+/=]+)$/i.exec(header ?? '')
  if (!match?.[1]) return header
  const raw = Buffer.from(match[1], 'base64').toString()
  const application = applications.find(({ id, secret }) => raw === `${id}:${secret}`)
  if (!application) return header
  const pair = `${encodeURIComponent(application.id)}:${encodeURIComponent(application.secret)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}
