import { hash } from 'node:crypto'
import type { Alter } from '../alteration.ts'
import { formatLocal } from '../hub/local-time.ts'
import type { Attempt, DeliveryRequest } from '../webhook/behaviour.ts'
import { defineWebhookFaults } from './define-webhook-faults.ts'

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

const request = defineWebhookFaults([
  {
    name: 'webhook-delivered-by-put',
    summary: 'Delivers events with PUT.',
    violates: ['WEBHOOK-DELIVERY-POST'],
    alter: editRequest((message) => {
      message.method = 'PUT'
    }),
  },
  {
    name: 'webhook-delivered-as-text',
    summary: 'Delivers events with the content type `text/plain`.',
    violates: ['WEBHOOK-DELIVERY-JSON'],
    alter: editRequest(({ headers }) => {
      headers['Content-Type'] = 'text/plain; charset=utf-8'
    }),
  },
  {
    name: 'webhook-delivered-as-form',
    summary: 'Delivers events as a form with the envelope in one field.',
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

const envelope = defineWebhookFaults([
  {
    name: 'webhook-delivered-in-latin-1',
    summary:
      'Delivers the envelope in Latin-1, with an additional member that contains non-ASCII characters (the city of the user).',
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: (behaviour) => {
      editEnvelope((fields) => {
        fields.city = 'Jyväskylä'
      })(behaviour)
      behaviour.webhooks.digest = (body) => `SHA-256:${hash('sha256', Buffer.from(body, 'latin1'))}`
      editRequest((message) => {
        message.body = Buffer.from(String(message.body), 'latin1')
      })(behaviour)
    },
  },
  ...['id', 'type', 'version', 'payload'].map((name) => ({
    name: `webhook-envelope-without-${name}`,
    summary: `Omits \`${name}\` from the delivered envelope.`,
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: editEnvelope((fields) => {
      delete fields[name]
    }),
  })),
  {
    name: 'webhook-envelope-without-timestamp',
    summary: 'Omits `timestamp` from the delivered envelope.',
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: editEnvelope((fields) => {
      delete fields.timestamp
    }),
  },
  {
    name: 'webhook-envelope-of-another-sphere',
    summary: "Writes the user's `sub` of another Sphere as the subscriber of the delivered envelope.",
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: editEnvelope((envelope) => {
      envelope.subscriber = `${envelope.subscriber}-elsewhere`
    }),
  },
  {
    name: 'webhook-envelope-version-number',
    summary: 'Writes the `version` of a delivered event as a number.',
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: editEnvelope((fields) => {
      fields.version = Number(fields.version)
    }),
  },
  {
    name: 'webhook-envelope-payload-as-text',
    summary: 'Writes the payload of a delivered event as JSON inside a string.',
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: editEnvelope((fields) => {
      fields.payload = JSON.stringify(fields.payload)
    }),
  },
  {
    name: 'webhook-envelope-three-minutes-early',
    summary: 'Dates delivered events three minutes before the same events in the Event Hub.',
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: shiftTime(-3 * MINUTE),
  },
  {
    name: 'webhook-envelope-with-id-of-subscription',
    summary: 'Delivers events with ids of their own to subscriptions with empty filters.',
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: ({ webhooks }) => {
      const isOpen = ({ delivery }: Attempt) => delivery.subscription.event_filters.length === 0
      webhooks.attempts.push((attempt) => {
        if (isOpen(attempt)) attempt.body = attempt.body.replace(/"id":"[^"]*/, '$&-open')
      })
      webhooks.requests.push(({ headers }, attempt) => {
        if (isOpen(attempt)) headers['X-Service-Event-ID'] = `${attempt.delivery.event.id}-open`
      })
    },
  },
  {
    name: 'webhook-envelope-wrapped',
    summary: 'Delivers the envelope as the only element of an array.',
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: ({ webhooks }) => {
      webhooks.serialize = (fields) => JSON.stringify([fields])
    },
  },
  {
    name: 'webhook-envelope-time-local',
    summary: 'Writes the timestamp of a delivered event as a local time without a zone, as in a search.',
    violates: ['WEBHOOK-DELIVERY-TIMESTAMP-Z'],
    alter: ({ webhooks }) => {
      webhooks.envelope.push((fields, { local }) => {
        fields.timestamp = formatLocal(local)
      })
    },
  },
  {
    name: 'webhook-envelope-time-without-z',
    summary: 'Writes the timestamp of a delivered event in UTC but without a Z.',
    violates: ['WEBHOOK-DELIVERY-TIMESTAMP-Z'],
    alter: editEnvelope((fields) => {
      fields.timestamp = String(fields.timestamp).slice(0, -1)
    }),
  },
  {
    name: 'webhook-envelope-time-with-offset',
    summary: 'Writes the timestamp of a delivered event with +00:00 instead of Z.',
    violates: ['WEBHOOK-DELIVERY-TIMESTAMP-Z'],
    alter: editEnvelope((fields) => {
      fields.timestamp = String(fields.timestamp).replace('Z', '+00:00')
    }),
  },
])

const filters = defineWebhookFaults([
  {
    name: 'webhook-filters-ignored',
    summary: 'Delivers events of every type, regardless of the filters.',
    violates: ['WEBHOOK-DELIVERY-FILTERS'],
    alter: ({ webhooks }) => {
      webhooks.passes = () => true
    },
  },
  {
    name: 'webhook-empty-filters-mean-none',
    summary: 'Delivers nothing to a subscription with empty filters.',
    violates: ['WEBHOOK-DELIVERY-ALL-TYPES'],
    alter: ({ webhooks }) => {
      webhooks.passes = (filters, { type }) => filters.includes(type)
    },
  },
  {
    name: 'webhook-first-filter-only',
    summary: 'Applies only the first of several filters.',
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

const headers = defineWebhookFaults([
  ...missing.map(([header, id]) => ({
    name: `webhook-without-${header.toLowerCase()}`,
    summary: `Omits \`${header}\` from deliveries.`,
    violates: [id],
    alter: editRequest((message) => {
      delete message.headers[header]
    }),
  })),
  {
    name: 'webhook-header-id-of-delivery',
    summary: 'Sends the id of the delivery as `X-Service-Event-ID` instead of the id of the event.',
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
    summary: 'Sends the word `event` as `X-Service-Event-Type` for every type.',
    violates: ['WEBHOOK-HEADER-EVENT-TYPE'],
    alter: editRequest((message) => {
      message.headers['X-Service-Event-Type'] = 'event'
    }),
  },
  {
    name: 'webhook-header-type-lower-case',
    summary: 'Sends the type in lower case as `X-Service-Event-Type`.',
    violates: ['WEBHOOK-HEADER-EVENT-TYPE'],
    alter: ({ webhooks }) => {
      webhooks.requests.push((message, { delivery }) => {
        message.headers['X-Service-Event-Type'] = delivery.event.type.toLowerCase()
      })
    },
  },
  {
    name: 'webhook-header-time-of-another-minute',
    summary: 'Sets `X-Service-Timestamp` and the signed timestamp one minute before the event.',
    violates: ['WEBHOOK-HEADER-TIMESTAMP'],
    alter: ({ webhooks }) => {
      webhooks.attempts.push((attempt) => {
        attempt.timestamp = new Date(Date.parse(attempt.timestamp) - MINUTE).toISOString()
      })
    },
  },
  {
    name: 'webhook-header-nonce-empty',
    summary: 'Sends an empty `X-Service-Nonce` and an empty signed nonce.',
    violates: ['WEBHOOK-HEADER-NONCE'],
    alter: ({ webhooks }) => {
      webhooks.nonce = () => ''
    },
  },
  {
    name: 'webhook-nonce-constant',
    summary: 'Sends the same nonce with every delivery.',
    violates: ['WEBHOOK-NONCE-SINGLE-USE'],
    alter: ({ webhooks }) => {
      webhooks.nonce = () => 'bm9uY2UtMQ'
    },
  },
  {
    name: 'webhook-nonce-of-subscription',
    summary: 'Sends the same nonce with all deliveries to a subscription.',
    violates: ['WEBHOOK-NONCE-SINGLE-USE'],
    alter: ({ webhooks }) => {
      webhooks.nonce = ({ subscription }) => subscription.id
    },
  },
  {
    name: 'webhook-timestamp-stale',
    summary: 'Dates delivered events ten minutes in the past.',
    violates: ['WEBHOOK-TIMESTAMP-CURRENT'],
    alter: shiftTime(-10 * MINUTE),
  },
  {
    name: 'webhook-timestamp-future',
    summary: 'Dates delivered events ten minutes in the future.',
    violates: ['WEBHOOK-TIMESTAMP-CURRENT'],
    alter: shiftTime(10 * MINUTE),
  },
  {
    name: 'webhook-timestamp-local-with-z',
    summary: 'Writes local times with a Z in delivered events.',
    violates: ['WEBHOOK-TIMESTAMP-CURRENT'],
    alter: ({ webhooks }) => {
      webhooks.instant = ({ local }) => local
    },
  },
])

export const webhookDeliveryFaults = [...request, ...envelope, ...filters, ...headers]
