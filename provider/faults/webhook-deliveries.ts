import { hash } from 'node:crypto'
import type { Alter } from '../alteration.ts'
import { formatLocal } from '../hub/local-time.ts'
import type { Attempt } from '../webhook/behaviour.ts'
import { defineWebhookFaults } from './define-webhook-faults.ts'
import { editRequest, MINUTE, shiftTime } from './webhook-edits.ts'

function editEnvelope(edit: (envelope: Record<string, unknown>) => void): Alter {
  return ({ webhooks }) => webhooks.envelope.push(edit)
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
    summary: 'Changes the ids of events that it delivers to subscriptions with empty filters.',
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

export const webhookDeliveryFaults = [...request, ...envelope, ...filters]
