import { delivered } from '../../src/check/check-options.ts'
import { requireSimilarClocks } from '../../src/check/clock.ts'
import { check } from './requirements.ts'

for (const [id, name, header, rules, see] of [
  [
    'WEBHOOK-SIGNATURE-JWS',
    'the signature is a compact JWS with RS256',
    'signature',
    ['jws', 'algorithm'],
    'WEBHOOK-HEADER-SIGNATURE',
  ],
  [
    'WEBHOOK-SIGNATURE-KEY',
    'the signature verifies with the key that its `kid` identifies',
    'signature',
    ['key', 'signature'],
    'WEBHOOK-SIGNATURE-JWS',
  ],
  [
    'WEBHOOK-SIGNATURE-DIGEST',
    'the signed digest is the digest of the raw body',
    'signature',
    ['digest'],
    'WEBHOOK-SIGNATURE-JWS',
  ],
  [
    'WEBHOOK-SIGNATURE-TIMESTAMP',
    'the signed `timestamp` is that of the header',
    'timestamp',
    ['timestamp-equal'],
    'WEBHOOK-SIGNATURE-JWS',
  ],
  [
    'WEBHOOK-SIGNATURE-NONCE',
    'the signed `nonce` is that of the header',
    'nonce',
    ['nonce-equal'],
    'WEBHOOK-SIGNATURE-JWS',
  ],
] as const) {
  check(id, name, delivered, async ({ deliveries }) => {
    await deliveries.expectRules(await deliveries.having(header), rules, see)
  })
}

check(
  'WEBHOOK-TIMESTAMP-CURRENT',
  'the timestamp of a first attempt is within five minutes of its arrival',
  delivered,
  async ({ deliveries, clockOffsetMs }) => {
    requireSimilarClocks(clockOffsetMs())
    const having = await deliveries.having('timestamp', 'first')
    const readable = deliveries.withReadableTimestamp(having)
    await deliveries.expectRules(readable, ['timestamp-current'], 'WEBHOOK-DELIVERY-TIMESTAMP-Z')
  },
)
