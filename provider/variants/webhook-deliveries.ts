import { randomUUID } from 'node:crypto'
import { fieldsOf } from '../http.ts'
import { spareKey } from '../keys.ts'
import { type Delivery, sha256Hex } from '../webhook/behaviour.ts'
import { createSender } from '../webhook/sender.ts'
import { pushing } from './webhook-variant.ts'

const signed = [
  'WEBHOOK-SIGNATURE-JWS',
  'WEBHOOK-SIGNATURE-KEY',
  'WEBHOOK-SIGNATURE-DIGEST',
  'WEBHOOK-SIGNATURE-TIMESTAMP',
  'WEBHOOK-SIGNATURE-NONCE',
]

const schedule = [
  'WEBHOOK-RETRY-SECOND',
  'WEBHOOK-RETRY-THIRD',
  'WEBHOOK-RETRY-FOURTH',
  'WEBHOOK-RETRY-FIFTH',
  'WEBHOOK-RETRY-LIMIT',
]

const contradiction =
  'Timestamps are those of the event, nonces are used once, and receivers refuse what is older than five minutes: late retries cannot satisfy all three.'

const deliveries = pushing([
  {
    name: 'webhook-body-spaced',
    summary: 'The body of a delivery has line breaks, and its members are in another order.',
    concerns: ['WEBHOOK-DELIVERY-ENVELOPE', 'WEBHOOK-SIGNATURE-DIGEST'],
    ambiguity: 'How the envelope is written as JSON is not said; the digest is of the bytes that are sent.',
    alter: (webhooks) => {
      webhooks.serialize = (envelope) =>
        `${JSON.stringify(Object.fromEntries(Object.entries(envelope).reverse()), null, '\t')}\n`
    },
  },
  {
    name: 'webhook-body-escaped',
    summary: 'Slashes, a letter of the type and whatever is not ASCII are escaped in the body of a delivery.',
    concerns: ['WEBHOOK-DELIVERY-ENVELOPE', 'WEBHOOK-SIGNATURE-DIGEST'],
    ambiguity: 'How the envelope is written as JSON is not said; the digest is of the bytes that are sent.',
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
    summary: 'The pushed envelope has members that nobody has documented.',
    concerns: ['WEBHOOK-DELIVERY-ENVELOPE'],
    ambiguity: 'Further members are not excluded.',
    alter: ({ envelope }) =>
      envelope.push((fields) => {
        fields.correlation = { trace: 'none' }
      }),
  },
  {
    name: 'webhook-content-type-with-charset',
    summary: 'The content type of a delivery names the charset.',
    concerns: ['WEBHOOK-DELIVERY-JSON'],
    ambiguity: 'Parameters of the content type are not said.',
    alter: ({ requests }) =>
      requests.push(({ headers }) => {
        headers['Content-Type'] = 'application/json;charset=UTF-8'
      }),
  },
  {
    name: 'webhook-content-type-with-suffix',
    summary: 'The content type of a delivery is a kind of JSON.',
    concerns: ['WEBHOOK-DELIVERY-JSON', 'WEBHOOK-DELIVERY-ENVELOPE'],
    ambiguity: 'Which media type a delivery names is not said.',
    alter: ({ requests }) =>
      requests.push(({ headers }) => {
        headers['Content-Type'] = 'application/vnd.example.event+json'
      }),
  },
  {
    name: 'webhook-content-type-missing',
    summary: 'A delivery names no content type.',
    concerns: ['WEBHOOK-DELIVERY-JSON', 'WEBHOOK-DELIVERY-ENVELOPE'],
    ambiguity: 'Which media type a delivery names is not said.',
    alter: ({ requests }) =>
      requests.push(({ headers }) => {
        delete headers['Content-Type']
      }),
  },
  {
    name: 'webhook-beside-events-of-others',
    summary:
      'While a claim is changed, other users change theirs, and their events are pushed to the same targets.',
    concerns: [
      'WEBHOOK-DELIVERY-POST',
      'WEBHOOK-RETRY-SAME-EVENT',
      'WEBHOOK-FAILED-RETRIEVABLE',
      ...schedule,
    ],
    ambiguity: 'A subscription gets the events of all users of the application.',
    decided: ['WEBHOOK-DELIVERY-POST', 'WEBHOOK-RETRY-SAME-EVENT', 'WEBHOOK-FAILED-RETRIEVABLE', ...schedule],
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
    summary: 'A target is sent an empty object when it is subscribed.',
    concerns: [
      'WEBHOOK-DELIVERY-POST',
      'WEBHOOK-DELIVERY-ENVELOPE',
      'WEBHOOK-DELIVERY-FILTERS',
      'WEBHOOK-DELIVERY-STOPS',
    ],
    ambiguity: 'Whether the service looks at a target before there is an event for it is not said.',
    alter: ({ answers }) => {
      const sender = createSender()
      answers.push((answer, operation, { text }) => {
        if (operation !== 'create' || answer.status !== 201) return
        const { target_url: target } = JSON.parse(text ?? '{}')
        const hello = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' } as const
        void sender.send(new URL(target), hello, 1000)
      })
    },
  },
  {
    name: 'webhook-delivered-twice',
    summary: 'Every event is delivered twice, with a nonce each.',
    concerns: [
      'WEBHOOK-DELIVERY-POST',
      'WEBHOOK-NONCE-SINGLE-USE',
      'WEBHOOK-NO-RETRY-DELIVERED',
      'WEBHOOK-NO-RETRY-REFUSED',
      ...schedule,
    ],
    ambiguity: 'Delivery is at-least-once.',
    alter: (webhooks) => {
      webhooks.copies = 2
    },
  },
  {
    name: 'webhook-nonce-uuid',
    summary: 'Nonces are UUIDs.',
    concerns: ['WEBHOOK-HEADER-NONCE', 'WEBHOOK-SIGNATURE-NONCE'],
    ambiguity: 'The form of a nonce is not said.',
    alter: (webhooks) => {
      webhooks.nonce = () => randomUUID()
    },
  },
  {
    name: 'webhook-times-without-fraction',
    summary: 'The times of pushed events have whole seconds.',
    concerns: ['WEBHOOK-DELIVERY-TIMESTAMP-Z', 'WEBHOOK-HEADER-TIMESTAMP', 'WEBHOOK-SIGNATURE-TIMESTAMP'],
    ambiguity: 'The precision of the timestamp is not said.',
    alter: ({ envelope, attempts }) => {
      const whole = (timestamp: unknown) => String(timestamp).replace(/\.\d+/, '')
      envelope.push((fields) => {
        fields.timestamp = whole(fields.timestamp)
      })
      attempts.push((attempt) => {
        attempt.timestamp = whole(attempt.timestamp)
      })
    },
  },
  {
    name: 'webhook-digest-upper-case',
    summary: 'The digest is in upper-case hex.',
    concerns: ['WEBHOOK-SIGNATURE-DIGEST'],
    ambiguity: 'The case of the hex digits is not said.',
    alter: (webhooks) => {
      webhooks.digest = (body) => `SHA-256:${sha256Hex(body).toUpperCase()}`
    },
  },
  {
    name: 'webhook-signature-extra-members',
    summary: 'The signature has a typ in its header, and an issuer and a time in its payload.',
    concerns: signed,
    ambiguity: 'Further members are not excluded.',
    alter: ({ signature }) =>
      signature.push(({ header, payload }) => {
        header.typ = 'JWT'
        Object.assign(payload, { iss: 'event-hub', iat: Math.floor(Date.now() / 1000) })
      }),
  },
  {
    name: 'webhook-key-of-its-own',
    summary: 'Deliveries are signed with another key of the key set than tokens are.',
    concerns: signed,
    ambiguity: 'Which key of the key set signs is said by kid alone.',
    alter: ({ signature }, { idp }) => {
      idp.answers.keySet.push(async (answer) => {
        const keys = fieldsOf(answer)?.keys
        if (Array.isArray(keys)) answer.body = { keys: [...keys, (await spareKey()).publicJwk] }
      })
      signature.push(async (jws) => {
        const { kid, privateKey } = await spareKey()
        jws.header.kid = kid
        jws.key = privateKey
      })
    },
  },
])

