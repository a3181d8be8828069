import type { JWK } from 'jose'
import { type DecodedJwt, decodeJwt, verifySignature } from './jwt.ts'

type Claims = DecodedJwt['claims']

/** Longest time in seconds by which the clocks of client and provider may differ (section Authentication, 5). */
export const clockSkewSeconds = 60
/** An exp further away than this, before or after, is not in seconds. */
export const halfCenturySeconds = 50 * 366 * 24 * 3600

/** What an ID token has to agree with. */
export interface ExpectedIdToken {
  /** {base_url}, compared byte for byte. */
  readonly issuer: string
  readonly clientId: string
  /** nonce of the authorization request. */
  readonly nonce: string
  readonly requiredAcr?: string | undefined
  /** Levels, weakest first. */
  readonly acrOrder?: readonly string[] | undefined
  /** Seconds since the epoch. */
  readonly now: number
}

/** A reason to reject an ID token. */
export type Rejection = 'form' | 'signature' | 'issuer' | 'audience' | 'azp' | 'expiry' | 'nonce' | 'acr'

/**
 * Everything that speaks against an ID token (section Authentication, 5; OpenID Connect Core, 3.1.3.7).
 * @param keyByKid the published key with exactly this kid
 * @returns the rules it breaks; only a token that breaks none may be believed
 */
export async function rejections(
  compact: string,
  expected: ExpectedIdToken,
  keyByKid: (kid: string) => Promise<JWK | undefined>,
): Promise<Rejection[]> {
  const token = decodeJwt(compact)
  if (!token) return ['form']
  const { claims } = token
  const signature = await verifySignature(compact, keyByKid)
  const rules: readonly (readonly [Rejection, boolean])[] = [
    ['signature', signature.valid],
    ['issuer', claims.iss === expected.issuer],
    ['audience', isMeantFor(claims, expected.clientId)],
    ['azp', isAuthorizedParty(claims, expected.clientId) && namesAuthorizedParty(claims)],
    ['expiry', isAlive(claims, expected.now)],
    ['nonce', claims.nonce === expected.nonce],
    ['acr', reachesLevel(claims, expected.requiredAcr, expected.acrOrder) === 'reached'],
  ]
  return rules.filter(([, holds]) => !holds).map(([rule]) => rule)
}

/** The client is an audience: aud itself, or a whole element of it (RFC 7519, 4.1.3). */
export function isMeantFor({ aud }: Claims, clientId: string): boolean {
  return (Array.isArray(aud) ? aud : [aud]).includes(clientId)
}

/** azp, where it is present, is the client. */
export function isAuthorizedParty({ azp }: Claims, clientId: string): boolean {
  return azp === undefined || azp === clientId
}

/** A token for several audiences has azp (OpenID Connect Core, 3.1.3.7). */
export function namesAuthorizedParty({ aud, azp }: Claims): boolean {
  return !Array.isArray(aud) || aud.length < 2 || azp !== undefined
}

/**
 * exp has not passed even for a clock that is 60 seconds behind ours. The end itself is passed (RFC 7519, 4.1.4).
 * @param now seconds since the epoch
 */
export function isAlive({ exp }: Claims, now: number): boolean {
  return typeof exp === 'number' && Number.isFinite(exp) && now - clockSkewSeconds < exp
}

/**
 * Whether acr is not below a level. Without an order only the level itself is known to be enough.
 * @param order levels, weakest first
 * @returns unknown where the two levels cannot be compared, which a client has to reject as well
 */
export function reachesLevel(
  { acr }: Claims,
  required: string | undefined,
  order: readonly string[] | undefined,
): 'reached' | 'below' | 'unknown' {
  if (required === undefined || acr === required) return 'reached'
  if (typeof acr !== 'string') return 'below'
  const [reached = -1, needed = -1] = [order?.indexOf(acr), order?.indexOf(required)]
  if (reached < 0 || needed < 0) return 'unknown'
  return reached > needed ? 'reached' : 'below'
}
