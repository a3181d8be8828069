import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { exportJWK, type JWK } from 'jose'

/** Keys and signatures for tokens that test a validator. */
const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
export const rsa = pair()
export const otherRsa = pair()

/** The published keys by kid. */
export const published: Readonly<Record<string, JWK>> = {
  good: { ...(await exportJWK(rsa.publicKey)), kid: 'good' },
  other: { ...(await exportJWK(otherRsa.publicKey)), kid: 'other' },
}

export const keyByKid = async (kid: string): Promise<JWK | undefined> => published[kid]

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A compact JWS with an RSA signature. */
export function signed(
  header: object,
  claims: object,
  { key = rsa.privateKey, hash = 'sha256' }: { key?: KeyObject; hash?: string } = {},
): string {
  const input = `${encode(header)}.${encode(claims)}`
  return `${input}.${sign(hash, Buffer.from(input), key).toString('base64url')}`
}

/** A compact JWS whose HMAC uses the public key as the secret. */
export function signedByPublicKey(claims: object): string {
  const input = `${encode({ alg: 'HS256', kid: 'good' })}.${encode(claims)}`
  const secret = rsa.publicKey.export({ type: 'spki', format: 'pem' })
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}
