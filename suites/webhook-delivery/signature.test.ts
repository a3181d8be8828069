import { check } from './requirements.ts'

const delivered = {
  effects: ['planned', 'login', 'claim-change'],
  needs: ['webhookReceiver', 'user', 'claimRecipe'],
} as const

check(
  'WEBHOOK-SIGNATURE-JWS',
  'the signature is a compact JWS with RS256',
  delivered,
  async ({ webhooks }) => {
    const signed = await webhooks.signedDeliveries()
    await webhooks.keeps(signed, ['jws', 'algorithm'], 'WEBHOOK-HEADER-SIGNATURE')
  },
)

check(
  'WEBHOOK-SIGNATURE-KEY',
  'the signature verifies with the key that kid names',
  delivered,
  async ({ webhooks }) => {
    const signed = await webhooks.signedDeliveries()
    await webhooks.keeps(signed, ['key', 'signature'], 'WEBHOOK-SIGNATURE-JWS')
  },
)

check(
  'WEBHOOK-SIGNATURE-DIGEST',
  'the signed digest is that of the raw body',
  delivered,
  async ({ webhooks }) => {
    await webhooks.keeps(await webhooks.signedDeliveries(), ['digest'], 'WEBHOOK-SIGNATURE-JWS')
  },
)

check(
  'WEBHOOK-SIGNATURE-TIMESTAMP',
  'the signed timestamp is that of the header',
  delivered,
  async ({ webhooks }) => {
    const having = await webhooks.deliveriesWith('timestamp', 'WEBHOOK-HEADER-TIMESTAMP')
    await webhooks.keeps(having, ['timestamp-equal'], 'WEBHOOK-SIGNATURE-JWS')
  },
)

check(
  'WEBHOOK-SIGNATURE-NONCE',
  'the signed nonce is that of the header',
  delivered,
  async ({ webhooks }) => {
    const having = await webhooks.deliveriesWith('nonce', 'WEBHOOK-HEADER-NONCE')
    await webhooks.keeps(having, ['nonce-equal'], 'WEBHOOK-SIGNATURE-JWS')
  },
)

check(
  'WEBHOOK-TIMESTAMP-CURRENT',
  'the timestamp of a first attempt is within five minutes of its arrival',
  delivered,
  async ({ webhooks }) => {
    webhooks.clockIsKnown()
    const having = await webhooks.deliveriesWith('timestamp', 'WEBHOOK-HEADER-TIMESTAMP', 'first')
    const readable = webhooks.withReadableTimestamp(having)
    await webhooks.keeps(readable, ['timestamp-current'], 'WEBHOOK-DELIVERY-TIMESTAMP-Z')
  },
)
