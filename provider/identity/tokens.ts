import type Provider from 'oidc-provider'
import { errors } from 'oidc-provider'
import { subjectFor } from '../deployment.ts'
import { type Edit, type StoredRecord, TOKEN_LIFETIME } from './behaviour.ts'
import type { IdentityContext } from './context.ts'
import { signedJwt, verifiedTokenId } from './jwt.ts'

// The parts of oidc-provider's models that its types do not declare.

interface AccessTokenModel {
  jti: string
  accountId: string
  clientId: string
  scope?: string
  getValueAndPayload(): Promise<{ value: string; payload: { iat: number; exp: number } }>
}

interface IdTokenModel {
  client: { clientId: string }
  payload(): Promise<Record<string, unknown>>
  issue(context: { use: string }): Promise<string>
}

interface CodeModel {
  generateTokenId(): string
}

interface Lookup {
  find(value: unknown, options?: object): Promise<unknown>
}

/** Replaces oidc-provider's tokens with those of the specification. Applies the edits to tokens and records. */
export function installTokens(provider: Provider, context: IdentityContext): void {
  const { behaviour } = context
  installAccessTokens(provider, context)
  installIdTokens(provider, context)
  installCodes(provider, context)
  applyEdits(provider.AuthorizationCode as unknown as Lookup, behaviour.presentedCodes, context)
  applyEdits(provider.RefreshToken as unknown as Lookup, behaviour.refreshTokenFound, context)
  applyEdits(provider.Grant as unknown as Lookup, behaviour.grantFound, context)
}

/**
 * Makes access tokens RS256 JWTs that the provider's own endpoints accept.
 *
 * oidc-provider issues JWTs only for resource servers, and keeps no record of them. Here, the store contains an opaque
 * token, and the `jti` of the JWT is its identifier.
 */
function installAccessTokens(provider: Provider, context: IdentityContext): void {
  const { behaviour, issuer, seed, deployment, key } = context
  const accessTokens = provider.AccessToken.prototype as unknown as AccessTokenModel
  const { getValueAndPayload } = accessTokens
  accessTokens.getValueAndPayload = async function (this: AccessTokenModel) {
    const { value, payload } = await getValueAndPayload.call(this)
    if (behaviour.accessTokenForm === 'opaque') return { value, payload }
    const { entities } = context.currentContext().oidc
    const application = deployment.applications.find(({ id }) => id === this.clientId)
    const source = entities.AuthorizationCode ?? entities.RefreshToken
    const claims = {
      iss: issuer,
      sub: subjectFor(seed, application?.sphere ?? '', this.accountId),
      aud: this.clientId,
      azp: this.clientId,
      client_id: this.clientId,
      acr: (source as { acr?: string } | undefined)?.acr,
      scope: this.scope,
      iat: payload.iat,
      exp: payload.exp,
      jti: this.jti,
    }
    const request = context.currentRequest()
    return { value: await signedJwt('at+jwt', claims, key, behaviour.accessToken, request), payload }
  }

  const lookup = provider.AccessToken as unknown as Lookup
  const find = lookup.find
  lookup.find = async (value, options) => {
    if (typeof value !== 'string') return undefined
    const id = behaviour.accessTokenForm === 'opaque' ? value : verifiedTokenId(value, behaviour, key)
    return find.call(lookup, id ?? value, options)
  }
}

function installIdTokens(provider: Provider, context: IdentityContext): void {
  const { behaviour, issuer, key } = context
  const idTokens = provider.IdToken.prototype as unknown as IdTokenModel
  idTokens.issue = async function (this: IdTokenModel) {
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: issuer,
      ...(await this.payload()),
      aud: this.client.clientId,
      exp: now + TOKEN_LIFETIME,
      iat: now,
    }
    return signedJwt('JWT', claims, key, behaviour.idToken, context.currentRequest())
  }
}

function installCodes(provider: Provider, context: IdentityContext): void {
  const { behaviour } = context
  const codes = provider.AuthorizationCode.prototype as unknown as CodeModel
  const { generateTokenId } = codes
  codes.generateTokenId = function (this: StoredRecord & CodeModel) {
    return behaviour.codeValue(this) ?? generateTokenId.call(this)
  }

  const lookup = provider.AuthorizationCode as unknown as Lookup
  const find = lookup.find
  lookup.find = async (value, options) => {
    const parameters = context.currentContext().oidc.params ?? {}
    for (const name of behaviour.requiredExchangeParameters) {
      if (!parameters[name]) throw new errors.InvalidRequest(`missing required parameter '${name}'`)
    }
    return find.call(lookup, value, options)
  }
}

/** Applies edits to every record that a model finds. */
function applyEdits(lookup: Lookup, edits: Edit<StoredRecord>[], context: IdentityContext): void {
  const find = lookup.find
  lookup.find = async (value, options) => {
    const record = (await find.call(lookup, value, options)) as StoredRecord | undefined
    if (record) for (const edit of edits) await edit(record, context.currentRequest())
    return record
  }
}
