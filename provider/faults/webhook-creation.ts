import type { Behaviour } from '../behaviour.ts'
import { jsonAnswer } from '../http.ts'
import type { Subscription } from '../webhook/behaviour.ts'
import { webhookFaultsOf } from './webhook-fault.ts'

type Fields = Record<string, unknown>

/** Edits what a create shows of the new subscription. */
function onCreated(
  { webhooks }: Behaviour,
  edit: (fields: Fields, subscription: Subscription) => void,
): void {
  webhooks.shown.push((fields, subscription, operation) => {
    if (operation === 'create') edit(fields, subscription)
  })
}

const created = webhookFaultsOf([
  {
    name: 'webhook-create-answered-empty',
    summary: 'A subscription is created, and the answer is a 202 without a body.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE'],
    alter: ({ webhooks }) => {
      webhooks.answers.push((answer, operation) => {
        if (operation === 'create' && answer.status === 201)
          Object.assign(answer, { status: 202, headers: {}, body: '' })
      })
    },
  },
  {
    name: 'webhook-create-answered-by-list',
    summary: 'A create is answered with an array that holds the subscription.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE'],
    alter: ({ webhooks }) => {
      webhooks.answers.push((answer, operation) => {
        if (operation === 'create' && answer.status === 201) answer.body = [answer.body]
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
    summary: 'A create does not say the id of the subscription.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-ID'],
    alter: (behaviour) =>
      onCreated(behaviour, (fields) => {
        delete fields.id
      }),
  },
  {
    name: 'webhook-id-number',
    summary: 'The id in the answer to a create is a number.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-ID'],
    alter: (behaviour) =>
      onCreated(behaviour, (fields, { id }) => {
        fields.id = Number.parseInt(id.slice(4, 12), 16)
      }),
  },
  {
    name: 'webhook-id-other-than-kept',
    summary: 'The id in the answer to a create is that of no subscription.',
    violates: ['WEBHOOK-SUBSCRIPTION-GET'],
    consequences: ['WEBHOOK-SUBSCRIPTION-LIST'],
    alter: (behaviour) =>
      onCreated(behaviour, (fields, { id }) => {
        fields.id = id.toUpperCase()
      }),
  },
  {
    name: 'webhook-target-missing',
    summary: 'A create does not say the target_url.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-TARGET'],
    alter: (behaviour) =>
      onCreated(behaviour, (fields) => {
        delete fields.target_url
      }),
  },
  {
    name: 'webhook-target-shortened',
    summary: 'The target_url in the answer to a create has lost its path.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-TARGET'],
    alter: (behaviour) =>
      onCreated(behaviour, (fields, { target_url }) => {
        fields.target_url = new URL('/', target_url).href
      }),
  },
  {
    name: 'webhook-filters-missing',
    summary: 'A create does not say the event_filters.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-FILTERS'],
    alter: (behaviour) =>
      onCreated(behaviour, (fields) => {
        delete fields.event_filters
      }),
  },
  {
    name: 'webhook-filters-as-text',
    summary: 'The event_filters in the answer to a create are a string with commas.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-FILTERS'],
    alter: (behaviour) =>
      onCreated(behaviour, (fields, { event_filters }) => {
        fields.event_filters = event_filters.join(',')
      }),
  },
  {
    name: 'webhook-filters-shown-empty',
    summary: 'The event_filters in the answer to a create are empty, whatever was asked for.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-FILTERS'],
    alter: (behaviour) =>
      onCreated(behaviour, (fields) => {
        fields.event_filters = []
      }),
  },
  {
    name: 'webhook-status-missing',
    summary: 'A create does not say the status of the subscription.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-STATUS'],
    alter: (behaviour) =>
      onCreated(behaviour, (fields) => {
        delete fields.status
      }),
  },
  {
    name: 'webhook-status-flag',
    summary: 'The status in the answer to a create is true.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-STATUS'],
    alter: (behaviour) =>
      onCreated(behaviour, (fields) => {
        fields.status = true
      }),
  },
  {
    name: 'webhook-created-at-missing',
    summary: 'A create does not say when the subscription was created.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT'],
    alter: (behaviour) =>
      onCreated(behaviour, (fields) => {
        delete fields.created_at
      }),
  },
  {
    name: 'webhook-created-at-without-zone',
    summary: 'created_at has no zone.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT'],
    alter: (behaviour) =>
      onCreated(behaviour, (fields) => {
        fields.created_at = String(fields.created_at).replace('Z', '')
      }),
  },
  {
    name: 'webhook-created-at-local',
    summary: 'created_at is a local time with its offset.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT'],
    alter: (behaviour) =>
      onCreated(behaviour, (fields, { createdAt }) => {
        fields.created_at = `${new Date(createdAt + 3 * 3_600_000).toISOString().slice(0, -1)}+03:00`
      }),
  },
  {
    name: 'webhook-created-at-seconds',
    summary: 'created_at counts seconds since the epoch.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT'],
    alter: (behaviour) =>
      onCreated(behaviour, (fields, { createdAt }) => {
        fields.created_at = Math.floor(createdAt / 1000)
      }),
  },
])

const accepted = webhookFaultsOf([
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
    summary: 'A creation with a short secret is answered 400, and the subscription is there all the same.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-LENGTH'],
    alter: ({ webhooks }) => {
      webhooks.secretAccepted = () => true
      webhooks.answers.push((answer, operation, { text }) => {
        if (operation === 'create' && answer.status === 201 && JSON.parse(text ?? '{}').secret.length < 32)
          Object.assign(answer, jsonAnswer(400, { type: 'BAD_REQUEST', message: 'secret is too short' }))
      })
    },
  },
  {
    name: 'webhook-short-secret-for-known-types',
    summary: 'Secrets may have any length, and event_filters of a type that is not emitted are refused.',
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
