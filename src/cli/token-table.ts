import type { CheckContext } from '../check/fixtures.ts'
import type { Tokens } from '../check/tokens/issued-tokens.ts'
import { masked } from '../evidence/shape.ts'
import { type Rejection, rejectionsOf } from '../oauth/id-token.ts'
import { type DecodedJwt, decodeJwt } from '../oauth/jwt.ts'
import { issuerOf } from '../target/parts.ts'
import { duration } from '../text/format.ts'

export const equalDigests = 'Masked values with the same #… are equal.'

/** A decoded token. Personal values are masked unless `--reveal` is set. */
export interface ShownToken {
  readonly name: 'ID token' | 'access token' | 'refresh token'
  /** The token, or its mask. */
  readonly compact: string
  /** Null if the token is not a JWT. */
  readonly header: Readonly<Record<string, unknown>> | null
  readonly claims: Readonly<Record<string, unknown>> | null
  /** The lifetime as text; null if the token does not state one. */
  readonly lifetime: string | null
  /** One sentence; null if the token is not a JWT. */
  readonly signature: string | null
  /** A sentence: whether a client must reject the ID token, and why; null for other tokens. */
  readonly believed: string | null
  /** Whether a client may accept the ID token; null for other tokens. */
  readonly accepted: boolean | null
}

/** Header members and claims without personal data (RFC 7515, 4.1; RFC 7519, 4.1; OpenID Connect Core, 2). */
const harmless: ReadonlySet<string> = new Set([
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
])
const timeClaims: ReadonlySet<string> = new Set(['exp', 'iat', 'nbf', 'auth_time'])

/**
 * Exchanges the code of the session and decodes the tokens.
 * @param reveal shows tokens and claims unmasked
 * @throws {Inconclusive | HttpFailure} if the target issues no tokens
 */
export async function shownTokens(context: CheckContext, reveal: boolean): Promise<readonly ShownToken[]> {
  const tokens = await context.tokens.first()
  const { idToken, accessToken, refreshToken, receivedAt } = tokens
  const issued = [
    ['ID token', idToken],
    ['access token', accessToken],
    ['refresh token', refreshToken],
  ] as const
  const shown: ShownToken[] = []
  for (const [name, compact] of issued) {
    if (compact === undefined) continue
    const token = decodeJwt(compact)
    const rejections = name === 'ID token' ? await idTokenRejections(compact, tokens, context) : null
    shown.push({
      name,
      compact: reveal ? compact : masked(compact),
      header: token ? masking(token.header, reveal) : null,
      claims: token ? masking(token.claims, reveal) : null,
      lifetime: token ? lifetimeOf(token, receivedAt) : null,
      signature: token && name !== 'refresh token' ? await signatureOf(token, context) : null,
      believed: rejections && acceptanceText(rejections),
      accepted: rejections && rejections.length === 0,
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

/** The lifetime of a token, and when it expires after receipt, by the clock of this machine. */
function lifetimeOf({ claims: { iat, exp } }: DecodedJwt, receivedAt: number): string | null {
  if (typeof exp !== 'number') return null
  const remainingMs = exp * 1000 - receivedAt
  const expiry =
    remainingMs > 0
      ? `expires ${duration(remainingMs)} after receipt`
      : `expired ${duration(-remainingMs)} before receipt`
  return typeof iat === 'number' ? `${duration((exp - iat) * 1000)}, ${expiry}` : expiry
}

async function signatureOf(token: DecodedJwt, { discovery }: CheckContext): Promise<string> {
  const verdict = await discovery.verify(token)
  if (!verdict.valid) return `not valid: ${verdict.reason}`
  const published = (await discovery.publishedKeys()).length
  return `valid, with key ${token.header.kid} (${published} published)`
}

const rejectionTexts: Readonly<Record<Rejection, string>> = {
  form: 'it is not a JWT',
  signature: 'the signature is not valid',
  issuer: 'iss is not IDP_BASE_URL',
  audience: 'aud is not CLIENT_ID',
  azp: 'azp is missing or is not CLIENT_ID',
  expiry: 'it has expired',
  nonce: 'nonce differs from the request',
  acr: 'acr is below REQUIRED_ACR, or not comparable with it',
}

function idTokenRejections(
  compact: string,
  { request }: Tokens,
  { run, discovery }: CheckContext,
): Promise<readonly Rejection[]> {
  const { target } = run
  const expected = {
    issuer: issuerOf(target),
    clientId: request.application.id,
    nonce: request.nonce,
    requiredAcr: target.requiredAcr,
    acrOrder: target.acrOrder,
    now: run.targetTime() / 1000,
  }
  return rejectionsOf(compact, expected, (kid) => discovery.keyByKid(kid, Date.now()))
}

function acceptanceText(rejections: readonly Rejection[]): string {
  if (rejections.length === 0) return 'valid: a client would accept it'
  return `a client must reject it: ${rejections.map((rule) => rejectionTexts[rule]).join('; ')}`
}

/** A claim for display: times with their date, other values as JSON, and strings without quotes. */
export function claimText(name: string, value: unknown): string {
  if (timeClaims.has(name) && typeof value === 'number' && Math.abs(value) < 8.64e12)
    return `${value} (${new Date(value * 1000).toISOString().replace('.000Z', 'Z')})`
  // JSON escapes control characters, so that the target cannot move the cursor.
  const json = JSON.stringify(value)
  return typeof value === 'string' ? json.slice(1, -1) : json
}
