import { randomUUID } from 'node:crypto'
import { editKeys } from '../edits.ts'
import { spareKey } from '../keys.ts'
import { createSender } from '../webhook/sender.ts'
import { sha256Hex } from '../webhook/signature.ts'
import { defineWebhookVariants } from './define-webhook-variants.ts'
import { schedule } from './webhook-retries.ts'

const signed = [
  'WEBHOOK-SIGNATURE-JWS',
  'WEBHOOK-SIGNATURE-KEY',
  'WEBHOOK-SIGNATURE-DIGEST',
  'WEBHOOK-SIGNATURE-TIMESTAMP',
  'WEBHOOK-SIGNATURE-NONCE',
]

/** Lawful deliveries. */
export const webhookDeliveryVariants = defineWebhookVariants([
  {
    name: 'webhook-body-spaced',
    summary: 'Sends the body of a delivery with line breaks and members in a different order.',
    concerns: ['WEBHOOK-DELIVERY-ENVELOPE', 'WEBHOOK-SIGNATURE-DIGEST'],
    unspecified: 'The JSON form of the envelope is not specified; the digest is of the bytes sent.',
    alter: (webhooks) => {
      webhooks.serialize = (envelope) =>
        `${JSON.stringify(Object.fromEntries(Object.entries(envelope).reverse()), null, '\t')}\n`
    },
  },
  {
    name: 'webhook-body-escaped',
    summary: 'Escapes slashes, a letter of the type and non-ASCII characters in the body of a delivery.',
    concerns: ['WEBHOOK-DELIVERY-ENVELOPE', 'WEBHOOK-SIGNATURE-DIGEST'],
    unspecified: 'The JSON form of the envelope is not specified; the digest is of the bytes sent.',
    alter: (webhooks) => {
      const unicode = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
      webhooks.serialize = (envelope) =>
        JSON.stringify(envelope)
          .replace(/[^\x20-\x7e]|\//g, unicode)
          .replace(/("type":")([a-z])/i, (_, before, letter) => before + unicode(letter))
    },
  },
  {
    name: 'webhook-envelope-extra-members',
    summary: 'Adds undocumented members to the delivered envelope.',
    concerns: ['WEBHOOK-DELIVERY-ENVELOPE'],
    unspecified: 'Additional members are not excluded.',
    alter: ({ envelope }) =>
      envelope.push((fields) => {
        fields.correlation = { trace: 'none' }
      }),
  },
  {
    name: 'webhook-payload-in-the-other-shape',
    summary:
      'Delivers `changedClaims`, and `claims: null`, for an event that a search returns with `claims`. Delivers `claims` for an event that a search returns with `changedClaims`.',
    concerns: ['WEBHOOK-DELIVERY-ENVELOPE'],
    unspecified: 'Two shapes of the payload occur, and consumers must tolerate either.',
    mustPass: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: ({ envelope }) =>
      envelope.push((fields) => {
        const { claims } = fields.payload as { claims?: object }
        fields.payload = claims
          ? { claims: null, changedClaims: Object.keys(claims) }
          : { claims: {}, changedClaims: null }
      }),
  },
  {
    name: 'webhook-content-type-with-charset',
    summary: 'Adds a charset to the content type of a delivery.',
    concerns: ['WEBHOOK-DELIVERY-JSON'],
    unspecified: 'Parameters of the content type are not specified.',
    alter: ({ requests }) =>
      requests.push(({ headers }) => {
        headers['Content-Type'] = 'application/json;charset=UTF-8'
      }),
  },
  {
    name: 'webhook-content-type-with-suffix',
    summary: 'Delivers events with the content type `application/vnd.example.event+json`.',
    concerns: ['WEBHOOK-DELIVERY-JSON', 'WEBHOOK-DELIVERY-ENVELOPE'],
    unspecified: 'The media type of a delivery is not specified.',
    alter: ({ requests }) =>
      requests.push(({ headers }) => {
        headers['Content-Type'] = 'application/vnd.example.event+json'
      }),
  },
  {
    name: 'webhook-content-type-missing',
    summary: 'Delivers events without a content type.',
    concerns: ['WEBHOOK-DELIVERY-JSON', 'WEBHOOK-DELIVERY-ENVELOPE'],
    unspecified: 'The media type of a delivery is not specified.',
    alter: ({ requests }) =>
      requests.push(({ headers }) => {
        delete headers['Content-Type']
      }),
  },
  {
    name: 'webhook-beside-events-of-others',
    summary: 'Delivers claim changes of other users to the same targets at the same time.',
    concerns: [
      'WEBHOOK-DELIVERY-POST',
      'WEBHOOK-RETRY-SAME-EVENT',
      'WEBHOOK-FAILED-RETRIEVABLE',
      ...schedule,
    ],
    unspecified: 'A subscription receives the events of all users of the application.',
    mustPass: [
      'WEBHOOK-DELIVERY-POST',
      'WEBHOOK-RETRY-SAME-EVENT',
      'WEBHOOK-FAILED-RETRIEVABLE',
      ...schedule,
    ],
    alter: (_, { hub }) => {
      hub.arrivals.push((searches, local) => [
        {
          id: `evt-other-${searches}`,
          local,
          type: 'ClaimValuesChanged',
          version: '1',
          subscriber: `sub-other-${searches % 3}`,
          payload: { changedClaims: ['given_name'] },
        },
      ])
    },
  },
  {
    name: 'webhook-target-asked-first',
    summary: 'Sends an empty JSON object to the target when a subscription is created.',
    concerns: [
      'WEBHOOK-DELIVERY-POST',
      'WEBHOOK-DELIVERY-ENVELOPE',
      'WEBHOOK-DELIVERY-FILTERS',
      'WEBHOOK-DELIVERY-STOPS',
    ],
    unspecified: 'Whether the service tests a target before the first event is not specified.',
    alter: ({ responses }) => {
      const sender = createSender()
      responses.push((response, operation, { text }) => {
        if (operation !== 'create' || response.status !== 201) return
        const { target_url: target } = JSON.parse(text ?? '{}')
        const hello = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' } as const
        void sender.send(new URL(target), hello, 1000)
      })
    },
  },
  {
    name: 'webhook-delivered-twice',
    summary: 'Delivers every event twice, 100 ms apart, each time with a new nonce.',
    concerns: [
      'WEBHOOK-DELIVERY-POST',
      'WEBHOOK-NONCE-SINGLE-USE',
      'WEBHOOK-NO-RETRY-DELIVERED',
      'WEBHOOK-NO-RETRY-REFUSED',
      ...schedule,
    ],
    unspecified: 'Delivery is at-least-once.',
    alter: (webhooks) => {
      webhooks.copies = 2
      webhooks.copyDelay = 100
    },
  },
  {
    name: 'webhook-nonce-uuid',
    summary: 'Sends UUIDs as nonces.',
    concerns: ['WEBHOOK-HEADER-NONCE', 'WEBHOOK-SIGNATURE-NONCE'],
    unspecified: 'The form of a nonce is not specified.',
    alter: (webhooks) => {
      webhooks.nonce = () => randomUUID()
    },
  },
  {
    name: 'webhook-times-without-fraction',
    summary: 'Writes the times of delivered events without a fraction of a second.',
    concerns: ['WEBHOOK-DELIVERY-TIMESTAMP-Z', 'WEBHOOK-HEADER-TIMESTAMP', 'WEBHOOK-SIGNATURE-TIMESTAMP'],
    unspecified: 'The precision of the timestamp is not specified.',
    alter: ({ envelope, attempts }) => {
      const withoutFraction = (timestamp: unknown) => String(timestamp).replace(/\.\d+/, '')
      envelope.push((fields) => {
        fields.timestamp = withoutFraction(fields.timestamp)
      })
      attempts.push((attempt) => {
        attempt.timestamp = withoutFraction(attempt.timestamp)
      })
    },
  },
  {
    name: 'webhook-digest-upper-case',
    summary: 'Signs the digest in upper-case hex.',
    concerns: ['WEBHOOK-SIGNATURE-DIGEST'],
    unspecified: 'The case of the hex digits is not specified.',
    alter: (webhooks) => {
      webhooks.digest = (body) => `SHA-256:${sha256Hex(body).toUpperCase()}`
    },
  },
  {
    name: 'webhook-signature-extra-members',
    summary: 'Adds `typ` to the header of the signature, and an issuer and a time to its payload.',
    concerns: signed,
    unspecified: 'Additional members are not excluded.',
    alter: ({ signature }) =>
      signature.push(({ header, payload }) => {
        header.typ = 'JWT'
        Object.assign(payload, { iss: 'event-hub', iat: Math.floor(Date.now() / 1000) })
      }),
  },
  {
    name: 'webhook-key-of-its-own',
    summary: 'Signs deliveries with a key of the key set that signs no tokens.',
    concerns: signed,
    unspecified: 'Only the kid identifies the signing key.',
    alter: ({ signature }, behaviour) => {
      editKeys(async (keys) => [...keys, (await spareKey()).publicJwk])(behaviour)
      signature.push(async (jws) => {
        const { kid, privateKey } = await spareKey()
        jws.header.kid = kid
        jws.key = privateKey
      })
    },
  },
  {
    name: 'webhook-key-published-after-rotation',
    summary:
      'Gives the signing key of ID tokens a new `kid` in the run, and signs deliveries with another key, which it publishes from the first delivery on.',
    concerns: [...signed, 'KEYSET-PUBLIC', 'IDTOKEN-SIGNATURE'],
    unspecified: 'When keys are rotated is not specified.',
    mustPass: [...signed, 'IDTOKEN-SIGNATURE'],
    alter: (webhooks, behaviour) => {
      let fetches = 0
      let delivers = false
      editKeys(async (keys) => {
        fetches += 1
        const renamed = keys.map((key) => ({ ...key, kid: `${key.kid}-second` }))
        const published = fetches === 1 ? keys : [...keys, ...renamed]
        return delivers ? [...published, (await spareKey()).publicJwk] : published
      })(behaviour)
      behaviour.idp.idToken.push(({ header }) => {
        if (fetches > 0) header.kid = `${header.kid}-second`
      })
      webhooks.signature.push(async (jws) => {
        delivers = true
        const { kid, privateKey } = await spareKey()
        jws.header.kid = kid
        jws.key = privateKey
      })
    },
  },
])
