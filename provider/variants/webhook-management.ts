import { fieldsOf, jsonAnswer } from '../http.ts'
import type { Subscription } from '../webhook/behaviour.ts'
import { pushing } from './webhook-variant.ts'

const created = [
  'WEBHOOK-SUBSCRIPTION-CREATE',
  'WEBHOOK-SUBSCRIPTION-CREATE-ID',
  'WEBHOOK-SUBSCRIPTION-CREATE-TARGET',
  'WEBHOOK-SUBSCRIPTION-CREATE-FILTERS',
  'WEBHOOK-SUBSCRIPTION-CREATE-STATUS',
  'WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT',
]

const refusals = [
  'WEBHOOK-SUBSCRIPTION-TARGET-REQUIRED',
  'WEBHOOK-SUBSCRIPTION-SECRET-REQUIRED',
  'WEBHOOK-SUBSCRIPTION-FILTERS-REQUIRED',
  'WEBHOOK-SUBSCRIPTION-TARGET-HTTPS',
  'WEBHOOK-SUBSCRIPTION-SECRET-LENGTH',
]

const shut = ['WEBHOOK-SUBSCRIPTION-CREDENTIALS', 'WEBHOOK-SUBSCRIPTION-NO-OAUTH']

const errorsNotShown = 'Error responses of subscription management are not shown.'
const answersNotShown = 'The answer to this operation is not shown.'

