import { generateKeyPair, hash, type JsonWebKey, type KeyObject, sign, verify } from 'node:crypto'
import { promisify } from 'node:util'

/** An RSA signing key. */
export interface SigningKey {
  kid: string
  privateKey: KeyObject
  publicKey: KeyObject
  /** Public JWK (RFC 7517) with kid, use and alg. */
  publicJwk: JsonWebKey & { kid: string; use: string; alg: string }
  /** Private JWK with kid, use and alg. */
  privateJwk: JsonWebKey & { kid: string; use: string; alg: string }
}

const generate = promisify(generateKeyPair)

async function createKey(): Promise<SigningKey> {
  const { privateKey, publicKey } = await generate('rsa', { modulusLength: 2048 })
  const jwk = publicKey.export({ format: 'jwk' })
  // RFC 7638 thumbprint.
  const kid = hash('sha256', JSON.stringify({ e: jwk.e, kty: jwk.kty, n: jwk.n }), 'base64url')
  const named = { kid, use: 'sig', alg: 'RS256' }
  return {
    kid,
    privateKey,
    publicKey,
    publicJwk: { ...jwk, ...named },
    privateJwk: { ...privateKey.export({ format: 'jwk' }), ...named },
  }
}

let active: Promise<SigningKey> | undefined
let spare: Promise<SigningKey> | undefined

/** The key that signs tokens. It is generated once, and all providers of a process share it. */
export function activeKey(): Promise<SigningKey> {
  active ??= createKey()
  return active
}

/** A second key, for key sets with two keys and for faults. It is generated at the first call. */
export function spareKey(): Promise<SigningKey> {
  spare ??= createKey()
  return spare
}

const signAsync = promisify<string, Buffer, KeyObject, Buffer>(sign)

/** RS256 signature (RFC 7518 section 3.3) in base64url. */
export async function signRs256(input: string, key: KeyObject): Promise<string> {
  return (await signAsync('sha256', Buffer.from(input), key)).toString('base64url')
}

export function verifyRs256(input: string, signature: string, key: KeyObject): boolean {
  return verify('sha256', Buffer.from(input), key, Buffer.from(signature, 'base64url'))
}
