import type { Alter } from '../alteration.ts'
import { type HttpRequest, htmlResponse } from '../http.ts'
import type { Operation } from '../webhook/behaviour.ts'
import { defineWebhookFaults } from './define-webhook-faults.ts'

/** Adds the secret to subscriptions in responses to an operation. */
function showSecretIn(operation: Operation): Alter {
  return ({ webhooks }) =>
    webhooks.shown.push((fields, { secret }, current) => {
      if (current === operation) fields.secret = secret
    })
}

const disclosed = defineWebhookFaults([
  {
    name: 'webhook-secret-in-create',
    summary: 'Returns the secret in the response to a creation.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD'],
    alter: showSecretIn('create'),
  },
  {
    name: 'webhook-secret-in-get',
    summary: 'Returns the secret in the response to a GET.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD'],
    alter: showSecretIn('get'),
  },
  {
    name: 'webhook-secret-in-list',
    summary: 'Returns secrets in the list of subscriptions.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD'],
    alter: showSecretIn('list'),
  },
  {
    name: 'webhook-secret-in-update',
    summary: 'Returns the secret in the response to an update.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD'],
    alter: showSecretIn('update'),
  },
  {
    name: 'webhook-secret-in-header',
    summary: 'Returns the secret in a header of the response to a creation.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD'],
    alter: ({ webhooks }) => {
      webhooks.responses.push((response, operation, { text }) => {
        if (operation === 'create' && response.status === 201)
          response.headers['x-signing-secret'] = String(JSON.parse(text ?? '{}').secret)
      })
    },
  },
  {
    name: 'webhook-secret-under-another-name',
    summary: 'Returns the secret in a nested member with another name in the response to a GET.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD'],
    alter: ({ webhooks }) => {
      webhooks.shown.push((fields, { secret }, operation) => {
        if (operation === 'get') fields.signing = { key: secret }
      })
    },
  },
])

/** Treats matching requests without valid credentials as requests of the first partner. */
function admit(matches: (request: HttpRequest) => boolean): Alter {
  return ({ webhooks }) => {
    const { authenticate } = webhooks
    webhooks.authenticate = (request, partners) =>
      authenticate(request, partners) ?? (matches(request) ? partners[0] : undefined)
  }
}

const admitted = defineWebhookFaults([
  {
    name: 'webhook-management-public',
    summary: 'Allows all requests to manage subscriptions without credentials.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS'],
    alter: admit(
      ({ headers }) => !headers['x-client-id'] && !headers['x-client-secret'] && !headers.authorization,
    ),
  },
  {
    name: 'webhook-read-public',
    summary: 'Lists and returns subscriptions without credentials.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS'],
    alter: admit(
      ({ headers, method }) => method === 'GET' && !headers['x-client-id'] && !headers.authorization,
    ),
  },
  {
    name: 'webhook-shown-to-nobody',
    summary: 'Returns a single subscription without credentials.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS'],
    alter: admit(
      ({ headers, method, path }) =>
        method === 'GET' && !path.endsWith('/subscriptions') && !headers['x-client-id'],
    ),
  },
  {
    name: 'webhook-updated-by-nobody',
    summary: 'Updates a subscription without credentials.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS'],
    alter: admit(({ headers, method }) => method === 'PATCH' && !headers['x-client-id']),
  },
  {
    name: 'webhook-deleted-by-nobody',
    summary: 'Deletes a subscription without credentials.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS'],
    alter: admit(({ headers, method }) => method === 'DELETE' && !headers['x-client-id']),
  },
  {
    name: 'webhook-management-by-secret-alone',
    summary: 'Allows management of subscriptions with `X-Client-Secret` and no `X-Client-Id`.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS'],
    alter: admit(({ headers }) => Boolean(headers['x-client-secret']) && !headers['x-client-id']),
  },
  {
    name: 'webhook-management-takes-bearer-token-for-secret',
    summary:
      'Allows management of subscriptions with `X-Client-Id` and an access token instead of `X-Client-Secret`.',
    violates: ['WEBHOOK-SUBSCRIPTION-NO-OAUTH'],
    alter: admit(
      ({ headers }) =>
        headers['x-client-id'] === 'partner-hub' && /^bearer \S+$/i.test(String(headers.authorization)),
    ),
  },
  {
    name: 'webhook-management-without-secret',
    summary: 'Allows management of subscriptions with a known `X-Client-Id` and no `X-Client-Secret`.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS'],
    alter: admit(({ headers }) => headers['x-client-id'] === 'partner-hub' && !headers['x-client-secret']),
  },
  {
    name: 'webhook-management-takes-any-secret',
    summary: 'Allows management of subscriptions with a known `X-Client-Id` and any `X-Client-Secret`.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS-WRONG'],
    alter: admit(
      ({ headers }) => headers['x-client-id'] === 'partner-hub' && Boolean(headers['x-client-secret']),
    ),
  },
  {
    name: 'webhook-management-takes-any-id',
    summary: 'Allows management of subscriptions with any `X-Client-Id` and a known `X-Client-Secret`.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS-WRONG'],
    alter: ({ webhooks }) => {
      const { authenticate } = webhooks
      webhooks.authenticate = (request, partners) =>
        authenticate(request, partners) ??
        partners.find(
          ({ secret }) =>
            request.headers['x-client-id'] !== undefined && request.headers['x-client-secret'] === secret,
        )
    },
  },
  {
    name: 'webhook-management-by-oauth',
    summary: 'Allows management of subscriptions with an access token instead of partner credentials.',
    violates: ['WEBHOOK-SUBSCRIPTION-NO-OAUTH'],
    alter: admit(({ headers }) => /^bearer \S+$/i.test(String(headers.authorization))),
  },
])

const refused = defineWebhookFaults([
  {
    name: 'webhook-deletion-refused-and-executed',
    summary: 'Returns 401 for a deletion without credentials, but deletes the subscription.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS'],
    alter: ({ webhooks }) => {
      const deleted = new Set<string>()
      const { visible } = webhooks
      webhooks.visible = (partner, subscription) =>
        visible(partner, subscription) && !deleted.has(subscription.id)
      webhooks.responses.push(({ status }, operation, { path }) => {
        if (operation === 'delete' && status === 401) deleted.add(path.split('/').at(-1) ?? '')
      })
    },
  },
  {
    name: 'webhook-list-in-refusal-page',
    summary:
      'Returns the list of subscriptions in an HTML page with status 401 for requests without credentials.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS'],
    alter: ({ webhooks }) => {
      let list: unknown
      webhooks.responses.push((response, operation, { headers }) => {
        if (operation !== 'list') return
        if (response.status === 200) list = response.body
        else if (response.status === 401 && !headers['x-client-id'] && !headers.authorization && list)
          Object.assign(response, htmlResponse(401, `<pre>${JSON.stringify(list)}</pre>`))
      })
    },
  },
  {
    name: 'webhook-list-in-every-refusal',
    summary: 'Returns the list of subscriptions in every refusal of a request for the list.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS'],
    alter: ({ webhooks }) => {
      let list: unknown
      webhooks.responses.push((response, operation) => {
        if (operation !== 'list') return
        if (response.status === 200) list = response.body
        else if (response.status === 401 && list) response.body = list
      })
    },
  },
])

/** Access to subscriptions without valid credentials, and to their secrets. */
export const webhookAccessFaults = [...disclosed, ...admitted, ...refused]
