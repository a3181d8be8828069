import { constants, createHmac, createSign, sign } from 'node:crypto'
import { exportJWK } from 'jose'
import { describe, expect, test } from 'vitest'
import { KeySet, refetchIntervalMs } from '../../src/oauth/key-set.ts'
import { deliveryHeaders } from '../../src/webhook/delivery.ts'
import { NonceStore } from '../../src/webhook/nonce-store.ts'
import type { Rule } from '../../src/webhook/verification.ts'
import { otherRsa, published, rsa, signedByPublicKey } from '../oauth/forged.ts'
import { broken, type Changes, delivery, now, verify } from './deliveries.ts'

describe('forged signatures', () => {
  const pss = (header: object, claims: object) => {
    const input = [header, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const key = { key: rsa.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
    return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`
  }
  const sha384 = (header: object, claims: object) => {
    const input = [header, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    return `${input}.${createSign('sha384').update(input).sign(rsa.privateKey).toString('base64url')}`
  }
  const withPublicJwk = (header: object, claims: object) => {
    const input = [header, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    return `${input}.${createHmac('sha256', JSON.stringify(published.good)).update(input).digest('base64url')}`
  }
  test.each<[string, Changes, Rule[]]>([
    ['no signature', { headers: { signature: undefined } }, ['signed']],
    ['an empty signature', { headers: { signature: '' } }, ['jws']],
    ['text that is not a JWS', { headers: { signature: 'v1=abc' } }, ['jws']],
    ['another key under the same kid', { key: otherRsa.privateKey }, ['signature']],
    ['a published key that kid does not name', { jws: { kid: 'other' } }, ['signature']],
    ['an unpublished kid', { jws: { kid: 'nobody' } }, ['key']],
    ['no kid', { jws: { kid: undefined } }, ['key']],
    ['a kid that is not a string', { jws: { kid: 7 } }, ['key']],
    ['HS256 with the public key', { signing: (_, claims) => signedByPublicKey(claims) }, ['algorithm']],
    ['HS256 with the public JWK', { jws: { alg: 'HS256' }, signing: withPublicJwk }, ['algorithm']],
    ['RS384', { jws: { alg: 'RS384' }, signing: sha384 }, ['algorithm']],
    ['RSA-PSS that calls itself RS256', { signing: pss }, ['signature']],
    ['RSA-PSS', { jws: { alg: 'PS256' }, signing: pss }, ['algorithm']],
    ['RS256 in small letters', { jws: { alg: 'rs256' } }, ['algorithm']],
    ['an unknown critical extension', { jws: { crit: ['plumbline'], plumbline: 1 } }, ['signature']],
    ['a key of its own', { jws: { kid: 'nobody', jwk: published.other }, key: otherRsa.privateKey }, ['key']],
  ])('%s', async (_, changes, rules) => {
    expect(await broken(delivery(changes))).toEqual(rules)
  })

  test('alg none, with and without a signature', async () => {
    const unsigned = (signature: string) => (header: object, claims: object) =>
      `${[header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.${signature}`
    expect(await broken(delivery({ jws: { alg: 'none' }, signing: unsigned('') }))).toEqual(['jws'])
    expect(await broken(delivery({ jws: { alg: 'none' }, signing: unsigned('AAAA') }))).toEqual(['algorithm'])
    expect(await broken(delivery({ jws: { alg: 'RS256' }, signing: unsigned('AAAA') }))).toEqual([
      'signature',
    ])
  })

  test('the same signature with other padding bits, with padding, or twice', async () => {
    const genuine = delivery()
    const compact = genuine.headers[deliveryHeaders.signature] ?? ''
    const last = compact.at(-1) ?? ''
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const otherBits = alphabet[alphabet.indexOf(last) + 1] ?? ''
    for (const signature of [compact.slice(0, -1) + otherBits, `${compact}==`, `${compact}, ${compact}`]) {
      expect(await broken(delivery({ headers: { signature } }))).toEqual(['jws'])
    }
  })

  test('a kid of a key for another purpose', async () => {
    const key = await exportJWK(rsa.publicKey)
    const set = new KeySet(async () => [{ ...key, kid: 'good', use: 'enc' }])
    // If the only key with the kid is not for signatures, RS256 still verifies with it.
    expect(await broken(delivery(), { keyByKid: (kid) => set.key(kid) })).toEqual([])
    const twice = new KeySet(async () => [
      { ...key, kid: 'good' },
      { ...(await exportJWK(otherRsa.publicKey)), kid: 'good' },
    ])
    expect(await broken(delivery(), { keyByKid: (kid) => twice.key(kid) })).toEqual(['key'])
    const curve = new KeySet(async () => [{ kty: 'EC', kid: 'good' }])
    expect(await broken(delivery(), { keyByKid: (kid) => curve.key(kid) })).toEqual(['key'])
  })

  test('an unknown kid fetches the key set once, and then not for a while', async () => {
    let clock = now
    let fetches = 0
    const set = new KeySet(
      async () => {
        fetches += 1
        return fetches < 2 ? [] : Object.values(published)
      },
      () => clock,
    )
    const keyByKid = (kid: string) => set.key(kid)
    expect(await broken(delivery(), { keyByKid })).toEqual([])
    expect(fetches).toBe(2)
    for (let forger = 0; forger < 5; forger += 1) {
      expect(await broken(delivery({ jws: { kid: `forged-${forger}` } }), { keyByKid })).toEqual(['key'])
    }
    expect(fetches).toBe(2)
    clock += refetchIntervalMs
    expect(await broken(delivery({ jws: { kid: 'forged' } }), { keyByKid })).toEqual(['key'])
    expect(fetches).toBe(3)
  })

  test('without a key set the delivery is not judged, and no nonce is used', async () => {
    const nonces = new NonceStore()
    const unreachable = async () => Promise.reject(new Error('no key set'))
    await expect(verify(delivery(), { keyByKid: unreachable, nonces })).rejects.toThrow('no key set')
    expect(nonces.size).toBe(0)
  })

  test('a signature with any byte changed', async () => {
    const genuine = delivery()
    const compact = genuine.headers[deliveryHeaders.signature] ?? ''
    for (let index = compact.lastIndexOf('.') + 1; index < compact.length; index += 1) {
      const signature =
        compact.slice(0, index) + (compact[index] === 'A' ? 'B' : 'A') + compact.slice(index + 1)
      expect(await broken(delivery({ headers: { signature } }))).not.toEqual([])
    }
  })
})