/** Webhooks themselves, and lawful ways to manage subscriptions. */
export const webhookManagementVariants = pushing([
  {
    name: 'webhooks',
    summary: 'Webhook subscriptions can be managed, and events are pushed to them.',
    concerns: [
      ...created,
      ...refusals,
      ...shut,
      'WEBHOOK-DELIVERY-POST',
      'WEBHOOK-RETRY-TIMEOUT',
      'WEBHOOK-RECEIVER-TIME',
    ],
    ambiguity: 'Webhooks are planned and not available.',
  },
  {
    name: 'webhook-create-200',
    summary: 'A create is answered with 200.',
    concerns: created,
    ambiguity: 'The status of a create is not shown.',
    alter: ({ answers }) =>
      answers.push((answer, operation) => {
        if (operation === 'create' && answer.status === 201) answer.status = 200
      }),
  },
  {
    name: 'webhook-delete-200',
    summary: 'A deletion is answered with 200 and the subscription, whose status is deleted.',
    concerns: ['WEBHOOK-SUBSCRIPTION-DELETE'],
    ambiguity: answersNotShown,
    alter: ({ answers }) =>
      answers.push((answer, operation, { path }) => {
        if (operation === 'delete' && answer.status === 204)
          Object.assign(answer, jsonAnswer(200, { id: path.split('/').at(-1), status: 'deleted' }))
      }),
  },
  {
    name: 'webhook-update-204',
    summary: 'An update is answered with 204 and no body.',
    concerns: ['WEBHOOK-SUBSCRIPTION-UPDATE', 'WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD'],
    ambiguity: answersNotShown,
    alter: ({ answers }) =>
      answers.push((answer, operation) => {
        if (operation === 'update' && answer.status === 200)
          Object.assign(answer, { status: 204, headers: {}, body: undefined })
      }),
  },
  {
    name: 'webhook-list-in-items',
    summary: 'The list of subscriptions is an object with items.',
    concerns: ['WEBHOOK-SUBSCRIPTION-LIST', 'WEBHOOK-SUBSCRIPTION-DELETE'],
    ambiguity: answersNotShown,
    alter: ({ answers }) =>
      answers.push((answer, operation) => {
        if (operation === 'list' && Array.isArray(answer.body))
          answer.body = { items: answer.body, total: answer.body.length }
      }),
  },
  {
    name: 'webhook-list-in-subscriptions',
    summary: 'The list of subscriptions is an object with subscriptions.',
    concerns: ['WEBHOOK-SUBSCRIPTION-LIST', 'WEBHOOK-SUBSCRIPTION-DELETE'],
    ambiguity: answersNotShown,
    alter: ({ answers }) =>
      answers.push((answer, operation) => {
        if (operation === 'list' && Array.isArray(answer.body)) answer.body = { subscriptions: answer.body }
      }),
  },
  {
    name: 'webhook-subscription-extra-members',
    summary: 'Subscriptions have members that nobody has documented, in another order.',
    concerns: [...created, 'WEBHOOK-SUBSCRIPTION-GET', 'WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD'],
    ambiguity: 'Further members are not excluded.',
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
    summary: 'The description of a subscription is kept to itself.',
    concerns: ['WEBHOOK-SUBSCRIPTION-CREATE', 'WEBHOOK-SUBSCRIPTION-UPDATE', 'WEBHOOK-SUBSCRIPTION-GET'],
    ambiguity: 'The answer to a create is shown without it.',
    alter: ({ shown }) =>
      shown.push((fields) => {
        delete fields.description
      }),
  },
  {
    name: 'webhook-created-at-without-fraction',
    summary: 'created_at has whole seconds.',
    concerns: ['WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT'],
    ambiguity: 'The precision of the timestamp is not said.',
    alter: ({ shown }) =>
      shown.push((fields) => {
        fields.created_at = String(fields.created_at).replace(/\.\d+/, '')
      }),
  },
  {
    name: 'webhook-created-at-with-zero-offset',
    summary: 'created_at ends with +00:00.',
    concerns: ['WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT'],
    ambiguity: 'ISO 8601 writes UTC as Z and as +00:00; only for the envelope is the Z asked for.',
    alter: ({ shown }) =>
      shown.push((fields) => {
        fields.created_at = String(fields.created_at).replace('Z', '+00:00')
      }),
  },
  {
    name: 'webhook-status-moves-on',
    summary: 'After its creation a subscription has the status verified.',
    concerns: [
      'WEBHOOK-SUBSCRIPTION-CREATE-STATUS',
      'WEBHOOK-SUBSCRIPTION-GET',
      'WEBHOOK-SUBSCRIPTION-LIST',
      'WEBHOOK-SUBSCRIPTION-UPDATE',
    ],
    ambiguity: 'Other values of status, and what changes it, are not shown.',
    alter: ({ shown }) =>
      shown.push((fields, _, operation) => {
        if (operation !== 'create') fields.status = 'verified'
      }),
  },
  {
    name: 'webhook-refusals-422',
    summary: 'A subscription that cannot be kept is refused with 422 and a list of errors.',
    concerns: refusals,
    ambiguity: errorsNotShown,
    alter: ({ answers }) =>
      answers.push((answer) => {
        if (answer.status === 400)
          Object.assign(answer, jsonAnswer(422, { errors: [fieldsOf(answer)?.message] }))
      }),
  },
  {
    name: 'webhook-refusals-without-body',
    summary: 'Whatever subscription management refuses is answered without a body.',
    concerns: [...refusals, ...shut],
    ambiguity: errorsNotShown,
    alter: ({ answers }) =>
      answers.push((answer) => {
        if (answer.status >= 400) Object.assign(answer, { headers: {}, body: undefined })
      }),
  },
  {
    name: 'webhook-credentials-403',
    summary: 'Missing or wrong partner credentials are refused with 403.',
    concerns: shut,
    ambiguity: errorsNotShown,
    alter: ({ answers }) =>
      answers.push((answer) => {
        if (answer.status === 401) answer.status = 403
      }),
  },
  {
    name: 'webhook-credentials-404',
    summary: 'Without partner credentials there is nothing to be found: 404.',
    concerns: shut,
    ambiguity: errorsNotShown,
    alter: ({ answers }) =>
      answers.push((answer) => {
        if (answer.status === 401 || answer.status === 403) answer.status = 404
      }),
  },
  {
    name: 'webhook-deleted-gone',
    summary: 'A subscription that is not there is answered with 410.',
    concerns: ['WEBHOOK-SUBSCRIPTION-DELETE'],
    ambiguity: errorsNotShown,
    alter: ({ answers }) =>
      answers.push((answer) => {
        if (answer.status === 404) answer.status = 410
      }),
  },
  {
    name: 'webhook-deleted-still-shown',
    summary: 'A deleted subscription is still listed and shown, with the status deleted.',
    concerns: ['WEBHOOK-SUBSCRIPTION-DELETE', 'WEBHOOK-DELIVERY-STOPS'],
    ambiguity: 'Values of status beside active are not shown, nor what becomes of a deleted subscription.',
    alter: ({ afterDeletion, shown }) => {
      afterDeletion.add('found')
      shown.push((fields, { deleted }) => {
        if (deleted) fields.status = 'deleted'
      })
    },
  },
  {
    name: 'webhook-secret-hint',
    summary: 'Subscriptions are shown with the last eight characters of their secrets.',
    concerns: ['WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD'],
    ambiguity: 'A few characters to recognise a secret by are not the secret.',
    alter: ({ shown }) =>
      shown.push((fields, { secret }) => {
        fields.secret = `…${secret.slice(-8)}`
      }),
  },
  {
    name: 'webhook-management-without-entitlement',
    summary: 'A partner without the Event Hub manages subscriptions of its own, and gets no events.',
    concerns: shut,
    ambiguity: 'Whether managing subscriptions needs the Event Hub is not said.',
    alter: (webhooks) => {
      webhooks.entitlementNeeded = false
    },
  },
  {
    name: 'webhook-unknown-types-refused',
    summary: 'event_filters of a type that is not emitted today are refused.',
    concerns: ['WEBHOOK-SUBSCRIPTION-DESCRIPTION', 'WEBHOOK-SUBSCRIPTION-UPDATE', ...refusals],
    ambiguity: 'Names of planned types may change, and are no contract.',
    decided: ['WEBHOOK-SUBSCRIPTION-DESCRIPTION', 'WEBHOOK-SUBSCRIPTION-UPDATE', ...refusals],
    alter: (webhooks) => {
      webhooks.typesAccepted = (types) => types.every((type) => type === 'ClaimValuesChanged')
    },
  },
  {
    name: 'webhook-one-subscription-at-most',
    summary: 'A partner has one subscription at most; another one is refused.',
    concerns: ['WEBHOOK-SUBSCRIPTION-CREATE', 'WEBHOOK-SUBSCRIPTION-DESCRIPTION', 'WEBHOOK-DELIVERY-POST'],
    ambiguity: 'How many subscriptions a partner may have is not said.',
    decided: ['WEBHOOK-SUBSCRIPTION-CREATE'],
    undecidable: ['WEBHOOK-SUBSCRIPTION-DESCRIPTION'],
    alter: (webhooks) => {
      webhooks.mostSubscriptions = 1
    },
  },
  {
    name: 'webhook-five-subscriptions-at-most',
    summary: 'A partner has five subscriptions at most; another one is refused.',
    concerns: ['WEBHOOK-SUBSCRIPTION-CREATE', 'WEBHOOK-DELIVERY-POST', ...refusals],
    ambiguity: 'How many subscriptions a partner may have is not said.',
    decided: ['WEBHOOK-SUBSCRIPTION-CREATE', 'WEBHOOK-DELIVERY-POST', ...refusals],
    alter: (webhooks) => {
      webhooks.mostSubscriptions = 5
    },
  },
  {
    name: 'webhook-changes-seen-later',
    summary: 'What is created, updated or deleted is seen so a moment later.',
    concerns: [
      'WEBHOOK-SUBSCRIPTION-LIST',
      'WEBHOOK-SUBSCRIPTION-GET',
      'WEBHOOK-SUBSCRIPTION-UPDATE',
      'WEBHOOK-SUBSCRIPTION-DELETE',
    ],
    ambiguity: 'How soon a change is seen is not said.',
    decided: [
      'WEBHOOK-SUBSCRIPTION-LIST',
      'WEBHOOK-SUBSCRIPTION-GET',
      'WEBHOOK-SUBSCRIPTION-UPDATE',
      'WEBHOOK-SUBSCRIPTION-DELETE',
    ],
    alter: (webhooks) => {
      const moment = 100
      const { visible, update } = webhooks
      const deletionsSeen = new WeakMap<Subscription, number>()
      webhooks.afterDeletion.add('found')
      webhooks.visible = (partner, subscription) => {
        const { createdAt, deleted } = subscription
        if (deleted && !deletionsSeen.has(subscription)) deletionsSeen.set(subscription, Date.now())
        const deletedAt = deletionsSeen.get(subscription) ?? Number.POSITIVE_INFINITY
        const now = Date.now()
        return visible(partner, subscription) && now >= createdAt + moment && now < deletedAt + moment
      }
      webhooks.update = (subscription, changes) =>
        void setTimeout(() => update(subscription, changes), moment).unref()
    },
  },
  {
    name: 'webhook-list-in-pages',
    summary: 'The list of subscriptions comes in pages, the oldest first.',
    concerns: ['WEBHOOK-SUBSCRIPTION-LIST'],
    ambiguity: answersNotShown,
    undecidable: ['WEBHOOK-SUBSCRIPTION-LIST'],
    alter: ({ answers }) =>
      answers.push((answer, operation) => {
        if (operation === 'list' && Array.isArray(answer.body))
          answer.body = { items: answer.body.slice(0, 1), next: 'page-2' }
      }),
  },
  {
    name: 'webhook-deleted-without-body',
    summary: 'A look for a subscription that is not there is answered 204 without a body.',
    concerns: ['WEBHOOK-SUBSCRIPTION-DELETE'],
    ambiguity: errorsNotShown,
    alter: ({ answers }) =>
      answers.push((answer, operation) => {
        if (operation === 'get' && answer.status === 404)
          Object.assign(answer, { status: 204, headers: {}, body: undefined })
      }),
  },
  {
    name: 'webhook-refusals-broken',
    summary: 'What subscription management would refuse is answered 500.',
    concerns: [...refusals, ...shut],
    ambiguity: 'A 5xx is a transient failure of the service and says nothing about the request.',
    undecidable: [...refusals, ...shut],
    alter: ({ answers }) =>
      answers.push((answer) => {
        if (answer.status >= 400 && answer.status !== 404)
          Object.assign(answer, jsonAnswer(500, { error: 'server_error' }))
      }),
  },
])
