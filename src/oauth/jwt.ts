import { createRequire } from 'node:module'
import type { JWK } from 'jose'
import { responseLimits } from '../http/response-limits.ts'
import { isObject, jsonExcess, parseJson } from '../text/json.ts'

const requireModule = createRequire(import.meta.url)

/** Loads `jose` on first use, because commands such as `list` read no token. */
function jose() {
  return requireModule('jose') as typeof import('jose')
}

/** A decoded JWT; its signature is not verified. */
export interface DecodedJwt {
  readonly compact: string
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}

/**
 * Decodes a compact JWS without verifying its signature (RFC 7519, 7.2).
 * @returns undefined if the text is not a compact JWS whose header and claims are JSON objects
 */
export function decodeJwt(compact: string): DecodedJwt | undefined {
  const parts = compact.split('.')
  if (parts.length !== 3 || parts.some((part) => !/^[\w-]+$/.test(part))) return undefined
  try {
    const [headerText = '', claimsText = ''] = parts.map((part) =>
      Buffer.from(part, 'base64url').toString('utf8'),
    )
    if (jsonExcess(headerText, responseLimits) !== undefined) return undefined
    const header = jose().decodeProtectedHeader(compact) as Record<string, unknown>
    const claims = parseJson(claimsText, responseLimits)
    return isObject(claims) ? { compact, header, claims } : undefined
  } catch {
    return undefined
  }
}

export type SignatureVerdict = { readonly valid: true } | { readonly valid: false; readonly reason: string }

/**
 * Verifies a signature as partners must: only RS256, and only with the key that `kid` names (section Authentication, 5;
 * RFC 7515).
 */
export async function verifySignature(
  { compact, header }: DecodedJwt,
  keyByKid: (kid: string) => Promise<JWK | undefined>,
): Promise<SignatureVerdict> {
  if (header.alg !== 'RS256') return { valid: false, reason: 'it is not signed with RS256' }
  if (typeof header.kid !== 'string') return { valid: false, reason: 'its header has no kid' }
  const critical = criticalProblem(header)
  if (critical !== undefined) return { valid: false, reason: critical }
  const jwk = await keyByKid(header.kid)
  if (!jwk) return { valid: false, reason: 'the key set has no key, or more than one, with its kid' }
  if (jwk.kty !== 'RSA') return { valid: false, reason: 'the key with its kid is not an RSA key' }
  const { compactVerify, errors, importJWK } = jose()
  try {
    const key = await importJWK({ kty: 'RSA', n: jwk.n, e: jwk.e } as JWK, 'RS256')
    await compactVerify(compact, key, { algorithms: ['RS256'] })
    return { valid: true }
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) {
      return { valid: false, reason: 'the key with its kid does not verify the signature' }
    }
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException) {
      return { valid: false, reason: 'the token, or the key with its kid, is malformed' }
    }
    throw error
  }
}

/** Extensions that this verifier understands (RFC 7797). */
const understood: readonly unknown[] = ['b64']

/** Why `crit` in the header requires a verifier to reject the token (RFC 7515, 4.1.11); undefined if it does not. */
function criticalProblem({ crit }: DecodedJwt['header']): string | undefined {
  if (crit === undefined) return undefined
  if (!Array.isArray(crit) || crit.length === 0) return 'its header has a malformed crit (RFC 7515, 4.1.11)'
  return crit.every((name) => understood.includes(name))
    ? undefined
    : 'its header has crit with an extension that is not understood (RFC 7515, 4.1.11)'
}

/**
 * The token with one character in the middle of its signature replaced. Some bits of the last character are padding, so
 * a change there might have no effect.
 */
export function alterSignature(compact: string): string {
  const position = Math.floor((compact.lastIndexOf('.') + compact.length) / 2)
  const replacement = compact[position] === 'A' ? 'B' : 'A'
  return compact.slice(0, position) + replacement + compact.slice(position + 1)
}

/**
 * A forged token, which a verifier must reject.
 * @param changes members to add or replace in the header or in the claims; by default, the signature stays the same
 * @returns undefined if the token is not a JWT
 */
export function forgedJwt(
  compact: string,
  changes: { readonly header?: object; readonly claims?: object; readonly signature?: string },
): string | undefined {
  const decoded = decodeJwt(compact)
  if (!decoded) return undefined
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  return [
    encode({ ...decoded.header, ...changes.header }),
    encode({ ...decoded.claims, ...changes.claims }),
    changes.signature ?? compact.slice(compact.lastIndexOf('.') + 1),
  ].join('.')
}
