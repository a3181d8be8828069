import type { Alter } from '../alteration.ts'
import { jsonResponse } from '../http.ts'
import type { Subscription } from '../webhook/behaviour.ts'
import { defineWebhookFaults } from './define-webhook-faults.ts'

type Fields = Record<string, unknown>

function editCreated(edit: (fields: Fields, subscription: Subscription) => void): Alter {
  return ({ webhooks }) =>
    webhooks.shown.push((fields, subscription, operation) => {
      if (operation === 'create') edit(fields, subscription)
    })
}

const created = defineWebhookFaults([
  {
    name: 'webhook-create-answered-empty',
    summary: 'Returns 202 without a body for a creation.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE'],
    alter: ({ webhooks }) => {
      webhooks.responses.push((response, operation) => {
        if (operation === 'create' && response.status === 201)
          Object.assign(response, { status: 202, headers: {}, body: '' })
      })
    },
  },
  {
    name: 'webhook-create-answered-by-list',
    summary: 'Returns the subscription inside an array for a creation.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE'],
    alter: ({ webhooks }) => {
      webhooks.responses.push((response, operation) => {
        if (operation === 'create' && response.status === 201) response.body = [response.body]
      })
    },
  },
  {
    name: 'webhook-description-required',
    summary: 'Returns 400 for a subscription without a description.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE'],
    alter: ({ webhooks }) => webhooks.required.add('description'),
  },
  {
    name: 'webhook-description-refused',
    summary: 'Returns 400 for a subscription with a description.',
    violates: ['WEBHOOK-SUBSCRIPTION-DESCRIPTION'],
    alter: ({ webhooks }) => {
      webhooks.descriptionAccepted = false
    },
  },
  {
    name: 'webhook-id-missing',
    summary: 'Omits `id` from the response to a creation.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-ID'],
    alter: editCreated((fields) => {
      delete fields.id
    }),
  },
  {
    name: 'webhook-id-number',
    summary: 'Returns `id` as a number for a creation.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-ID'],
    alter: editCreated((fields, { id }) => {
      fields.id = Number.parseInt(id.slice(4, 12), 16)
    }),
  },
  {
    name: 'webhook-id-other-than-kept',
    summary: 'Responds to a creation with an `id` that belongs to no subscription.',
    violates: ['WEBHOOK-SUBSCRIPTION-GET'],
    consequences: ['WEBHOOK-SUBSCRIPTION-LIST'],
    alter: editCreated((fields, { id }) => {
      fields.id = id.toUpperCase()
    }),
  },
  {
    name: 'webhook-target-missing',
    summary: 'Omits `target_url` from the response to a creation.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-TARGET'],
    alter: editCreated((fields) => {
      delete fields.target_url
    }),
  },
  {
    name: 'webhook-target-shortened',
    summary: 'Removes the path from `target_url` in the response to a creation.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-TARGET'],
    alter: editCreated((fields, { target_url }) => {
      fields.target_url = new URL('/', target_url).href
    }),
  },
  {
    name: 'webhook-filters-missing',
    summary: 'Omits `event_filters` from the response to a creation.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-FILTERS'],
    alter: editCreated((fields) => {
      delete fields.event_filters
    }),
  },
  {
    name: 'webhook-filters-as-text',
    summary: 'Returns `event_filters` as a comma-separated string for a creation.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-FILTERS'],
    alter: editCreated((fields, { event_filters }) => {
      fields.event_filters = event_filters.join(',')
    }),
  },
  {
    name: 'webhook-filters-shown-empty',
    summary: 'Returns empty `event_filters` for every creation.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-FILTERS'],
    alter: editCreated((fields) => {
      fields.event_filters = []
    }),
  },
  {
    name: 'webhook-status-missing',
    summary: 'Omits `status` from the response to a creation.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-STATUS'],
    alter: editCreated((fields) => {
      delete fields.status
    }),
  },
  {
    name: 'webhook-status-flag',
    summary: 'Returns `true` as `status` for a creation.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-STATUS'],
    alter: editCreated((fields) => {
      fields.status = true
    }),
  },
  {
    name: 'webhook-created-at-missing',
    summary: 'Omits `created_at` from the response to a creation.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT'],
    alter: editCreated((fields) => {
      delete fields.created_at
    }),
  },
  {
    name: 'webhook-created-at-without-zone',
    summary: 'Returns `created_at` without a zone for a creation.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT'],
    alter: editCreated((fields) => {
      fields.created_at = String(fields.created_at).replace('Z', '')
    }),
  },
  {
    name: 'webhook-created-at-local',
    summary: 'Returns `created_at` as a local time with an offset for a creation.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT'],
    alter: editCreated((fields, { createdAt }) => {
      fields.created_at = `${new Date(createdAt + 3 * 3_600_000).toISOString().slice(0, -1)}+03:00`
    }),
  },
  {
    name: 'webhook-created-at-seconds',
    summary: 'Returns `created_at` in the response to a creation as a number of seconds since the epoch.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT'],
    alter: editCreated((fields, { createdAt }) => {
      fields.created_at = Math.floor(createdAt / 1000)
    }),
  },
])

