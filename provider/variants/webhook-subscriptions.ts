import { fieldsOf, jsonResponse } from '../http.ts'
import type { Subscription } from '../webhook/behaviour.ts'
import { defineWebhookVariants } from './define-webhook-variants.ts'
import { AUTHENTICATION, FIELD_ERRORS } from './webhook-errors.ts'

const CREATE = [
  'WEBHOOK-SUBSCRIPTION-CREATE',
  'WEBHOOK-SUBSCRIPTION-CREATE-ID',
  'WEBHOOK-SUBSCRIPTION-CREATE-TARGET',
  'WEBHOOK-SUBSCRIPTION-CREATE-FILTERS',
  'WEBHOOK-SUBSCRIPTION-CREATE-STATUS',
  'WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT',
]

const UPDATE = ['WEBHOOK-SUBSCRIPTION-UPDATE', 'WEBHOOK-SUBSCRIPTION-UPDATE-RESPONSE']

const RESPONSE_NOT_SHOWN = 'The response to this operation is not specified.'

/** A provider with webhooks, and lawful responses of subscription management. */
export const webhookSubscriptionVariants = defineWebhookVariants([
  {
    name: 'webhooks',
    summary: 'Supports webhook subscriptions, and delivers events to them.',
    concerns: [
      ...CREATE,
      ...FIELD_ERRORS,
      ...AUTHENTICATION,
      'WEBHOOK-DELIVERY-POST',
      'WEBHOOK-RETRY-TIMEOUT',
      'WEBHOOK-RECEIVER-TIME',
    ],
    unspecified: 'Webhooks are planned and not available.',
  },
  {
    name: 'webhook-create-200',
    summary: 'Returns 200 for a creation.',
    concerns: CREATE,
    unspecified: 'The status of a creation is not specified.',
    alter: ({ responses }) =>
      responses.push((response, operation) => {
        if (operation === 'create' && response.status === 201) response.status = 200
      }),
  },
  {
    name: 'webhook-delete-200',
    summary: 'Returns 200 for a deletion, and the subscription with the status `deleted`.',
    concerns: ['WEBHOOK-SUBSCRIPTION-DELETE'],
    unspecified: RESPONSE_NOT_SHOWN,
    alter: ({ responses }) =>
      responses.push((response, operation, { path }) => {
        if (operation === 'delete' && response.status === 204)
          Object.assign(response, jsonResponse(200, { id: path.split('/').at(-1), status: 'deleted' }))
      }),
  },
  {
    name: 'webhook-update-204',
    summary: 'Returns 204 without a body for an update.',
    concerns: ['WEBHOOK-SUBSCRIPTION-UPDATE', 'WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD'],
    unspecified: RESPONSE_NOT_SHOWN,
    alter: ({ responses }) =>
      responses.push((response, operation) => {
        if (operation === 'update' && response.status === 200)
          Object.assign(response, { status: 204, headers: {}, body: undefined })
      }),
  },
  {
    name: 'webhook-update-returns-changes',
    summary: 'Returns only the changed members and an `id` of the change for an update.',
    concerns: UPDATE,
    unspecified: RESPONSE_NOT_SHOWN,
    alter: ({ responses }) =>
      responses.push((response, operation) => {
        const fields = fieldsOf(response)
        if (operation === 'update' && response.status === 200 && fields)
          response.body = { id: 'change-1', event_filters: fields.event_filters }
      }),
  },
  {
    name: 'webhook-update-in-envelope',
    summary: 'Returns the updated subscription inside an object with an `id` and a `status` of its own.',
    concerns: UPDATE,
    unspecified: RESPONSE_NOT_SHOWN,
    mustPass: ['WEBHOOK-SUBSCRIPTION-UPDATE-RESPONSE'],
    alter: ({ responses }) =>
      responses.push((response, operation) => {
        if (operation === 'update' && response.status === 200)
          response.body = { id: 7, status: 200, subscription: response.body }
      }),
  },
  {
    name: 'webhook-update-renews-created-at',
    summary: 'Returns the time of the update as `created_at` for an update.',
    concerns: UPDATE,
    unspecified: RESPONSE_NOT_SHOWN,
    mustPass: ['WEBHOOK-SUBSCRIPTION-UPDATE-RESPONSE'],
    alter: ({ shown }) =>
      shown.push((fields, _, operation) => {
        if (operation === 'update') fields.created_at = new Date().toISOString()
      }),
  },
  {
    name: 'webhook-list-in-items',
    summary: 'Returns the list of subscriptions in the member `items` of an object.',
    concerns: ['WEBHOOK-SUBSCRIPTION-LIST', 'WEBHOOK-SUBSCRIPTION-DELETE'],
    unspecified: RESPONSE_NOT_SHOWN,
    alter: ({ responses }) =>
      responses.push((response, operation) => {
        if (operation === 'list' && Array.isArray(response.body))
          response.body = { items: response.body, total: response.body.length }
      }),
  },
  {
    name: 'webhook-list-in-subscriptions',
    summary: 'Returns the list of subscriptions in the member `subscriptions` of an object.',
    concerns: ['WEBHOOK-SUBSCRIPTION-LIST', 'WEBHOOK-SUBSCRIPTION-DELETE'],
    unspecified: RESPONSE_NOT_SHOWN,
    alter: ({ responses }) =>
      responses.push((response, operation) => {
        if (operation === 'list' && Array.isArray(response.body))
          response.body = { subscriptions: response.body }
      }),
  },
  {
    name: 'webhook-list-filters-in-another-order',
    summary: 'Returns `event_filters` sorted in the list, and no `target_url` or description.',
    concerns: ['WEBHOOK-SUBSCRIPTION-LIST'],
    unspecified: RESPONSE_NOT_SHOWN,
    mustPass: ['WEBHOOK-SUBSCRIPTION-LIST'],
    alter: ({ shown }) =>
      shown.push((fields, { event_filters: filters }, operation) => {
        if (operation !== 'list') return
        fields.event_filters = [...filters].sort()
        delete fields.target_url
        delete fields.description
      }),
  },
  {
    name: 'webhook-subscription-extra-members',
    summary: 'Returns subscriptions with undocumented members, and members in a different order.',
    concerns: [...CREATE, 'WEBHOOK-SUBSCRIPTION-GET', 'WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD'],
    unspecified: 'Additional members are not excluded.',
    alter: ({ shown }) =>
      shown.push((fields) => {
        const entries = Object.entries(fields).reverse()
        for (const name of Object.keys(fields)) delete fields[name]
        Object.assign(fields, {
          secret_set: true,
          delivery: { attempts: 5 },
          ...Object.fromEntries(entries),
          updated_at: null,
        })
      }),
  },
  {
    name: 'webhook-description-not-shown',
    summary: 'Omits the description of a subscription from responses.',
    concerns: ['WEBHOOK-SUBSCRIPTION-CREATE', 'WEBHOOK-SUBSCRIPTION-UPDATE', 'WEBHOOK-SUBSCRIPTION-GET'],
    unspecified: 'The documented response to a creation contains no description.',
    alter: ({ shown }) =>
      shown.push((fields) => {
        delete fields.description
      }),
  },
  {
    name: 'webhook-created-at-without-fraction',
    summary: 'Returns `created_at` without a fraction of a second.',
    concerns: ['WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT'],
    unspecified: 'The precision of the timestamp is not specified.',
    alter: ({ shown }) =>
      shown.push((fields) => {
        fields.created_at = String(fields.created_at).replace(/\.\d+/, '')
      }),
  },
  {
    name: 'webhook-created-at-with-zero-offset',
    summary: 'Returns `created_at` with +00:00 instead of Z.',
    concerns: ['WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT'],
    unspecified: 'ISO 8601 allows Z and +00:00 for UTC; only the envelope requires Z.',
    alter: ({ shown }) =>
      shown.push((fields) => {
        fields.created_at = String(fields.created_at).replace('Z', '+00:00')
      }),
  },
  {
    name: 'webhook-status-moves-on',
    summary: 'Changes the status of a subscription to `verified` after its creation.',
    concerns: [
      'WEBHOOK-SUBSCRIPTION-CREATE-STATUS',
      'WEBHOOK-SUBSCRIPTION-GET',
      'WEBHOOK-SUBSCRIPTION-LIST',
      'WEBHOOK-SUBSCRIPTION-UPDATE',
    ],
    unspecified: 'Other values of status, and its changes, are not specified.',
    alter: ({ shown }) =>
      shown.push((fields, _, operation) => {
        if (operation !== 'create') fields.status = 'verified'
      }),
  },
  {
    name: 'webhook-deleted-still-shown',
    summary: 'Lists and returns a deleted subscription, with the status `deleted`.',
    concerns: ['WEBHOOK-SUBSCRIPTION-DELETE', 'WEBHOOK-DELIVERY-STOPS'],
    unspecified: 'Other values of status, and the fate of a deleted subscription, are not specified.',
    alter: ({ afterDeletion, shown }) => {
      afterDeletion.add('found')
      shown.push((fields, { deleted }) => {
        if (deleted) fields.status = 'deleted'
      })
    },
  },
  {
    name: 'webhook-secret-hint',
    summary: 'Returns the last eight characters of the secret.',
    concerns: ['WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD'],
    unspecified: 'A few characters of a secret do not disclose it.',
    alter: ({ shown }) =>
      shown.push((fields, { secret }) => {
        fields.secret = `…${secret.slice(-8)}`
      }),
  },
  {
    name: 'webhook-changes-seen-later',
    summary: 'Shows changes of subscriptions after 100 ms.',
    concerns: [
      'WEBHOOK-SUBSCRIPTION-LIST',
      'WEBHOOK-SUBSCRIPTION-GET',
      'WEBHOOK-SUBSCRIPTION-UPDATE',
      'WEBHOOK-SUBSCRIPTION-DELETE',
    ],
    unspecified: 'How soon a change becomes visible is not specified.',
    mustPass: [
      'WEBHOOK-SUBSCRIPTION-LIST',
      'WEBHOOK-SUBSCRIPTION-GET',
      'WEBHOOK-SUBSCRIPTION-UPDATE',
      'WEBHOOK-SUBSCRIPTION-DELETE',
    ],
    alter: (webhooks) => {
      const delayMs = 100
      const { visible, update } = webhooks
      const deletionsSeen = new WeakMap<Subscription, number>()
      webhooks.afterDeletion.add('found')
      webhooks.visible = (partner, subscription) => {
        const { createdAt, deleted } = subscription
        if (deleted && !deletionsSeen.has(subscription)) deletionsSeen.set(subscription, Date.now())
        const deletedAt = deletionsSeen.get(subscription) ?? Number.POSITIVE_INFINITY
        const now = Date.now()
        return visible(partner, subscription) && now >= createdAt + delayMs && now < deletedAt + delayMs
      }
      webhooks.update = (subscription, changes) =>
        void setTimeout(() => update(subscription, changes), delayMs).unref()
    },
  },
  {
    name: 'webhook-list-in-pages',
    summary: 'Returns the list of subscriptions in pages, the oldest first.',
    concerns: ['WEBHOOK-SUBSCRIPTION-LIST'],
    unspecified: RESPONSE_NOT_SHOWN,
    mustBeInconclusive: ['WEBHOOK-SUBSCRIPTION-LIST'],
    alter: ({ responses }) =>
      responses.push((response, operation) => {
        if (operation === 'list' && Array.isArray(response.body))
          response.body = { items: response.body.slice(0, 1), next: 'page-2' }
      }),
  },
])
