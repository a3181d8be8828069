import type { Tokens } from '../check/token-steps.ts'
import { masked } from '../evidence/shape.ts'
import { type Rejection, rejections } from '../oauth/id-token.ts'
import { type DecodedJwt, decodeJwt } from '../oauth/jwt.ts'
import type { Session } from '../run/session.ts'
import { duration } from '../text/format.ts'

/** A token by name, taken apart; values that tell something about a user are masked unless they are to be shown. */
export interface ShownToken {
  readonly name: 'ID token' | 'access token' | 'refresh token'
  /** The token itself, or its mask. */
  readonly compact: string
  /** Null where it is no JWT. */
  readonly header: Readonly<Record<string, unknown>> | null
  readonly claims: Readonly<Record<string, unknown>> | null
  /** How long it lives, in words; null where it does not say. */
  readonly lifetime: string | null
  /** One sentence; null where it is no JWT. */
  readonly signature: string | null
  /** What a client does with an ID token by the rules of the specification; null for other tokens. */
  readonly believed: string | null
}

/** Header members and claims that say nothing about a user (RFC 7515, 4.1; RFC 7519, 4.1; OpenID Connect Core, 2). */
const harmless: ReadonlySet<string> = new Set([
  ...[
    'alg',
    'typ',
    'kid',
    'iss',
    'aud',
    'azp',
    'exp',
    'iat',
    'nbf',
    'auth_time',
    'acr',
    'amr',
    'scope',
    'client_id',
  ],
])
const times: ReadonlySet<string> = new Set(['exp', 'iat', 'nbf', 'auth_time'])

/**
 * Exchanges the code of the session and takes apart what came.
 * @param reveal shows tokens and claims as they are
 * @throws {Inconclusive | HttpFailure} where no tokens came
 */
export async function shownTokens(session: Session, reveal: boolean): Promise<readonly ShownToken[]> {
  const tokens = await session.context.tokens.first()
  const { idToken, accessToken, refreshToken, receivedAt } = tokens
  const found = [
    ['ID token', idToken],
    ['access token', accessToken],
    ['refresh token', refreshToken],
  ] as const
  const shown: ShownToken[] = []
  for (const [name, compact] of found) {
    if (compact === undefined) continue
    const token = decodeJwt(compact)
    shown.push({
      name,
      compact: reveal ? compact : masked(compact),
      header: token ? masking(token.header, reveal) : null,
      claims: token ? masking(token.claims, reveal) : null,
      lifetime: token ? lifetimeOf(token, receivedAt) : null,
      signature: token && name !== 'refresh token' ? await signatureOf(token, session) : null,
      believed: name === 'ID token' ? await beliefIn(compact, tokens, session) : null,
    })
  }
  return shown
}

function masking(members: Readonly<Record<string, unknown>>, reveal: boolean): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name,
      reveal || harmless.has(name) ? value : mask(value),
    ]),
  )
}

function mask(value: unknown): string {
  return masked(typeof value === 'string' ? value : JSON.stringify(value))
}

/** When it was issued and how long it is good for, by the clock of this machine. */
function lifetimeOf({ claims: { iat, exp } }: DecodedJwt, receivedAt: number): string | null {
  if (typeof exp !== 'number') return null
  const left = exp * 1000 - receivedAt
  const rest =
    left > 0 ? `ends ${duration(left)} after it came` : `had ended ${duration(-left)} before it came`
  return typeof iat === 'number' ? `lives for ${duration((exp - iat) * 1000)}, ${rest}` : rest
}

async function signatureOf(token: DecodedJwt, { context }: Session): Promise<string> {
  const verdict = await context.discovery.verify(token)
  if (!verdict.valid) return `not valid: ${verdict.reason}`
  const published = (await context.discovery.publishedKeys()).length
  return `valid, by the key ${token.header.kid} of ${published} published`
}

/** What each rule is about, in words. */
const rules: Readonly<Record<Rejection, string>> = {
  form: 'it is no JWT',
  signature: 'its signature',
  issuer: 'iss is not IDP_BASE_URL',
  audience: 'aud is not CLIENT_ID',
  azp: 'azp',
  expiry: 'it has expired',
  nonce: 'nonce is not that of the request',
  acr: 'acr is below REQUIRED_ACR, or cannot be compared with it',
}

async function beliefIn(compact: string, { request }: Tokens, { context, run }: Session): Promise<string> {
  const { target } = run
  const expected = {
    issuer: target.issuer,
    clientId: request.application.id,
    nonce: request.nonce,
    requiredAcr: target.requiredAcr,
    acrOrder: target.acrOrder,
    now: run.targetTime() / 1000,
  }
  const against = await rejections(compact, expected, (kid) => context.discovery.keyByKid(kid))
  if (against.length === 0) return 'a client accepts it'
  return `a client has to reject it: ${against.map((rule) => rules[rule]).join('; ')}`
}

/** A claim as a person reads it: times with the day, everything else as JSON, strings without their quotes. */
export function claimText(name: string, value: unknown): string {
  if (times.has(name) && typeof value === 'number' && Math.abs(value) < 8.64e12)
    return `${value} (${new Date(value * 1000).toISOString().replace('.000Z', 'Z')})`
  // As JSON, no character of the target's can move the cursor.
  const json = JSON.stringify(value)
  return typeof value === 'string' ? json.slice(1, -1) : json
}
