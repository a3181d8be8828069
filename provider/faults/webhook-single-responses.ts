import { fieldsOf } from '../http.ts'
import type { WebhookBehaviour } from '../webhook/behaviour.ts'
import { defineWebhookFaults } from './define-webhook-faults.ts'

/** Returns the body of the latest successful update with each 401 for an operation. */
function refuseWithSubscription(refused: 'update' | 'delete') {
  return ({ webhooks }: { webhooks: WebhookBehaviour }) => {
    let last: unknown
    webhooks.responses.push((response, operation) => {
      if (operation === 'update' && response.status === 200) last = fieldsOf(response)
      if (operation === refused && response.status === 401 && last) response.body = last
    })
  }
}

/** Violations in only some responses, or some members of a response. */
export const webhookSingleResponseFaults = defineWebhookFaults([
  {
    name: 'webhook-described-status-null',
    summary: 'Returns `null` as `status` for a creation with a description.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-STATUS'],
    alter: ({ webhooks }) => {
      webhooks.shown.push((fields, { description }, operation) => {
        if (operation === 'create' && description !== undefined) fields.status = null
      })
    },
  },
  {
    name: 'webhook-described-target-shortened',
    summary: 'Removes the path from `target_url` in the response to a creation with a description.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-TARGET'],
    alter: ({ webhooks }) => {
      webhooks.shown.push((fields, { description, target_url: target }, operation) => {
        if (operation === 'create' && description !== undefined) fields.target_url = new URL(target).origin
      })
    },
  },
  {
    name: 'webhook-described-created-at-missing',
    summary: 'Omits `created_at` from the response to a creation with a description.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT'],
    alter: ({ webhooks }) => {
      webhooks.shown.push((fields, { description }, operation) => {
        if (operation === 'create' && description !== undefined) delete fields.created_at
      })
    },
  },
  {
    name: 'webhook-get-with-target-of-another',
    summary: 'Responds to a GET with a `target_url` that is not that of the subscription.',
    violates: ['WEBHOOK-SUBSCRIPTION-GET'],
    alter: ({ webhooks }) => {
      webhooks.shown.push((fields, _, operation) => {
        if (operation === 'get') fields.target_url = 'https://neighbour.invalid/hook'
      })
    },
  },
  {
    name: 'webhook-list-with-targets-of-another',
    summary: 'Lists subscriptions with a `target_url` that is not their own.',
    violates: ['WEBHOOK-SUBSCRIPTION-LIST'],
    alter: ({ webhooks }) => {
      webhooks.shown.push((fields, _, operation) => {
        if (operation === 'list') fields.target_url = 'https://neighbour.invalid/hook'
      })
    },
  },
  {
    name: 'webhook-update-refused-with-subscription',
    summary: 'Refuses an update without credentials with 401, but returns the subscription.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS'],
    alter: refuseWithSubscription('update'),
  },
  {
    name: 'webhook-deletion-refused-with-subscription',
    summary: 'Refuses a deletion without credentials with 401, but returns the subscription.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS'],
    alter: refuseWithSubscription('delete'),
  },
  {
    name: 'webhook-envelope-of-another-claim',
    summary: 'Delivers changed claims that differ from those that a search returns for the same event.',
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: ({ webhooks }) => {
      webhooks.envelope.push((envelope) => {
        envelope.payload = { claims: { locale: 'fi' }, changedClaims: ['locale'] }
      })
    },
  },
  {
    name: 'webhook-envelope-with-empty-payload',
    summary: 'Delivers an empty payload for an event whose changed claims a search returns.',
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: ({ webhooks }) => {
      webhooks.envelope.push((envelope) => {
        envelope.payload = {}
      })
    },
  },
  {
    name: 'webhook-envelope-with-claims-null',
    summary: 'Delivers `null` in place of the changed claims that a search returns for the same event.',
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: ({ webhooks }) => {
      webhooks.envelope.push((envelope) => {
        envelope.payload = { claims: null, changedClaims: null }
      })
    },
  },
  {
    name: 'webhook-envelope-of-another-version',
    summary: 'Delivers a `version` that differs from the one that a search returns for the same event.',
    violates: ['WEBHOOK-DELIVERY-ENVELOPE'],
    alter: ({ webhooks }) => {
      webhooks.envelope.push((envelope) => {
        envelope.version = '7'
      })
    },
  },
])
