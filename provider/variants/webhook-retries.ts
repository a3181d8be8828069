import type { Delivery, WebhookBehaviour } from '../webhook/behaviour.ts'
import { defineWebhookVariants } from './define-webhook-variants.ts'

/** Requirements on the times of retries. */
export const schedule = [
  'WEBHOOK-RETRY-SECOND',
  'WEBHOOK-RETRY-THIRD',
  'WEBHOOK-RETRY-FOURTH',
  'WEBHOOK-RETRY-FIFTH',
  'WEBHOOK-RETRY-LIMIT',
]

const contradiction =
  'Timestamps are those of the event, nonces are used once, and receivers refuse deliveries older than five minutes: late retries cannot satisfy all three.'

/** Requirements on what retries repeat, and on their times. */
const repeated = [
  'WEBHOOK-RETRY-SAME-EVENT',
  'WEBHOOK-NONCE-SINGLE-USE',
  'WEBHOOK-HEADER-TIMESTAMP',
  ...schedule,
]

function delayedBy(factor: number): (webhooks: WebhookBehaviour) => void {
  return (webhooks) => {
    webhooks.delays = webhooks.delays.map((seconds) => seconds * factor)
  }
}

/** Lawful retries. */
export const webhookRetryVariants = defineWebhookVariants([
  {
    name: 'webhook-retry-repeats-nonce',
    summary: 'Repeats the nonce of the first attempt in a retry.',
    concerns: repeated,
    unspecified: contradiction,
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
    summary: 'Writes the time of sending into the header `X-Service-Timestamp` and the signature of a retry.',
    concerns: repeated,
    unspecified: contradiction,
    alter: ({ attempts }) =>
      attempts.push((attempt) => {
        if (attempt.number > 1) attempt.timestamp = new Date().toISOString()
      }),
  },
  {
    name: 'webhook-retries-later',
    summary: 'Makes the delays of retries 20 % longer than scheduled.',
    concerns: schedule,
    unspecified: 'The schedule is approximate.',
    alter: delayedBy(1.2),
  },
  {
    name: 'webhook-retries-earlier',
    summary: 'Makes the delays of retries 20 % shorter than scheduled.',
    concerns: schedule,
    unspecified: 'The schedule is approximate.',
    alter: delayedBy(0.8),
  },
  {
    name: 'webhook-retries-from-first',
    summary: 'Retries 30 s, 2 min, 10 min and 1 h after the first attempt.',
    concerns: schedule,
    unspecified: 'The attempt from which a delay counts is not specified.',
    alter: (webhooks) => {
      webhooks.delaysCountFrom = 'first'
    },
  },
  {
    name: 'webhook-sent-again-by-transport',
    summary: 'Repeats a request unchanged and at once if its connection ends without a response.',
    concerns: ['WEBHOOK-NONCE-SINGLE-USE', 'WEBHOOK-RETRY-NO-RESPONSE', ...schedule],
    unspecified: 'At-least-once delivery includes repeats by the transport.',
    mustPass: ['WEBHOOK-NONCE-SINGLE-USE', 'WEBHOOK-RETRY-LIMIT'],
    alter: (webhooks) => {
      webhooks.transportResends = true
    },
  },
  {
    name: 'webhook-redirect-retried',
    summary: 'Retries a delivery after a redirect.',
    concerns: ['WEBHOOK-NO-RETRY-REFUSED', 'WEBHOOK-NO-RETRY-DELIVERED'],
    unspecified: 'The effect of a 3xx is not specified.',
    alter: (webhooks) => {
      const { shouldRetry } = webhooks
      webhooks.shouldRetry = (outcome, number, event) =>
        (outcome.kind === 'response' && outcome.status >= 300 && outcome.status < 400) ||
        shouldRetry(outcome, number, event)
    },
  },
])
