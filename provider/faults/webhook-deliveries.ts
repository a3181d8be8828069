import type { Alter } from '../alteration.ts'
import { formatLocal } from '../hub/local-time.ts'
import type { DeliveryRequest } from '../webhook/behaviour.ts'
import { webhookFaults } from './webhook-faults.ts'

const MINUTE = 60_000

function editRequest(edit: (request: DeliveryRequest) => void): Alter {
  return ({ webhooks }) => webhooks.requests.push(edit)
}

function editEnvelope(edit: (envelope: Record<string, unknown>) => void): Alter {
  return ({ webhooks }) => webhooks.envelope.push(edit)
}

/** Shifts the time of an event in its envelope, header and signature. */
function shiftTime(milliseconds: number): Alter {
  return ({ webhooks }) => {
    const { instant } = webhooks
    webhooks.instant = (event, zone) => instant(event, zone) + milliseconds
  }
}

const request = webhookFaults([
  {
    name: 'webhook-delivered-by-put',
    summary: 'Events are pushed with PUT.',
    violates: ['WEBHOOK-DELIVERY-POST'],
    alter: editRequest((message) => {
      message.method = 'PUT'
    }),
  },
  {
    name: 'webhook-delivered-as-text',
    summary: 'The content type of a delivery is text/plain.',
    violates: ['WEBHOOK-DELIVERY-JSON'],
    alter: editRequest(({ headers }) => {
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
      editRequest(({ headers }) => {
        headers['Content-Type'] = 'application/x-www-form-urlencoded'
      })(behaviour)
    },
  },
])

const envelope = webhookFaults([
  ...['id', 'type', 'version', 'payload'].map((name) => ({
    name: `webhook-envelope-without-${name}`,
    summary: `The pushed envelope has no ${name}.`,
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: editEnvelope((fields) => {
      delete fields[name]
    }),
  })),
  {
    name: 'webhook-envelope-without-timestamp',
    summary: 'The pushed envelope has no timestamp.',
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: editEnvelope((fields) => {
      delete fields.timestamp
    }),
  },
  {
    name: 'webhook-envelope-of-another-sphere',
    summary: "The subscriber of the pushed envelope is the user's sub in another Sphere.",
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: editEnvelope((envelope) => {
      envelope.subscriber = `${envelope.subscriber}-elsewhere`
    }),
  },
  {
    name: 'webhook-envelope-version-number',
    summary: 'The version of a pushed event is a number.',
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: editEnvelope((fields) => {
      fields.version = Number(fields.version)
    }),
  },
  {
    name: 'webhook-envelope-payload-as-text',
    summary: 'The payload of a pushed event is JSON inside a string.',
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: editEnvelope((fields) => {
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
    summary: 'The timestamp of a pushed event is the local time without zone, as in a search.',
    violates: ['WEBHOOK-DELIVERY-TIMESTAMP-Z'],
    alter: ({ webhooks }) => {
      webhooks.envelope.push((fields, { local }) => {
        fields.timestamp = formatLocal(local)
      })
    },
  },
  {
    name: 'webhook-envelope-time-without-z',
    summary: 'The timestamp of a pushed event is in UTC but has no Z.',
    violates: ['WEBHOOK-DELIVERY-TIMESTAMP-Z'],
    alter: editEnvelope((fields) => {
      fields.timestamp = String(fields.timestamp).slice(0, -1)
    }),
  },
  {
    name: 'webhook-envelope-time-with-offset',
    summary: 'The timestamp of a pushed event ends with +00:00 instead of Z.',
    violates: ['WEBHOOK-DELIVERY-TIMESTAMP-Z'],
    alter: editEnvelope((fields) => {
      fields.timestamp = String(fields.timestamp).replace('Z', '+00:00')
    }),
  },
])

const filters = webhookFaults([
  {
    name: 'webhook-filters-ignored',
    summary: 'Events of every type are pushed, regardless of the filters.',
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

const headers = webhookFaults([
  ...missing.map(([header, id]) => ({
    name: `webhook-without-${header.toLowerCase()}`,
    summary: `Deliveries have no ${header}.`,
    violates: [id],
    alter: editRequest((message) => {
      delete message.headers[header]
    }),
  })),
  {
    name: 'webhook-header-id-of-delivery',
    summary: 'X-Service-Event-ID identifies the delivery instead of the event.',
    violates: ['WEBHOOK-HEADER-EVENT-ID'],
    alter: (behaviour) => {
      let serial = 0
      editRequest((message) => {
        serial += 1
        message.headers['X-Service-Event-ID'] = `delivery-${serial}`
      })(behaviour)
    },
  },
  {
    name: 'webhook-header-type-generic',
    summary: 'X-Service-Event-Type is the word event for every type.',
    violates: ['WEBHOOK-HEADER-EVENT-TYPE'],
    alter: editRequest((message) => {
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
    summary: 'X-Service-Timestamp and the signed timestamp are one minute before the event.',
    violates: ['WEBHOOK-HEADER-TIMESTAMP'],
    alter: ({ webhooks }) => {
      webhooks.attempts.push((attempt) => {
        attempt.timestamp = new Date(Date.parse(attempt.timestamp) - MINUTE).toISOString()
      })
    },
  },
  {
    name: 'webhook-header-nonce-empty',
    summary: 'X-Service-Nonce and the signed nonce are empty.',
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
    summary: 'All deliveries to a subscription have the same nonce.',
    violates: ['WEBHOOK-NONCE-SINGLE-USE'],
    alter: ({ webhooks }) => {
      webhooks.nonce = ({ subscription }) => subscription.id
    },
  },
  {
    name: 'webhook-timestamp-stale',
    summary: 'The times of pushed events are ten minutes old.',
    violates: ['WEBHOOK-TIMESTAMP-CURRENT'],
    alter: shiftTime(-10 * MINUTE),
  },
  {
    name: 'webhook-timestamp-future',
    summary: 'The times of pushed events are ten minutes ahead.',
    violates: ['WEBHOOK-TIMESTAMP-CURRENT'],
    alter: shiftTime(10 * MINUTE),
  },
  {
    name: 'webhook-timestamp-local-with-z',
    summary: 'The times of pushed events are local times with a Z.',
    violates: ['WEBHOOK-TIMESTAMP-CURRENT'],
    alter: ({ webhooks }) => {
      webhooks.instant = ({ local }) => local
    },
  },
])

export const webhookDeliveryFaults = [...request, ...envelope, ...filters, ...headers]
