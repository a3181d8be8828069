import { createHmac, createPublicKey, generateKeyPair, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import type { JWK } from 'jose'
import { forgedJwt } from './jwt.ts'

// Forged tokens that faulty verifiers have accepted: signed with the published key as a shared secret (RFC 8725, 2.1),
// or with a key that the token itself contains (RFC 7515, 4.1.3).

const generate = promisify(generateKeyPair)
/** Generated once, on first use, because the generation takes as long as several requests. */
let ownKeys: ReturnType<typeof generateOwnKeys> | undefined

/**
 * A token with an added claim, signed with HS256 and the PEM text of a public key as the secret.
 * @param jwk the RSA key that verifies the token
 * @returns undefined if the token is not a JWT, or the key is malformed
 */
export function signedWithPublicKey(compact: string, jwk: JWK): string | undefined {
  const input = signingInput(compact, { alg: 'HS256' })
  const secret = publicKeyOf(jwk)?.export({ type: 'spki', format: 'pem' })
  if (input === undefined || secret === undefined) return undefined
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}

/**
 * A token with an added claim, signed with RS256 and a key of Plumbline. The header contains this key, with a kid of
 * its own.
 * @returns undefined if the token is not a JWT
 */
export async function signedWithOwnKey(compact: string): Promise<string | undefined> {
  ownKeys ??= generateOwnKeys()
  const { privateKey, publicKey } = await ownKeys
  const kid = 'plumbline'
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }
  const input = signingInput(compact, { alg: 'RS256', kid, jwk })
  return input && `${input}.${sign('sha256', Buffer.from(input), privateKey).toString('base64url')}`
}

function generateOwnKeys() {
  return generate('rsa', { modulusLength: 2048 })
}

/** The signed part of a forged token, `header.payload`: another header, and the claims of the token with one added. */
function signingInput(compact: string, header: object): string | undefined {
  return forgedJwt(compact, { header, claims: { plumbline: 'added' }, signature: '' })?.slice(0, -1)
}

function publicKeyOf({ n, e }: JWK): KeyObject | undefined {
  // Node itself would accept a key without a modulus.
  if (!n || !e) return undefined
  try {
    return createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' })
  } catch {
    return undefined
  }
}
