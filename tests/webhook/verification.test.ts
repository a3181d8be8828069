import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deliveryHeaders } from '../../src/webhook/delivery.ts'
import { NonceStore } from '../../src/webhook/nonce-store.ts'
import { type Rule, verifyDelivery } from '../../src/webhook/verification.ts'
import { otherRsa, published } from '../oauth/forged.ts'
import { at, broken, type Changes, delivery, event, hash, now, verify } from './deliveries.ts'

/** Bytes that a header may contain, so that they reach a receiver. */
const visible = fc.integer({ min: 0x21, max: 0x7e })

describe('verification of a delivery', () => {
  test('finds no violation in a genuine delivery, and judges all rules', async () => {
    const { findings, unjudged, event: found } = await verify(delivery())
    expect(findings).toEqual([])
    expect([...unjudged]).toEqual([])
    expect(found).toEqual(event)
  })

  test('detects a change of any byte of the body or a header', async () => {
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

  test('uses the clock of the system unless it has another one', async () => {
    const findings = await verifyDelivery(delivery(), {
      keyByKid: async (kid) => published[kid],
      nonces: new NonceStore(),
    })
    expect(findings.findings.map(({ rule }) => rule)).toEqual(
      Math.abs(Date.now() - now) > 300_000 ? ['timestamp-current'] : [],
    )
  })
})

describe('lawful alternatives of the same delivery', () => {
  const upper = hash(JSON.stringify(event)).toUpperCase()
  test.each<[string, Changes]>([
    ['hexadecimal digits in capitals', { claims: { digest: `SHA-256:${upper}` } }],
    ['other members in addition to the signed ones', { claims: { iat: 1, iss: 'x' } }],
    ['a typ in the header', { jws: { typ: 'JWT' } }],
    ['a timestamp without a fraction', at(-123)],
  ])('%s', async (_, changes) => {
    expect(await broken(delivery(changes))).toEqual([])
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
    ['a different nonce', { headers: { nonce: 'nonce-2' } }, ['nonce-equal']],
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

describe('the nonce of a delivery', () => {
  test('is rejected the second time', async () => {
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
