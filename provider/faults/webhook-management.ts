import { fieldsOf, jsonResponse } from '../http.ts'
import { webhookFaults } from './webhook-faults.ts'

/** Wrong responses and effects of list, get, update and delete. */
export const webhookManagementFaults = webhookFaults([
  {
    name: 'webhook-list-empty',
    summary: 'The list of subscriptions is always empty.',
    violates: ['WEBHOOK-SUBSCRIPTION-LIST'],
    alter: ({ webhooks }) => {
      webhooks.responses.push((response, operation) => {
        if (operation === 'list' && response.status === 200) response.body = []
      })
    },
  },
  {
    name: 'webhook-list-first-only',
    summary: 'The list of subscriptions contains only the oldest.',
    violates: ['WEBHOOK-SUBSCRIPTION-LIST'],
    alter: ({ webhooks }) => {
      webhooks.responses.push((response, operation) => {
        if (operation === 'list' && Array.isArray(response.body)) response.body = response.body.slice(0, 1)
      })
    },
  },
  {
    name: 'webhook-list-not-found',
    summary: 'The list of subscriptions returns 404.',
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
    summary: 'A get of a single subscription returns 404.',
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
    summary: 'A get returns a subscription with another id than the requested one.',
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
    name: 'webhook-update-not-applied',
    summary: 'An update returns 200 but changes nothing.',
    violates: ['WEBHOOK-SUBSCRIPTION-UPDATE'],
    alter: ({ webhooks }) => {
      webhooks.update = () => {}
    },
  },
  {
    name: 'webhook-update-shown-only',
    summary: 'The response to an update shows the change, but the change is not stored.',
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
    summary: 'An update adds its event_filters to the existing ones.',
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
    summary: 'An update of event_filters is stored and shown, but deliveries follow the old filters.',
    violates: ['WEBHOOK-DELIVERY-UPDATED'],
    alter: ({ webhooks }) => {
      const first = new WeakMap<readonly string[], readonly string[]>()
      const { passes } = webhooks
      webhooks.update = (subscription, changes) => {
        const before = subscription.event_filters
        Object.assign(subscription, changes)
        if (changes.event_filters) first.set(changes.event_filters, before)
      }
      webhooks.passes = (filters, event) => passes(first.get(filters) ?? filters, event)
    },
  },
  {
    name: 'webhook-update-drops-the-rest',
    summary: 'An update of event_filters removes the description.',
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
    summary: 'An update is refused with 405.',
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
    name: 'webhook-deleted-still-found',
    summary: 'A deleted subscription can still be read and is still listed.',
    violates: ['WEBHOOK-SUBSCRIPTION-DELETE'],
    alter: ({ webhooks }) => webhooks.afterDeletion.add('found'),
  },
  {
    name: 'webhook-delete-not-allowed',
    summary: 'A delete returns 405, but the subscription is deleted.',
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
    summary: 'Events are still pushed to a deleted subscription.',
    violates: ['WEBHOOK-DELIVERY-STOPS'],
    alter: ({ webhooks }) => webhooks.afterDeletion.add('delivered'),
  },
])
