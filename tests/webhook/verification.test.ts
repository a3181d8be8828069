import { constants, createHmac, createSign, sign } from 'node:crypto'
import fc from 'fast-check'
import { exportJWK } from 'jose'
import { describe, expect, test } from 'vitest'
import { KeySet, refetchIntervalMs } from '../../src/oauth/key-set.ts'
import { deliveryHeaders } from '../../src/webhook/delivery.ts'
import { NonceStore } from '../../src/webhook/nonce-store.ts'
import { type Rule, verifyDelivery } from '../../src/webhook/verification.ts'
import { otherRsa, published, rsa, signedByPublicKey } from '../oauth/forged.ts'
import { broken, type Changes, delivery, event, hash, now, verify } from './deliveries.ts'

const at = (offsetMs: number) => {
  const timestamp = new Date(now + offsetMs).toISOString()
  return { headers: { timestamp }, claims: { timestamp } }
}

test('a genuine delivery violates no rule, and all rules are judged', async () => {
  const { findings, unjudged, event: found } = await verify(delivery())
  expect(findings).toEqual([])
  expect([...unjudged]).toEqual([])
  expect(found).toEqual(event)
})

describe('lawful alternatives of the same delivery', () => {
  const upper = hash(JSON.stringify(event)).toUpperCase()
  test.each<[string, Changes]>([
    ['hexadecimal digits in capitals', { claims: { digest: `SHA-256:${upper}` } }],
    ['other members beside those that are signed', { claims: { iat: 1, iss: 'x' } }],
    ['a typ in the header', { jws: { typ: 'JWT' } }],
    ['a timestamp without a fraction', at(-123)],
  ])('%s', async (_, changes) => {
    expect(await broken(delivery(changes))).toEqual([])
  })
})

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
    ['something else', { headers: { signature: 'v1=abc' } }, ['jws']],
    ['another key under the same kid', { key: otherRsa.privateKey }, ['signature']],
    ['another published key than kid names', { jws: { kid: 'other' } }, ['signature']],
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
      { ...key, kid: 'good' },
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
})

describe('signed values compared with the delivery', () => {
  test.each<[string, Changes, Rule[]]>([
    ['another body', { body: JSON.stringify({ ...event, version: '2' }) }, ['digest']],
    ['the same JSON with a space', { body: JSON.stringify(event, null, 1) }, ['digest']],
    ['the same JSON and a line break', { body: `${JSON.stringify(event)}\n` }, ['digest']],
    ['a digest without SHA-256:', { claims: { digest: hash(JSON.stringify(event)) } }, ['digest']],
    [
      'a digest in Base64',
      { claims: { digest: `SHA-256:${Buffer.from(hash(JSON.stringify(event)), 'hex').toString('base64')}` } },
      ['digest'],
    ],
    ['no digest', { claims: { digest: undefined } }, ['digest']],
    ['another timestamp', { claims: { timestamp: '2026-03-02T10:00:00.124Z' } }, ['timestamp-equal']],
    [
      'the same moment, written otherwise',
      { claims: { timestamp: '2026-03-02T10:00:00.1230Z' } },
      ['timestamp-equal'],
    ],
    ['no timestamp', { claims: { timestamp: undefined } }, ['timestamp-equal']],
    [
      'no header for the timestamp',
      { headers: { timestamp: undefined } },
      ['timestamp-equal', 'timestamp-current'],
    ],
    [
      'neither timestamp',
      { headers: { timestamp: undefined }, claims: { timestamp: undefined } },
      ['timestamp-equal', 'timestamp-current'],
    ],
    ['another nonce', { headers: { nonce: 'nonce-2' } }, ['nonce-equal']],
    ['neither nonce', { headers: { nonce: undefined }, claims: { nonce: undefined } }, ['nonce-equal']],
    ['an empty nonce', { headers: { nonce: '' }, claims: { nonce: '' } }, ['nonce-equal']],
    ['a nonce that is a number', { headers: { nonce: '7' }, claims: { nonce: 7 } }, ['nonce-equal']],
    ['another event id', { headers: { eventId: 'event-2' } }, ['event-id']],
    ['no event id', { headers: { eventId: undefined } }, ['event-id']],
    ['another event type', { headers: { eventType: 'user.deleted' } }, ['event-type']],
  ])('%s', async (_, changes, rules) => {
    expect(await broken(delivery(changes))).toEqual(rules)
  })

  test('a signed body that is not an event', async () => {
    for (const body of ['', '[]', 'null', '{"id":"event-1"}', Buffer.from([0x7b, 0xff, 0x7d])]) {
      const claims = { digest: `SHA-256:${hash(Buffer.from(body))}` }
      expect(await broken(delivery({ body, claims }))).toEqual(['envelope'])
    }
  })

  test('all violated rules are reported, not only the first', async () => {
    const worst = delivery({
      key: otherRsa.privateKey,
      body: '{}',
      claims: { nonce: 'other', timestamp: '2026-01-01T00:00:00Z' },
      headers: { timestamp: 'yesterday' },
    })
    expect(await broken(worst)).toEqual([
      'signature',
      'digest',
      'timestamp-equal',
      'nonce-equal',
      'timestamp-current',
      'envelope',
    ])
  })

  test('rules that depend on an invalid signature are not judged', async () => {
    const { unjudged } = await verify(delivery({ headers: { signature: 'nonsense' } }))
    expect([...unjudged]).toEqual([
      'algorithm',
      'key',
      'signature',
      'digest',
      'timestamp-equal',
      'nonce-equal',
    ])
  })
})

