import type { JWK } from 'jose'
import { type DecodedJwt, decodeJwt, verifySignature } from './jwt.ts'

type Claims = DecodedJwt['claims']

/** Largest permitted difference between the clocks of client and provider, in seconds (section Authentication, 5). */
export const clockSkewSeconds = 60
/** An exp that differs from the current time by more than 50 years is not in seconds. */
export const halfCenturySeconds = 50 * 366 * 24 * 3600

export interface ExpectedIdToken {
  /** {base_url}, compared byte for byte. */
  readonly issuer: string
  readonly clientId: string
  readonly nonce: string
  readonly requiredAcr?: string | undefined
  /** Levels, weakest first. */
  readonly acrOrder?: readonly string[] | undefined
  /** Seconds since the epoch. */
  readonly now: number
}

export type Rejection = 'form' | 'signature' | 'issuer' | 'audience' | 'azp' | 'expiry' | 'nonce' | 'acr'

/**
 * All reasons to reject an ID token (section Authentication, 5; OpenID Connect Core, 3.1.3.7).
 * @param keyByKid returns the published key with exactly this kid
 * @returns empty if the token is valid
 */
export async function rejectionsOf(
  compact: string,
  expected: ExpectedIdToken,
  keyByKid: (kid: string) => Promise<JWK | undefined>,
): Promise<Rejection[]> {
  const token = decodeJwt(compact)
  if (!token) return ['form']
  const { claims } = token
  const signature = await verifySignature(token, keyByKid)
  const rules: readonly (readonly [Rejection, boolean])[] = [
    ['signature', signature.valid],
    ['issuer', claims.iss === expected.issuer],
    ['audience', isAudience(claims, expected.clientId)],
    ['azp', isAuthorizedParty(claims, expected.clientId) && hasAzpIfNeeded(claims)],
    ['expiry', isUnexpired(claims, expected.now)],
    ['nonce', claims.nonce === expected.nonce],
    ['acr', reachesLevel(claims, expected.requiredAcr, expected.acrOrder) === 'reached'],
  ]
  return rules.filter(([, holds]) => !holds).map(([rule]) => rule)
}

/** The audiences of a token; undefined if aud is neither a non-empty string nor a list of these (RFC 7519, 4.1.3). */
export function audiencesOf({ aud }: Claims): readonly string[] | undefined {
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  const areTexts = audiences.every((item): item is string => typeof item === 'string' && item !== '')
  return areTexts && audiences.length > 0 ? audiences : undefined
}

/** Whether aud is the client, or an array with the client. */
export function isAudience(claims: Claims, clientId: string): boolean {
  return audiencesOf(claims)?.includes(clientId) === true
}

/** Whether azp is the client or absent. */
export function isAuthorizedParty({ azp }: Claims, clientId: string): boolean {
  return azp === undefined || azp === clientId
}

/** Whether azp is present, or not needed because there is a single audience (OpenID Connect Core, 3.1.3.7). */
export function hasAzpIfNeeded({ aud, azp }: Claims): boolean {
  return !Array.isArray(aud) || aud.length < 2 || azp !== undefined
}

/**
 * Whether exp is in the future, with a tolerance of 60 s. At exp itself, a token has expired (RFC 7519, 4.1.4).
 * @param now seconds since the epoch
 */
export function isUnexpired({ exp }: Claims, now: number): boolean {
  return Number.isFinite(exp) && now - clockSkewSeconds < Number(exp)
}

/**
 * Whether acr reaches a required level. Without an order, only the same level does.
 * @param order levels, weakest first
 * @returns `unknown` if the order lacks one of the levels; a client must then reject the token
 */
export function reachesLevel(
  { acr }: Claims,
  required: string | undefined,
  order: readonly string[] = [],
): 'reached' | 'below' | 'unknown' {
  if (required === undefined || acr === required) return 'reached'
  if (typeof acr !== 'string') return 'below'
  const [reached, needed] = [order.indexOf(acr), order.indexOf(required)]
  if (reached < 0 || needed < 0) return 'unknown'
  return reached > needed ? 'reached' : 'below'
}