const repeated = [
  'WEBHOOK-RETRY-SAME-EVENT',
  'WEBHOOK-NONCE-SINGLE-USE',
  'WEBHOOK-HEADER-TIMESTAMP',
  ...schedule,
]

const retries = pushing([
  {
    name: 'webhook-retry-repeats-nonce',
    summary: 'A retry repeats the nonce of the first attempt.',
    concerns: repeated,
    ambiguity: contradiction,
    alter: (webhooks) => {
      const { nonce } = webhooks
      const nonces = new WeakMap<Delivery, string>()
      webhooks.nonce = (delivery) => {
        const value = nonces.get(delivery) ?? nonce(delivery)
        nonces.set(delivery, value)
        return value
      }
    },
  },
  {
    name: 'webhook-retry-with-time-of-sending',
    summary: 'X-Service-Timestamp of a retry, and the signature with it, are the time at which it is sent.',
    concerns: repeated,
    ambiguity: contradiction,
    alter: ({ attempts }) =>
      attempts.push((attempt) => {
        if (attempt.number > 1) attempt.timestamp = new Date().toISOString()
      }),
  },
  {
    name: 'webhook-retries-later',
    summary: 'Every retry comes a fifth later than the schedule says.',
    concerns: schedule,
    ambiguity: 'The schedule is approximate.',
    alter: (webhooks) => {
      webhooks.delays = webhooks.delays.map((seconds) => seconds * 1.2)
    },
  },
  {
    name: 'webhook-retries-earlier',
    summary: 'Every retry comes a fifth earlier than the schedule says.',
    concerns: schedule,
    ambiguity: 'The schedule is approximate.',
    alter: (webhooks) => {
      webhooks.delays = webhooks.delays.map((seconds) => seconds * 0.8)
    },
  },
  {
    name: 'webhook-retries-from-first',
    summary: 'Retries come 30 s, 2 min, 10 min and 1 h after the first attempt.',
    concerns: schedule,
    ambiguity: 'From which attempt a delay is counted is not said.',
    alter: (webhooks) => {
      webhooks.delayedFrom = 'first'
    },
  },
  {
    name: 'webhook-sent-again-by-transport',
    summary: 'A request whose connection ended without an answer is sent once more at once, as it was.',
    concerns: ['WEBHOOK-NONCE-SINGLE-USE', 'WEBHOOK-RETRY-NO-RESPONSE', ...schedule],
    ambiguity: 'Transports that send a request again by themselves belong to at-least-once.',
    decided: ['WEBHOOK-NONCE-SINGLE-USE', 'WEBHOOK-RETRY-LIMIT'],
    alter: (webhooks) => {
      webhooks.sentAgain = true
    },
  },
  {
    name: 'webhook-redirect-retried',
    summary: 'A delivery answered with a redirect is tried again.',
    concerns: ['WEBHOOK-NO-RETRY-REFUSED', 'WEBHOOK-NO-RETRY-DELIVERED'],
    ambiguity: 'What follows a 3xx is not said.',
    alter: (webhooks) => {
      const { retried } = webhooks
      webhooks.retried = (outcome, number) =>
        (outcome.kind === 'answered' && outcome.status >= 300 && outcome.status < 400) ||
        retried(outcome, number)
    },
  },
])

/** Lawful ways to push events. */
export const webhookDeliveryVariants = [...deliveries, ...retries]