describe('the five minutes', () => {
  test.each([
    [-300_000, true],
    [-300_001, false],
    [0, true],
    [300_000, true],
    [300_001, false],
  ])('%i ms from the clock', async (offset, isCurrent) => {
    expect(await broken(delivery(at(offset)))).toEqual(isCurrent ? [] : ['timestamp-current'])
  })

  test('to the nanosecond', async () => {
    const finer = (timestamp: string) => delivery({ headers: { timestamp }, claims: { timestamp } })
    expect(await broken(finer('2026-03-02T10:05:00.123000000Z'))).toEqual([])
    expect(await broken(finer('2026-03-02T10:05:00.123000001Z'))).toEqual(['timestamp-current'])
    expect(await broken(finer('2026-03-02T09:55:00.122999999Z'))).toEqual(['timestamp-current'])
  })

  test.each([
    '2026-03-02T10:00:00.123',
    '2026-03-02T12:00:00.123+02:00',
    '2026-03-02t10:00:00.123z',
    '2026-03-02 10:00:00Z',
    '2026-02-30T10:00:00Z',
    '1772445600',
    'Mon, 02 Mar 2026 10:00:00 GMT',
    '2026-03-02T10:00:00.123Z[UTC]',
  ])('%s is not read', async (timestamp) => {
    expect(await broken(delivery({ headers: { timestamp }, claims: { timestamp } }))).toEqual([
      'timestamp-current',
    ])
  })
})

describe('nonces', () => {
  test('a repeated delivery is rejected', async () => {
    const nonces = new NonceStore({ now: () => now })
    expect(await broken(delivery(), { nonces })).toEqual([])
    expect(await broken(delivery(), { nonces })).toEqual(['nonce-unseen'])
  })

  test('of two deliveries at once with one nonce, exactly one is genuine', async () => {
    const nonces = new NonceStore({ now: () => now })
    const found = await Promise.all(Array.from({ length: 50 }, () => broken(delivery(), { nonces })))
    expect(found.filter((rules) => rules.length === 0)).toHaveLength(1)
    expect(found.filter(([rule]) => rule === 'nonce-unseen')).toHaveLength(49)
  })

  test.each<[string, Changes]>([
    ['forged', { key: otherRsa.privateKey }],
    ['altered', { body: '{"id":"x","type":"y"}' }],
    ['stale', at(-300_001)],
    ['wrongly labelled', { headers: { eventId: 'event-2' } }],
  ])('a delivery that is %s uses up no nonce', async (_, changes) => {
    const nonces = new NonceStore({ now: () => now })
    expect(await broken(delivery(changes), { nonces })).not.toEqual([])
    expect(await broken(delivery(), { nonces })).toEqual([])
  })
})

/** Bytes that a header may contain, so that they reach a receiver. */
const visible = fc.integer({ min: 0x21, max: 0x7e })

test('a change of any byte of the body or a header is detected', async () => {
  const genuine = delivery()
  const places = [...Object.values(deliveryHeaders), 'body'] as const
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...places),
      fc.nat(),
      visible,
      fc.constantFrom('replace', 'insert', 'remove'),
      async (place, position, byte, change) => {
        const before = place === 'body' ? genuine.body : Buffer.from(genuine.headers[place] ?? '')
        const index = position % before.length
        const after = Buffer.concat([
          before.subarray(0, index),
          change === 'remove' ? Buffer.alloc(0) : Buffer.from([byte]),
          before.subarray(change === 'insert' ? index : index + 1),
        ])
        fc.pre(!after.equals(before))
        const altered =
          place === 'body'
            ? { ...genuine, body: after }
            : { ...genuine, headers: { ...genuine.headers, [place]: after.toString() } }
        const nonces = new NonceStore({ now: () => now })
        expect(await broken(altered, { nonces })).not.toEqual([])
        expect(nonces.size).toBe(0)
      },
    ),
    { numRuns: 1500 },
  )
})

test('every byte of the signature counts', async () => {
  const genuine = delivery()
  const compact = genuine.headers[deliveryHeaders.signature] ?? ''
  for (let index = compact.lastIndexOf('.') + 1; index < compact.length; index += 1) {
    const signature =
      compact.slice(0, index) + (compact[index] === 'A' ? 'B' : 'A') + compact.slice(index + 1)
    expect(await broken(delivery({ headers: { signature } }))).not.toEqual([])
  }
})

test('without a clock, a verifier uses that of the system', async () => {
  const findings = await verifyDelivery(delivery(), {
    keyByKid: async (kid) => published[kid],
    nonces: new NonceStore(),
  })
  expect(findings.findings.map(({ rule }) => rule)).toEqual(
    Math.abs(Date.now() - now) > 300_000 ? ['timestamp-current'] : [],
  )
})
