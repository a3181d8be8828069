import type { Behaviour } from '../behaviour.ts'
import { formatLocal } from '../hub/events.ts'
import type { DeliveryRequest } from '../webhook/behaviour.ts'
import { webhookFaultsOf } from './webhook-fault.ts'

const MINUTE = 60_000

function onRequest({ webhooks }: Behaviour, edit: (request: DeliveryRequest) => void): void {
  webhooks.requests.push(edit)
}

function onEnvelope({ webhooks }: Behaviour, edit: (envelope: Record<string, unknown>) => void): void {
  webhooks.envelope.push(edit)
}

/** Moves the time of an event in everything that is pushed. */
function moveTime({ webhooks }: Behaviour, milliseconds: number): void {
  const { instant } = webhooks
  webhooks.instant = (event, zone) => instant(event, zone) + milliseconds
}

const request = webhookFaultsOf([
  {
    name: 'webhook-delivered-by-put',
    summary: 'Events are pushed with PUT.',
    violates: ['WEBHOOK-DELIVERY-POST'],
    alter: (behaviour) =>
      onRequest(behaviour, (message) => {
        message.method = 'PUT'
      }),
  },
  {
    name: 'webhook-delivered-as-text',
    summary: 'The content type of a delivery is text/plain.',
    violates: ['WEBHOOK-DELIVERY-JSON'],
    alter: (behaviour) =>
      onRequest(behaviour, ({ headers }) => {
        headers['Content-Type'] = 'text/plain; charset=utf-8'
      }),
  },
  {
    name: 'webhook-delivered-as-form',
    summary: 'A delivery is a form with the envelope in one field.',
    violates: ['WEBHOOK-DELIVERY-JSON'],
    alter: (behaviour) => {
      behaviour.webhooks.serialize = (envelope) =>
        new URLSearchParams({ event: JSON.stringify(envelope) }).toString()
      onRequest(behaviour, ({ headers }) => {
        headers['Content-Type'] = 'application/x-www-form-urlencoded'
      })
    },
  },
])

const envelope = webhookFaultsOf([
  ...['id', 'type', 'version', 'payload'].map((name) => ({
    name: `webhook-envelope-without-${name}`,
    summary: `The pushed envelope has no ${name}.`,
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: (behaviour: Behaviour) =>
      onEnvelope(behaviour, (fields) => {
        delete fields[name]
      }),
  })),
  {
    name: 'webhook-envelope-without-timestamp',
    summary: 'The pushed envelope has no timestamp.',
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: (behaviour) =>
      onEnvelope(behaviour, (fields) => {
        delete fields.timestamp
      }),
  },
  {
    name: 'webhook-envelope-of-another-sphere',
    summary: 'The pushed envelope names the subscriber as another Sphere does.',
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: (behaviour) =>
      onEnvelope(behaviour, (envelope) => {
        envelope.subscriber = `${envelope.subscriber}-elsewhere`
      }),
  },
  {
    name: 'webhook-envelope-version-number',
    summary: 'The version of a pushed event is a number.',
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: (behaviour) =>
      onEnvelope(behaviour, (fields) => {
        fields.version = Number(fields.version)
      }),
  },
  {
    name: 'webhook-envelope-payload-as-text',
    summary: 'The payload of a pushed event is JSON inside a string.',
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: (behaviour) =>
      onEnvelope(behaviour, (fields) => {
        fields.payload = JSON.stringify(fields.payload)
      }),
  },
  {
    name: 'webhook-envelope-wrapped',
    summary: 'The envelope is the only element of an array.',
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: ({ webhooks }) => {
      webhooks.serialize = (fields) => JSON.stringify([fields])
    },
  },
  {
    name: 'webhook-envelope-time-local',
    summary: 'The timestamp of a pushed event is that of the search: local, without zone.',
    violates: ['WEBHOOK-DELIVERY-TIMESTAMP-Z'],
    alter: ({ webhooks }) => {
      webhooks.envelope.push((fields, { local }) => {
        fields.timestamp = formatLocal(local)
      })
    },
  },
  {
    name: 'webhook-envelope-time-without-z',
    summary: 'The timestamp of a pushed event is in UTC and lacks the Z.',
    violates: ['WEBHOOK-DELIVERY-TIMESTAMP-Z'],
    alter: (behaviour) =>
      onEnvelope(behaviour, (fields) => {
        fields.timestamp = String(fields.timestamp).slice(0, -1)
      }),
  },
  {
    name: 'webhook-envelope-time-with-offset',
    summary: 'The timestamp of a pushed event ends with +00:00 instead of Z.',
    violates: ['WEBHOOK-DELIVERY-TIMESTAMP-Z'],
    alter: (behaviour) =>
      onEnvelope(behaviour, (fields) => {
        fields.timestamp = String(fields.timestamp).replace('Z', '+00:00')
      }),
  },
])

