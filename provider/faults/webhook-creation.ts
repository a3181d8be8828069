import type { Alter } from '../alteration.ts'
import { jsonResponse } from '../http.ts'
import type { Subscription } from '../webhook/behaviour.ts'
import { webhookFaults } from './webhook-faults.ts'

type Fields = Record<string, unknown>

/** Edits the subscription in the response to a create. */
function editCreated(edit: (fields: Fields, subscription: Subscription) => void): Alter {
  return ({ webhooks }) =>
    webhooks.shown.push((fields, subscription, operation) => {
      if (operation === 'create') edit(fields, subscription)
    })
}

const created = webhookFaults([
  {
    name: 'webhook-create-answered-empty',
    summary: 'A create returns 202 without a body.',
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
    summary: 'A create returns an array that contains the subscription.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE'],
    alter: ({ webhooks }) => {
      webhooks.responses.push((response, operation) => {
        if (operation === 'create' && response.status === 201) response.body = [response.body]
      })
    },
  },
  {
    name: 'webhook-description-required',
    summary: 'A subscription without a description is refused with 400.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE'],
    alter: ({ webhooks }) => webhooks.required.add('description'),
  },
  {
    name: 'webhook-description-refused',
    summary: 'A subscription with a description is refused with 400.',
    violates: ['WEBHOOK-SUBSCRIPTION-DESCRIPTION'],
    alter: ({ webhooks }) => {
      webhooks.descriptionAccepted = false
    },
  },
  {
    name: 'webhook-id-missing',
    summary: 'The response to a create has no id.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-ID'],
    alter: editCreated((fields) => {
      delete fields.id
    }),
  },
  {
    name: 'webhook-id-number',
    summary: 'The id in the response to a create is a number.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-ID'],
    alter: editCreated((fields, { id }) => {
      fields.id = Number.parseInt(id.slice(4, 12), 16)
    }),
  },
  {
    name: 'webhook-id-other-than-kept',
    summary: 'The id in the response to a create belongs to no subscription.',
    violates: ['WEBHOOK-SUBSCRIPTION-GET'],
    consequences: ['WEBHOOK-SUBSCRIPTION-LIST'],
    alter: editCreated((fields, { id }) => {
      fields.id = id.toUpperCase()
    }),
  },
  {
    name: 'webhook-target-missing',
    summary: 'The response to a create has no target_url.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-TARGET'],
    alter: editCreated((fields) => {
      delete fields.target_url
    }),
  },
  {
    name: 'webhook-target-shortened',
    summary: 'The target_url in the response to a create has no path.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-TARGET'],
    alter: editCreated((fields, { target_url }) => {
      fields.target_url = new URL('/', target_url).href
    }),
  },
  {
    name: 'webhook-filters-missing',
    summary: 'The response to a create has no event_filters.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-FILTERS'],
    alter: editCreated((fields) => {
      delete fields.event_filters
    }),
  },
  {
    name: 'webhook-filters-as-text',
    summary: 'The event_filters in the response to a create are a string with commas.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-FILTERS'],
    alter: editCreated((fields, { event_filters }) => {
      fields.event_filters = event_filters.join(',')
    }),
  },
  {
    name: 'webhook-filters-shown-empty',
    summary: 'The event_filters in the response to a create are always empty.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-FILTERS'],
    alter: editCreated((fields) => {
      fields.event_filters = []
    }),
  },
  {
    name: 'webhook-status-missing',
    summary: 'The response to a create has no status.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-STATUS'],
    alter: editCreated((fields) => {
      delete fields.status
    }),
  },
  {
    name: 'webhook-status-flag',
    summary: 'The status in the response to a create is true.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-STATUS'],
    alter: editCreated((fields) => {
      fields.status = true
    }),
  },
  {
    name: 'webhook-created-at-missing',
    summary: 'The response to a create has no created_at.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT'],
    alter: editCreated((fields) => {
      delete fields.created_at
    }),
  },
  {
    name: 'webhook-created-at-without-zone',
    summary: 'created_at has no zone.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT'],
    alter: editCreated((fields) => {
      fields.created_at = String(fields.created_at).replace('Z', '')
    }),
  },
  {
    name: 'webhook-created-at-local',
    summary: 'created_at is a local time with its offset.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT'],
    alter: editCreated((fields, { createdAt }) => {
      fields.created_at = `${new Date(createdAt + 3 * 3_600_000).toISOString().slice(0, -1)}+03:00`
    }),
  },
  {
    name: 'webhook-created-at-seconds',
    summary: 'created_at is a number of seconds since the epoch.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT'],
    alter: editCreated((fields, { createdAt }) => {
      fields.created_at = Math.floor(createdAt / 1000)
    }),
  },
])

const accepted = webhookFaults([
  {
    name: 'webhook-target-optional',
    summary: 'A subscription without a target_url is accepted.',
    violates: ['WEBHOOK-SUBSCRIPTION-TARGET-REQUIRED'],
    alter: ({ webhooks }) => webhooks.required.delete('target_url'),
  },
  {
    name: 'webhook-secret-optional',
    summary: 'A subscription without a secret is accepted.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-REQUIRED'],
    alter: ({ webhooks }) => webhooks.required.delete('secret'),
  },
  {
    name: 'webhook-filters-optional',
    summary: 'A subscription without event_filters is accepted.',
    violates: ['WEBHOOK-SUBSCRIPTION-FILTERS-REQUIRED'],
    alter: ({ webhooks }) => webhooks.required.delete('event_filters'),
  },
  {
    name: 'webhook-target-without-tls',
    summary: 'An http target_url is accepted.',
    violates: ['WEBHOOK-SUBSCRIPTION-TARGET-HTTPS'],
    alter: ({ webhooks }) => {
      webhooks.targetAccepted = ({ protocol }) => /^https?:$/.test(protocol)
    },
  },
  {
    name: 'webhook-secret-one-short',
    summary: 'A secret of 31 characters is accepted.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-LENGTH'],
    alter: ({ webhooks }) => {
      webhooks.secretAccepted = (secret) => secret.length >= 31
    },
  },
  {
    name: 'webhook-created-though-refused',
    summary: 'A create with a short secret returns 400, but the subscription is created.',
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
    summary: 'Any secret is accepted, and event_filters with a type that is not emitted are refused.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-LENGTH'],
    alter: ({ webhooks }) => {
      webhooks.secretAccepted = () => true
      webhooks.typesAccepted = (types) => types.every((type) => type === 'ClaimValuesChanged')
    },
  },
  {
    name: 'webhook-secret-of-any-length',
    summary: 'Any secret is accepted.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-LENGTH'],
    alter: ({ webhooks }) => {
      webhooks.secretAccepted = () => true
    },
  },
])

export const webhookCreationFaults = [...created, ...accepted]
