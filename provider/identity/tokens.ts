import type Provider from 'oidc-provider'
import { errors } from 'oidc-provider'
import { subjectFor } from '../deployment.ts'
import type { Received } from '../http.ts'
import { activeKey, type SigningKey, signRs256 } from '../keys.ts'
import type { IdentityBehaviour, Step, StoredGrantSource, UnsignedJwt } from './behaviour.ts'
import { TOKEN_LIFETIME } from './lifetimes.ts'
import type { IdentityContext } from './provider.ts'

/** The parts of oidc-provider's models that its type declarations keep to themselves. */
interface AccessTokenModel {
  jti: string
  accountId: string
  clientId: string
  scope?: string
  iat?: number
  exp?: number
  getValueAndPayload(): Promise<{ value: string; payload: { iat: number; exp: number } }>
}

interface IdTokenModel {
  client: { clientId: string }
  payload(): Promise<Record<string, unknown>>
  issue(context: { use: string }): Promise<string>
}

type Find = (value: unknown, options?: object) => Promise<unknown>

export function epochSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

async function compact(
  claims: Record<string, unknown>,
  type: string,
  key: SigningKey,
  steps: Step<UnsignedJwt>[],
  received: Received,
): Promise<string> {
  const jwt: UnsignedJwt = {
    header: { alg: 'RS256', typ: type, kid: key.kid },
    claims,
    sign: (input) => signRs256(input, key.privateKey),
  }
  for (const step of steps) await step(jwt, received)
  const input = `${part(jwt.header)}.${part(jwt.claims)}`
  return `${input}.${await jwt.sign(input)}`
}

/** The identifier inside a JWT access token whose signature is accepted; undefined for any other text. */
export function tokenIdOf(
  value: string,
  behaviour: IdentityBehaviour,
  keys: SigningKey[],
): string | undefined {
  const [header, payload, signature, more] = value.split('.')
  if (!header || !payload || !signature || more !== undefined) return undefined
  try {
    const { jti } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { jti?: unknown }
    const publicKeys = keys.map((key) => key.publicKey)
    if (!behaviour.accessTokenAccepted(`${header}.${payload}`, signature, publicKeys)) return undefined
    return typeof jti === 'string' ? jti : undefined
  } catch {
    return undefined
  }
}

/**
 * Makes the provider's access tokens RS256 JWTs that its own endpoints accept.
 *
 * oidc-provider issues JWTs only for resource servers and then keeps no record of them. Here the record is kept
 * as for an opaque token, and the JWT carries its identifier as `jti`.
 */
export function installTokens(provider: Provider, context: IdentityContext): void {
  const { behaviour, issuer, seed, deployment } = context

  const accessTokens = provider.AccessToken.prototype as unknown as AccessTokenModel
  const record = accessTokens.getValueAndPayload
  accessTokens.getValueAndPayload = async function (this: AccessTokenModel) {
    const { value, payload } = await record.call(this)
    if (behaviour.accessTokenForm === 'opaque') return { value, payload }
    const ctx = context.current()
    const application = deployment.applications.find(({ id }) => id === this.clientId)
    const source = ctx.oidc.entities.AuthorizationCode ?? ctx.oidc.entities.RefreshToken
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
    const jwt = await compact(claims, 'at+jwt', await activeKey(), behaviour.accessToken, context.received())
    return { value: jwt, payload }
  }

  const models = provider.AccessToken as unknown as { find: Find }
  const findRecord = models.find
  models.find = async (value, options) => {
    if (typeof value !== 'string') return undefined
    const id = behaviour.accessTokenForm === 'opaque' ? value : tokenIdOf(value, behaviour, context.keys)
    return findRecord.call(provider.AccessToken, id ?? value, options)
  }

  const idTokens = provider.IdToken.prototype as unknown as IdTokenModel
  idTokens.issue = async function (this: IdTokenModel) {
    const now = epochSeconds()
    const claims = {
      iss: issuer,
      ...(await this.payload()),
      aud: this.client.clientId,
      exp: now + TOKEN_LIFETIME,
      iat: now,
    }
    return compact(claims, 'JWT', await activeKey(), behaviour.idToken, context.received())
  }

  const codes = provider.AuthorizationCode.prototype as unknown as { generateTokenId(): string }
  const randomValue = codes.generateTokenId
  codes.generateTokenId = function (this: StoredGrantSource & typeof codes) {
    return behaviour.codeValue(this) ?? randomValue.call(this)
  }

  const findCode = provider.AuthorizationCode as unknown as { find: Find }
  const findAnyCode = findCode.find
  findCode.find = async (value, options) => {
    const parameters = context.current().oidc.params ?? {}
    for (const name of behaviour.requiredExchangeParameters) {
      if (!parameters[name]) throw new errors.InvalidRequest(`missing required parameter '${name}'`)
    }
    return findAnyCode.call(provider.AuthorizationCode, value, options)
  }

  passThrough(provider.AuthorizationCode as unknown as { find: Find }, behaviour.codeFound, context)
  passThrough(provider.RefreshToken as unknown as { find: Find }, behaviour.refreshTokenFound, context)
  passThrough(provider.Grant as unknown as { find: Find }, behaviour.grantFound, context)
}

/** Shows every record a model finds to a list of steps. */
function passThrough(
  model: { find: Find },
  steps: Step<StoredGrantSource>[],
  context: IdentityContext,
): void {
  const find = model.find
  model.find = async (value, options) => {
    const found = (await find.call(model, value, options)) as StoredGrantSource | undefined
    if (found) for (const step of steps) await step(found, context.received())
    return found
  }
}
