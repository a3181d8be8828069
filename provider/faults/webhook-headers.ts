import { defineWebhookFaults } from './define-webhook-faults.ts'
import { editRequest, MINUTE, shiftTime } from './webhook-edits.ts'

const missing = [
  ['X-Service-Signature', 'WEBHOOK-HEADER-SIGNATURE'],
  ['X-Service-Event-ID', 'WEBHOOK-HEADER-EVENT-ID'],
  ['X-Service-Event-Type', 'WEBHOOK-HEADER-EVENT-TYPE'],
  ['X-Service-Timestamp', 'WEBHOOK-HEADER-TIMESTAMP'],
  ['X-Service-Nonce', 'WEBHOOK-HEADER-NONCE'],
] as const

/** Wrong headers of deliveries. */
export const webhookHeaderFaults = defineWebhookFaults([
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
    summary: 'Sets `X-Service-Timestamp` and the signed timestamp to one minute before the event.',
    violates: ['WEBHOOK-HEADER-TIMESTAMP'],
    alter: ({ webhooks }) => {
      webhooks.attempts.push((attempt) => {
        attempt.timestamp = new Date(Date.parse(attempt.timestamp) - MINUTE).toISOString()
      })
    },
  },
  {
    name: 'webhook-header-time-in-lower-case',
    summary: 'Writes `X-Service-Timestamp` and the signed timestamp with a lower-case t and z.',
    violates: ['WEBHOOK-HEADER-TIMESTAMP'],
    alter: ({ webhooks }) => {
      webhooks.attempts.push((attempt) => {
        attempt.timestamp = attempt.timestamp.toLowerCase()
      })
    },
  },
  {
    name: 'webhook-header-nonce-blank',
    summary: 'Sends a space as `X-Service-Nonce` and as the signed nonce.',
    violates: ['WEBHOOK-HEADER-NONCE'],
    alter: ({ webhooks }) => {
      webhooks.nonce = () => ' '
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
