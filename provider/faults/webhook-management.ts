import type { Alter } from '../alteration.ts'
import { fieldsOf, jsonResponse } from '../http.ts'
import type { Subscription } from '../webhook/behaviour.ts'
import { defineWebhookFaults } from './define-webhook-faults.ts'

function editUpdated(edit: (fields: Record<string, unknown>, subscription: Subscription) => void): Alter {
  return ({ webhooks }) =>
    webhooks.shown.push((fields, subscription, operation) => {
      if (operation === 'update') edit(fields, subscription)
    })
}

/** Violations of list, get, update and delete. */
export const webhookManagementFaults = defineWebhookFaults([
  {
    name: 'webhook-list-empty',
    summary: 'Returns an empty list of subscriptions.',
    violates: ['WEBHOOK-SUBSCRIPTION-LIST'],
    alter: ({ webhooks }) => {
      webhooks.responses.push((response, operation) => {
        if (operation === 'list' && response.status === 200) response.body = []
      })
    },
  },
  {
    name: 'webhook-list-first-only',
    summary: 'Lists only the oldest subscription.',
    violates: ['WEBHOOK-SUBSCRIPTION-LIST'],
    alter: ({ webhooks }) => {
      webhooks.responses.push((response, operation) => {
        if (operation === 'list' && Array.isArray(response.body)) response.body = response.body.slice(0, 1)
      })
    },
  },
  {
    name: 'webhook-list-not-found',
    summary: 'Returns 404 for the list of subscriptions.',
    violates: ['WEBHOOK-SUBSCRIPTION-LIST'],
    alter: ({ webhooks }) => {
      webhooks.responses.push((response, operation) => {
        if (operation === 'list' && response.status === 200)
          Object.assign(
            response,
            jsonResponse(404, { type: 'NOT_FOUND', message: 'There is no such resource.' }),
          )
      })
    },
  },
  {
    name: 'webhook-get-not-found',
    summary: 'Returns 404 for a GET of a single subscription.',
    violates: ['WEBHOOK-SUBSCRIPTION-GET'],
    alter: ({ webhooks }) => {
      webhooks.responses.push((response, operation) => {
        if (operation === 'get' && response.status === 200)
          Object.assign(
            response,
            jsonResponse(404, { type: 'NOT_FOUND', message: 'There is no such resource.' }),
          )
      })
    },
  },
  {
    name: 'webhook-get-gives-another',
    summary: 'Responds to a GET with a subscription whose `id` is not the requested one.',
    violates: ['WEBHOOK-SUBSCRIPTION-GET'],
    alter: ({ webhooks }) => {
      let requests = 0
      webhooks.shown.push((fields, { id }, operation) => {
        if (operation !== 'get') return
        requests += 1
        fields.id = `${id}-${requests}`
      })
    },
  },
  {
    name: 'webhook-get-status-flag',
    summary: 'Returns `true` as `status` for a GET.',
    violates: ['WEBHOOK-SUBSCRIPTION-GET'],
    alter: ({ webhooks }) =>
      webhooks.shown.push((fields, _, operation) => {
        if (operation === 'get') fields.status = true
      }),
  },
  {
    name: 'webhook-list-created-at-as-word',
    summary: 'Returns a word as `created_at` in the list of subscriptions.',
    violates: ['WEBHOOK-SUBSCRIPTION-LIST'],
    alter: ({ webhooks }) =>
      webhooks.shown.push((fields, _, operation) => {
        if (operation === 'list') fields.created_at = 'yesterday'
      }),
  },
  {
    name: 'webhook-list-with-other-filters',
    summary: 'Lists subscriptions with `event_filters` that are not their own.',
    violates: ['WEBHOOK-SUBSCRIPTION-LIST'],
    alter: ({ webhooks }) =>
      webhooks.shown.push((fields, _, operation) => {
        if (operation === 'list') fields.event_filters = ['user.created']
      }),
  },
  {
    name: 'webhook-list-with-filters-of-the-first',
    summary: 'Lists every subscription with the `event_filters` of the first one.',
    violates: ['WEBHOOK-SUBSCRIPTION-LIST'],
    alter: ({ webhooks }) =>
      webhooks.responses.push((response, operation) => {
        if (operation !== 'list' || !Array.isArray(response.body)) return
        const [first] = response.body
        for (const fields of response.body) fields.event_filters = first.event_filters
      }),
  },
  {
    name: 'webhook-list-descriptions-shortened',
    summary: 'Lists only the first word of descriptions.',
    violates: ['WEBHOOK-SUBSCRIPTION-LIST'],
    alter: ({ webhooks }) =>
      webhooks.shown.push((fields, { description }, operation) => {
        if (operation === 'list' && description !== undefined) fields.description = description.split(' ')[0]
      }),
  },
  {
    name: 'webhook-update-not-applied',
    summary: 'Returns 200 for an update but changes nothing.',
    violates: ['WEBHOOK-SUBSCRIPTION-UPDATE'],
    alter: ({ webhooks }) => {
      webhooks.update = () => {}
    },
  },
  {
    name: 'webhook-update-shown-only',
    summary: 'Shows the change in the response to an update but does not store it.',
    violates: ['WEBHOOK-SUBSCRIPTION-UPDATE'],
    alter: ({ webhooks }) => {
      webhooks.update = () => {}
      webhooks.responses.push((response, operation, { text }) => {
        const fields = fieldsOf(response)
        if (operation !== 'update' || response.status !== 200 || !fields) return
        const { secret: _, ...changes } = JSON.parse(text ?? '{}')
        Object.assign(fields, changes)
      })
    },
  },
  {
    name: 'webhook-update-adds-filters',
    summary: 'Adds the `event_filters` of an update to the existing ones.',
    violates: ['WEBHOOK-SUBSCRIPTION-UPDATE'],
    alter: ({ webhooks }) => {
      webhooks.update = (subscription, changes) => {
        const before = subscription.event_filters
        Object.assign(subscription, changes)
        subscription.event_filters = [...new Set([...before, ...(changes.event_filters ?? [])])]
      }
    },
  },
  {
    name: 'webhook-update-not-delivered',
    summary: 'Stores and shows updated `event_filters`, but delivers events by the old filters.',
    violates: ['WEBHOOK-DELIVERY-UPDATED'],
    alter: ({ webhooks }) => {
      const oldFilters = new WeakMap<readonly string[], readonly string[]>()
      const { passes } = webhooks
      webhooks.update = (subscription, changes) => {
        const before = subscription.event_filters
        Object.assign(subscription, changes)
        if (changes.event_filters) oldFilters.set(changes.event_filters, before)
      }
      webhooks.passes = (filters, event) => passes(oldFilters.get(filters) ?? filters, event)
    },
  },
  {
    name: 'webhook-update-drops-the-rest',
    summary: 'Removes the description when `event_filters` are updated.',
    violates: ['WEBHOOK-SUBSCRIPTION-UPDATE'],
    alter: ({ webhooks }) => {
      webhooks.update = (subscription, changes) => {
        delete subscription.description
        Object.assign(subscription, changes)
      }
    },
  },
  {
    name: 'webhook-update-not-allowed',
    summary: 'Returns 405 for an update.',
    violates: ['WEBHOOK-SUBSCRIPTION-UPDATE'],
    alter: ({ webhooks }) => {
      webhooks.update = () => {}
      webhooks.responses.push((response, operation) => {
        if (operation === 'update' && response.status === 200)
          Object.assign(response, jsonResponse(405, { type: 'METHOD_NOT_ALLOWED', message: 'Use PUT.' }))
      })
    },
  },
  {
    name: 'webhook-update-returns-another-id',
    summary: 'Returns the subscription with a different `id` for an update.',
    violates: ['WEBHOOK-SUBSCRIPTION-UPDATE-RESPONSE'],
    alter: editUpdated((fields, { id }) => {
      fields.id = `${id}-2`
    }),
  },
  {
    name: 'webhook-update-target-shortened',
    summary: 'Removes the path from `target_url` in the response to an update.',
    violates: ['WEBHOOK-SUBSCRIPTION-UPDATE-RESPONSE'],
    alter: editUpdated((fields, { target_url }) => {
      fields.target_url = new URL('/', target_url).href
    }),
  },
  {
    name: 'webhook-update-status-flag',
    summary: 'Returns `true` as `status` for an update.',
    violates: ['WEBHOOK-SUBSCRIPTION-UPDATE-RESPONSE'],
    alter: editUpdated((fields) => {
      fields.status = true
    }),
  },
  {
    name: 'webhook-update-filters-as-text',
    summary: 'Returns `event_filters` as a comma-separated string for an update.',
    violates: ['WEBHOOK-SUBSCRIPTION-UPDATE-RESPONSE'],
    alter: editUpdated((fields, { event_filters }) => {
      fields.event_filters = event_filters.join(',')
    }),
  },
  {
    name: 'webhook-update-created-at-seconds',
    summary: 'Returns `created_at` in the response to an update as a number of seconds since the epoch.',
    violates: ['WEBHOOK-SUBSCRIPTION-UPDATE-RESPONSE'],
    alter: editUpdated((fields, { createdAt }) => {
      fields.created_at = Math.floor(createdAt / 1000)
    }),
  },
  {
    name: 'webhook-deleted-still-found',
    summary: 'Lists and returns a deleted subscription.',
    violates: ['WEBHOOK-SUBSCRIPTION-DELETE'],
    alter: ({ webhooks }) => webhooks.afterDeletion.add('found'),
  },
  {
    name: 'webhook-deleted-still-listed',
    summary: 'Lists a deleted subscription, but does not return it for a GET.',
    violates: ['WEBHOOK-SUBSCRIPTION-DELETE'],
    alter: ({ webhooks }) => {
      const shown = new Map<string, Record<string, unknown>>()
      webhooks.shown.push((fields, { id }) => shown.set(id, fields))
      webhooks.responses.push((response, operation) => {
        if (operation === 'list' && response.status === 200) response.body = [...shown.values()]
      })
    },
  },
  {
    name: 'webhook-delete-not-allowed',
    summary: 'Returns 405 for a deletion, but deletes the subscription.',
    violates: ['WEBHOOK-SUBSCRIPTION-DELETE'],
    alter: ({ webhooks }) => {
      webhooks.responses.push((response, operation) => {
        if (operation === 'delete' && response.status === 204)
          Object.assign(response, jsonResponse(405, { type: 'METHOD_NOT_ALLOWED', message: 'Use POST.' }))
      })
    },
  },
  {
    name: 'webhook-deleted-still-delivered',
    summary: 'Delivers events to a deleted subscription.',
    violates: ['WEBHOOK-DELIVERY-STOPS'],
    alter: ({ webhooks }) => webhooks.afterDeletion.add('delivered'),
  },
])
