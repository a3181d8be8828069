import { delivered } from './delivered.ts'
import { check } from './requirements.ts'

check(
  'WEBHOOK-SIGNATURE-JWS',
  'the signature is a compact JWS with RS256',
  delivered,
  async ({ deliveries }) => {
    const signed = await deliveries.signed()
    await deliveries.expectRules(signed, ['jws', 'algorithm'], 'WEBHOOK-HEADER-SIGNATURE')
  },
)

check(
  'WEBHOOK-SIGNATURE-KEY',
  'the signature verifies with the key that its `kid` names',
  delivered,
  async ({ deliveries }) => {
    const signed = await deliveries.signed()
    await deliveries.expectRules(signed, ['key', 'signature'], 'WEBHOOK-SIGNATURE-JWS')
  },
)

check(
  'WEBHOOK-SIGNATURE-DIGEST',
  'the signed digest is the digest of the raw body',
  delivered,
  async ({ deliveries }) => {
    await deliveries.expectRules(await deliveries.signed(), ['digest'], 'WEBHOOK-SIGNATURE-JWS')
  },
)

check(
  'WEBHOOK-SIGNATURE-TIMESTAMP',
  'the signed `timestamp` is that of the header',
  delivered,
  async ({ deliveries }) => {
    const having = await deliveries.having('timestamp', 'WEBHOOK-HEADER-TIMESTAMP')
    await deliveries.expectRules(having, ['timestamp-equal'], 'WEBHOOK-SIGNATURE-JWS')
  },
)

check(
  'WEBHOOK-SIGNATURE-NONCE',
  'the signed `nonce` is that of the header',
  delivered,
  async ({ deliveries }) => {
    const having = await deliveries.having('nonce', 'WEBHOOK-HEADER-NONCE')
    await deliveries.expectRules(having, ['nonce-equal'], 'WEBHOOK-SIGNATURE-JWS')
  },
)

check(
  'WEBHOOK-TIMESTAMP-CURRENT',
  'the timestamp of a first attempt is within five minutes of its arrival',
  delivered,
  async ({ deliveries }) => {
    deliveries.requireKnownClock()
    const having = await deliveries.having('timestamp', 'WEBHOOK-HEADER-TIMESTAMP', 'first')
    const readable = deliveries.withReadableTimestamp(having)
    await deliveries.expectRules(readable, ['timestamp-current'], 'WEBHOOK-DELIVERY-TIMESTAMP-Z')
  },
)
