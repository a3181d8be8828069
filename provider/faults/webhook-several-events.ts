import type { Alter } from '../alteration.ts'
import type { Attempt, Subscription } from '../webhook/behaviour.ts'
import { defineWebhookFaults } from './define-webhook-faults.ts'

/** Omits every second claim change for subscriptions with matching filters. */
function loseSecondEvents(matches: (filters: readonly string[]) => boolean): Alter {
  return ({ webhooks }) => {
    const { passes } = webhooks
    const ids: string[] = []
    webhooks.passes = (filters, event) => {
      if (event.type === 'ClaimValuesChanged' && !ids.includes(event.id)) ids.push(event.id)
      return passes(filters, event) && !(ids.indexOf(event.id) % 2 === 1 && matches(filters))
    }
  }
}

const lost = defineWebhookFaults([
  {
    name: 'webhook-second-event-lost',
    summary: 'Skips every second claim change for all subscriptions.',
    violates: ['WEBHOOK-DELIVERY-POST'],
    alter: loseSecondEvents(() => true),
  },
  {
    name: 'webhook-second-event-lost-without-filters',
    summary: 'Skips every second claim change for subscriptions with empty filters.',
    violates: ['WEBHOOK-DELIVERY-ALL-TYPES'],
    alter: loseSecondEvents((filters) => filters.length === 0),
  },
  {
    name: 'webhook-second-event-lost-with-two-filters',
    summary: 'Skips every second claim change for subscriptions with several filters.',
    violates: ['WEBHOOK-DELIVERY-FILTERS'],
    alter: loseSecondEvents((filters) => filters.length > 1),
  },
])

const amongEvents = defineWebhookFaults([
  {
    name: 'webhook-no-retry-of-second-event',
    summary: 'Skips the retries of every second event after a 500.',
    violates: ['WEBHOOK-RETRY-SERVER-ERROR'],
    alter: ({ webhooks }) => {
      const ids: string[] = []
      const { shouldRetry } = webhooks
      webhooks.shouldRetry = (outcome, number, event) => {
        if (!ids.includes(event.id)) ids.push(event.id)
        const isLast =
          outcome.kind === 'response' && outcome.status === 500 && ids.indexOf(event.id) % 2 === 1
        return !isLast && shouldRetry(outcome, number, event)
      }
    },
  },
  {
    name: 'webhook-retry-of-newest-event',
    summary: 'Sends the newest event of the subscription in every retry.',
    violates: ['WEBHOOK-RETRY-SERVER-ERROR', 'WEBHOOK-RETRY-THROTTLED', 'WEBHOOK-RETRY-NO-RESPONSE'],
    consequences: ['WEBHOOK-RETRY-LIMIT'],
    alter: ({ webhooks }) => {
      const newest = new Map<Subscription, Attempt>()
      // The newest event may change between an attempt and its request.
      const sent = new Map<Attempt['delivery'], Attempt>()
      webhooks.attempts.push((attempt) => {
        const { delivery } = attempt
        if (attempt.number === 1) newest.set(delivery.subscription, { ...attempt })
        const instead = newest.get(delivery.subscription) ?? attempt
        sent.set(delivery, instead)
        const { body, timestamp } = instead
        Object.assign(attempt, { body, timestamp })
      })
      webhooks.requests.push(({ headers }, { delivery }) => {
        const { event } = (sent.get(delivery) ?? { delivery }).delivery
        headers['X-Service-Event-ID'] = event.id
        headers['X-Service-Event-Type'] = event.type
      })
    },
  },
])

/** Deliveries of one event that are wrong because of another event. */
export const webhookSeveralEventsFaults = [...lost, ...amongEvents]