const accepted = defineWebhookFaults([
  {
    name: 'webhook-target-optional',
    summary: 'Accepts a subscription without `target_url`.',
    violates: ['WEBHOOK-SUBSCRIPTION-TARGET-REQUIRED'],
    alter: ({ webhooks }) => webhooks.required.delete('target_url'),
  },
  {
    name: 'webhook-secret-optional',
    summary: 'Accepts a subscription without `secret`.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-REQUIRED'],
    alter: ({ webhooks }) => webhooks.required.delete('secret'),
  },
  {
    name: 'webhook-filters-optional',
    summary: 'Accepts a subscription without `event_filters`.',
    violates: ['WEBHOOK-SUBSCRIPTION-FILTERS-REQUIRED'],
    alter: ({ webhooks }) => webhooks.required.delete('event_filters'),
  },
  {
    name: 'webhook-target-without-tls',
    summary: 'Accepts an `http` URL as `target_url`.',
    violates: ['WEBHOOK-SUBSCRIPTION-TARGET-HTTPS'],
    alter: ({ webhooks }) => {
      webhooks.targetAccepted = ({ protocol }) => /^https?:$/.test(protocol)
    },
  },
  {
    name: 'webhook-secret-one-short',
    summary: 'Accepts a secret of 31 characters.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-LENGTH'],
    alter: ({ webhooks }) => {
      webhooks.secretAccepted = (secret) => secret.length >= 31
    },
  },
  {
    name: 'webhook-created-though-refused',
    summary: 'Returns 400 for a creation with a short secret, but creates the subscription.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-LENGTH'],
    alter: ({ webhooks }) => {
      webhooks.secretAccepted = () => true
      webhooks.responses.push((response, operation, { text }) => {
        if (operation === 'create' && response.status === 201 && JSON.parse(text ?? '{}').secret.length < 32)
          Object.assign(response, jsonResponse(400, { type: 'BAD_REQUEST', message: 'secret is too short' }))
      })
    },
  },
  {
    name: 'webhook-short-secret-for-known-types',
    summary: 'Accepts any secret, and rejects `event_filters` with a type that it does not emit.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-LENGTH'],
    alter: ({ webhooks }) => {
      webhooks.secretAccepted = () => true
      webhooks.typesAccepted = (types) => types.every((type) => type === 'ClaimValuesChanged')
    },
  },
  {
    name: 'webhook-secret-of-any-length',
    summary: 'Accepts a secret of any length.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-LENGTH'],
    alter: ({ webhooks }) => {
      webhooks.secretAccepted = () => true
    },
  },
])

export const webhookCreationFaults = [...created, ...accepted]
