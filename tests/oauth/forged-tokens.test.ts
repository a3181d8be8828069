import { compactVerify, EmbeddedJWK, importSPKI } from 'jose'
import { describe, expect, test } from 'vitest'
import { signedWithOwnKey, signedWithPublicKey } from '../../src/oauth/forged-tokens.ts'
import { decodeJwt, verifySignature } from '../../src/oauth/jwt.ts'
import { keyByKid, published, rsa, signed } from './forged.ts'

const token = signed({ alg: 'RS256', kid: 'good', typ: 'at+jwt' }, { sub: 'someone' })

describe('signedWithPublicKey', () => {
  const forged = signedWithPublicKey(token, published.good ?? {}) ?? ''

  test('adds a claim, and signs with the PEM text of the key as the secret', async () => {
    expect(decodeJwt(forged)).toMatchObject({
      header: { alg: 'HS256', kid: 'good', typ: 'at+jwt' },
      claims: { sub: 'someone', plumbline: 'added' },
    })
    const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()
    expect(await importSPKI(pem, 'RS256')).toBeDefined()
    await expect(compactVerify(forged, Buffer.from(pem))).resolves.toBeDefined()
  })

  test('returns nothing for an opaque token or a malformed key', () => {
    expect(signedWithPublicKey('opaque', published.good ?? {})).toBeUndefined()
    expect(signedWithPublicKey(token, { kty: 'RSA' })).toBeUndefined()
  })
})

describe('signedWithOwnKey', () => {
  test('signs with a new key, which the header names', async () => {
    const forged = (await signedWithOwnKey(token)) ?? ''
    const decoded = decodeJwt(forged)
    expect(decoded).toMatchObject({
      header: { alg: 'RS256', kid: 'plumbline', jwk: { kty: 'RSA' } },
      claims: { sub: 'someone', plumbline: 'added' },
    })
    await expect(compactVerify(forged, EmbeddedJWK)).resolves.toBeDefined()
    expect(decoded && (await verifySignature(decoded, keyByKid))).toMatchObject({ valid: false })
  })

  test('returns nothing for an opaque token', async () => {
    expect(await signedWithOwnKey('opaque')).toBeUndefined()
  })
})
