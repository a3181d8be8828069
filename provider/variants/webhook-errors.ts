import { fieldsOf, jsonResponse } from '../http.ts'
import { defineWebhookVariants } from './define-webhook-variants.ts'

/** Requirements on missing or invalid members, which a creation must refuse. */
export const FIELD_ERRORS = [
  'WEBHOOK-SUBSCRIPTION-TARGET-REQUIRED',
  'WEBHOOK-SUBSCRIPTION-SECRET-REQUIRED',
  'WEBHOOK-SUBSCRIPTION-FILTERS-REQUIRED',
  'WEBHOOK-SUBSCRIPTION-TARGET-HTTPS',
  'WEBHOOK-SUBSCRIPTION-SECRET-LENGTH',
]

/** Requirements on credentials of subscription management. */
export const AUTHENTICATION = [
  'WEBHOOK-SUBSCRIPTION-CREDENTIALS',
  'WEBHOOK-SUBSCRIPTION-CREDENTIALS-WRONG',
  'WEBHOOK-SUBSCRIPTION-NO-OAUTH',
]

const ERRORS_UNSPECIFIED = 'Error responses of subscription management are not specified.'

/** Lawful limits and errors of subscription management. */
export const webhookErrorVariants = defineWebhookVariants([
  {
    name: 'webhook-refusals-422',
    summary: 'Returns 422 with an array of errors for an invalid subscription.',
    concerns: FIELD_ERRORS,
    unspecified: ERRORS_UNSPECIFIED,
    alter: ({ responses }) =>
      responses.push((response) => {
        if (response.status === 400)
          Object.assign(response, jsonResponse(422, { errors: [fieldsOf(response)?.message] }))
      }),
  },
  {
    name: 'webhook-refusals-without-body',
    summary: 'Returns errors of subscription management without a body.',
    concerns: [...FIELD_ERRORS, ...AUTHENTICATION],
    unspecified: ERRORS_UNSPECIFIED,
    alter: ({ responses }) =>
      responses.push((response) => {
        if (response.status >= 400) Object.assign(response, { headers: {}, body: undefined })
      }),
  },
  {
    name: 'webhook-credentials-403',
    summary: 'Refuses missing or wrong partner credentials with 403.',
    concerns: AUTHENTICATION,
    unspecified: ERRORS_UNSPECIFIED,
    alter: ({ responses }) =>
      responses.push((response) => {
        if (response.status === 401) response.status = 403
      }),
  },
  {
    name: 'webhook-credentials-404',
    summary: 'Returns 404 for missing or wrong partner credentials.',
    concerns: AUTHENTICATION,
    unspecified: ERRORS_UNSPECIFIED,
    alter: ({ responses }) =>
      responses.push((response) => {
        if (response.status === 401 || response.status === 403) response.status = 404
      }),
  },
  {
    name: 'webhook-deleted-gone',
    summary: 'Returns 410 for a subscription that does not exist.',
    concerns: ['WEBHOOK-SUBSCRIPTION-DELETE'],
    unspecified: ERRORS_UNSPECIFIED,
    alter: ({ responses }) =>
      responses.push((response) => {
        if (response.status === 404) response.status = 410
      }),
  },
  {
    name: 'webhook-management-without-entitlement',
    summary: 'Allows a partner without the Event Hub to manage subscriptions, but delivers no events to it.',
    concerns: AUTHENTICATION,
    unspecified: 'Whether subscription management requires the Event Hub is not specified.',
    alter: (webhooks) => {
      webhooks.requiresEntitlement = false
    },
  },
  {
    name: 'webhook-unknown-types-refused',
    summary: 'Rejects `event_filters` with a type that it does not emit today.',
    concerns: ['WEBHOOK-SUBSCRIPTION-DESCRIPTION', 'WEBHOOK-SUBSCRIPTION-UPDATE', ...FIELD_ERRORS],
    unspecified: 'The names of planned types may change.',
    mustPass: ['WEBHOOK-SUBSCRIPTION-DESCRIPTION', 'WEBHOOK-SUBSCRIPTION-UPDATE', ...FIELD_ERRORS],
    alter: (webhooks) => {
      webhooks.typesAccepted = (types) => types.every((type) => type === 'ClaimValuesChanged')
    },
  },
  {
    name: 'webhook-one-subscription-at-most',
    summary: 'Allows one subscription per partner, and refuses the next creation.',
    concerns: ['WEBHOOK-SUBSCRIPTION-CREATE', 'WEBHOOK-SUBSCRIPTION-DESCRIPTION', 'WEBHOOK-DELIVERY-POST'],
    unspecified: 'The maximum number of subscriptions is not specified.',
    mustPass: ['WEBHOOK-SUBSCRIPTION-CREATE'],
    mustBeInconclusive: ['WEBHOOK-SUBSCRIPTION-DESCRIPTION'],
    mayBeInconclusive: ['WEBHOOK-*'],
    alter: (webhooks) => {
      webhooks.maxSubscriptions = 1
    },
  },
  {
    name: 'webhook-five-subscriptions-at-most',
    summary: 'Allows five subscriptions per partner, and refuses the next creation.',
    concerns: ['WEBHOOK-SUBSCRIPTION-CREATE', 'WEBHOOK-DELIVERY-POST', ...FIELD_ERRORS],
    unspecified: 'The maximum number of subscriptions is not specified.',
    mustPass: ['WEBHOOK-SUBSCRIPTION-CREATE', 'WEBHOOK-DELIVERY-POST', ...FIELD_ERRORS],
    mayBeInconclusive: ['WEBHOOK-DELIVERY-FILTERS', 'WEBHOOK-RETRY-*', 'WEBHOOK-NO-RETRY-REFUSED'],
    alter: (webhooks) => {
      webhooks.maxSubscriptions = 5
    },
  },
  {
    name: 'webhook-deleted-without-body',
    summary: 'Returns 204 without a body for a GET of a subscription that does not exist.',
    concerns: ['WEBHOOK-SUBSCRIPTION-DELETE'],
    unspecified: ERRORS_UNSPECIFIED,
    alter: ({ responses }) =>
      responses.push((response, operation) => {
        if (operation === 'get' && response.status === 404)
          Object.assign(response, { status: 204, headers: {}, body: undefined })
      }),
  },
  {
    name: 'webhook-deletion-throttled',
    summary:
      'Returns 429 with a Retry-After of a day for each deletion of a subscription with a description.',
    concerns: ['WEBHOOK-SUBSCRIPTION-DELETE'],
    unspecified:
      'When requests are throttled is not specified, and a throttled deletion says nothing about other deletions.',
    mustBeInconclusive: ['WEBHOOK-SUBSCRIPTION-DELETE'],
    mayBeInconclusive: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS', 'WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD'],
    alter: ({ shown, interceptors }) => {
      const described = new Set<string>()
      shown.push((_, { id, description }) => {
        if (description !== undefined) described.add(id)
      })
      interceptors.push(({ method, path }) => {
        if (method !== 'DELETE' || !described.has(path.split('/').at(-1) ?? '')) return undefined
        const response = jsonResponse(429, {
          error: 'temporarily_unavailable',
          error_description: 'Too many requests.',
        })
        response.headers['Retry-After'] = String(24 * 60 * 60)
        return response
      })
    },
  },
  {
    name: 'webhook-creation-for-two-types-broken',
    summary: 'Returns 500 for the creation of a subscription for two types.',
    concerns: ['WEBHOOK-SUBSCRIPTION-CREATE', 'WEBHOOK-DELIVERY-POST'],
    unspecified: 'A 5xx is a transient failure of the service and says nothing about the request.',
    mustBeInconclusive: ['WEBHOOK-DELIVERY-FILTERS', 'WEBHOOK-NO-RETRY-REFUSED'],
    mustPass: ['WEBHOOK-SUBSCRIPTION-CREATE', 'WEBHOOK-DELIVERY-POST'],
    alter: ({ interceptors }) =>
      interceptors.push(({ method, text }) => {
        if (method !== 'POST' || JSON.parse(text ?? '{}').event_filters?.length !== 2) return undefined
        return jsonResponse(500, { error: 'server_error' })
      }),
  },
  {
    name: 'webhook-refusals-broken',
    summary: 'Returns 500 for requests that subscription management would refuse.',
    concerns: [...FIELD_ERRORS, ...AUTHENTICATION],
    unspecified: 'A 5xx is a transient failure of the service and says nothing about the request.',
    mustBeInconclusive: [...FIELD_ERRORS, ...AUTHENTICATION],
    mayBeInconclusive: ['WEBHOOK-SUBSCRIPTION-REFUSALS'],
    alter: ({ responses }) =>
      responses.push((response) => {
        if (response.status >= 400 && response.status !== 404)
          Object.assign(response, jsonResponse(500, { error: 'server_error' }))
      }),
  },
])