const chosen = webhookFaultsOf([
  {
    name: 'webhook-filters-ignored',
    summary: 'Events of every type are pushed, whatever the filters.',
    violates: ['WEBHOOK-DELIVERY-FILTERS'],
    alter: ({ webhooks }) => {
      webhooks.passes = () => true
    },
  },
  {
    name: 'webhook-empty-filters-mean-none',
    summary: 'Nothing is pushed to a subscription with empty filters.',
    violates: ['WEBHOOK-DELIVERY-ALL-TYPES'],
    alter: ({ webhooks }) => {
      webhooks.passes = (filters, { type }) => filters.includes(type)
    },
  },
  {
    name: 'webhook-first-filter-only',
    summary: 'Only the first of several filters counts.',
    violates: ['WEBHOOK-DELIVERY-FILTERS'],
    alter: ({ webhooks }) => {
      webhooks.passes = ([first], { type }) => first === undefined || first === type
    },
  },
])

const missing = [
  ['X-Service-Signature', 'WEBHOOK-HEADER-SIGNATURE'],
  ['X-Service-Event-ID', 'WEBHOOK-HEADER-EVENT-ID'],
  ['X-Service-Event-Type', 'WEBHOOK-HEADER-EVENT-TYPE'],
  ['X-Service-Timestamp', 'WEBHOOK-HEADER-TIMESTAMP'],
  ['X-Service-Nonce', 'WEBHOOK-HEADER-NONCE'],
] as const

const headers = webhookFaultsOf([
  ...missing.map(([header, id]) => ({
    name: `webhook-without-${header.toLowerCase()}`,
    summary: `Deliveries have no ${header}.`,
    violates: [id],
    alter: (behaviour: Behaviour) =>
      onRequest(behaviour, (message) => {
        delete message.headers[header]
      }),
  })),
  {
    name: 'webhook-header-id-of-delivery',
    summary: 'X-Service-Event-ID names the delivery instead of the event.',
    violates: ['WEBHOOK-HEADER-EVENT-ID'],
    alter: (behaviour) => {
      let serial = 0
      onRequest(behaviour, (message) => {
        serial += 1
        message.headers['X-Service-Event-ID'] = `delivery-${serial}`
      })
    },
  },
  {
    name: 'webhook-header-type-generic',
    summary: 'X-Service-Event-Type says event for every type.',
    violates: ['WEBHOOK-HEADER-EVENT-TYPE'],
    alter: (behaviour) =>
      onRequest(behaviour, (message) => {
        message.headers['X-Service-Event-Type'] = 'event'
      }),
  },
  {
    name: 'webhook-header-type-lower-case',
    summary: 'X-Service-Event-Type is the type in lower case.',
    violates: ['WEBHOOK-HEADER-EVENT-TYPE'],
    alter: ({ webhooks }) => {
      webhooks.requests.push((message, { delivery }) => {
        message.headers['X-Service-Event-Type'] = delivery.event.type.toLowerCase()
      })
    },
  },
  {
    name: 'webhook-header-time-of-another-minute',
    summary: 'X-Service-Timestamp, and the signature with it, are a minute before the event.',
    violates: ['WEBHOOK-HEADER-TIMESTAMP'],
    alter: ({ webhooks }) => {
      webhooks.attempts.push((attempt) => {
        attempt.timestamp = new Date(Date.parse(attempt.timestamp) - MINUTE).toISOString()
      })
    },
  },
  {
    name: 'webhook-header-nonce-empty',
    summary: 'X-Service-Nonce, and the nonce in the signature, are empty.',
    violates: ['WEBHOOK-HEADER-NONCE'],
    alter: ({ webhooks }) => {
      webhooks.nonce = () => ''
    },
  },
  {
    name: 'webhook-nonce-constant',
    summary: 'Every delivery has the same nonce.',
    violates: ['WEBHOOK-NONCE-SINGLE-USE'],
    alter: ({ webhooks }) => {
      webhooks.nonce = () => 'bm9uY2UtMQ'
    },
  },
  {
    name: 'webhook-nonce-of-subscription',
    summary: 'All events of a subscription come with the same nonce.',
    violates: ['WEBHOOK-NONCE-SINGLE-USE'],
    alter: ({ webhooks }) => {
      webhooks.nonce = ({ subscription }) => subscription.id
    },
  },
  {
    name: 'webhook-timestamp-stale',
    summary: 'The times of pushed events are ten minutes old.',
    violates: ['WEBHOOK-TIMESTAMP-CURRENT'],
    alter: (behaviour) => moveTime(behaviour, -10 * MINUTE),
  },
  {
    name: 'webhook-timestamp-future',
    summary: 'The times of pushed events are ten minutes ahead.',
    violates: ['WEBHOOK-TIMESTAMP-CURRENT'],
    alter: (behaviour) => moveTime(behaviour, 10 * MINUTE),
  },
  {
    name: 'webhook-timestamp-local-with-z',
    summary: 'The times of pushed events are local times with a Z behind them.',
    violates: ['WEBHOOK-TIMESTAMP-CURRENT'],
    alter: ({ webhooks }) => {
      webhooks.instant = ({ local }) => local
    },
  },
])

export const webhookDeliveryFaults = [...request, ...envelope, ...chosen, ...headers]
