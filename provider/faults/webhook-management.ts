import type { Behaviour } from '../behaviour.ts'
import { fieldsOf, jsonAnswer } from '../http.ts'
import type { Operation } from '../webhook/behaviour.ts'
import { webhookFaultsOf } from './webhook-fault.ts'

/** Shows the secret where it must not be. */
function showSecret({ webhooks }: Behaviour, where: Operation): void {
  webhooks.shown.push((fields, { secret }, operation) => {
    if (operation === where) fields.secret = secret
  })
}

const disclosed = webhookFaultsOf([
  {
    name: 'webhook-secret-in-create',
    summary: 'The answer to a create holds the secret.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD'],
    alter: (behaviour) => showSecret(behaviour, 'create'),
  },
  {
    name: 'webhook-secret-in-get',
    summary: 'A subscription is shown with its secret.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD'],
    alter: (behaviour) => showSecret(behaviour, 'get'),
  },
  {
    name: 'webhook-secret-in-list',
    summary: 'Subscriptions are listed with their secrets.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD'],
    alter: (behaviour) => showSecret(behaviour, 'list'),
  },
  {
    name: 'webhook-secret-in-update',
    summary: 'The answer to an update holds the secret.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD'],
    alter: (behaviour) => showSecret(behaviour, 'update'),
  },
  {
    name: 'webhook-secret-in-header',
    summary: 'A create is answered with the secret in a header.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD'],
    alter: ({ webhooks }) => {
      webhooks.answers.push((answer, operation, { text }) => {
        if (operation === 'create' && answer.status === 201)
          answer.headers['x-signing-secret'] = String(JSON.parse(text ?? '{}').secret)
      })
    },
  },
  {
    name: 'webhook-secret-under-another-name',
    summary: 'A subscription is shown with its secret, in a member of another name inside another.',
    violates: ['WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD'],
    alter: ({ webhooks }) => {
      webhooks.shown.push((fields, { secret }, operation) => {
        if (operation === 'get') fields.signing = { key: secret }
      })
    },
  },
])

const managed = webhookFaultsOf([
  {
    name: 'webhook-list-empty',
    summary: 'The list of subscriptions is always empty.',
    violates: ['WEBHOOK-SUBSCRIPTION-LIST'],
    alter: ({ webhooks }) => {
      webhooks.answers.push((answer, operation) => {
        if (operation === 'list' && answer.status === 200) answer.body = []
      })
    },
  },
  {
    name: 'webhook-list-first-only',
    summary: 'The list of subscriptions holds the oldest alone.',
    violates: ['WEBHOOK-SUBSCRIPTION-LIST'],
    alter: ({ webhooks }) => {
      webhooks.answers.push((answer, operation) => {
        if (operation === 'list' && Array.isArray(answer.body)) answer.body = answer.body.slice(0, 1)
      })
    },
  },
  {
    name: 'webhook-list-not-found',
    summary: 'Subscriptions cannot be listed: 404.',
    violates: ['WEBHOOK-SUBSCRIPTION-LIST'],
    alter: ({ webhooks }) => {
      webhooks.answers.push((answer, operation) => {
        if (operation === 'list' && answer.status === 200)
          Object.assign(answer, jsonAnswer(404, { type: 'NOT_FOUND', message: 'There is no such resource.' }))
      })
    },
  },
  {
    name: 'webhook-get-not-found',
    summary: 'A single subscription cannot be read: 404.',
    violates: ['WEBHOOK-SUBSCRIPTION-GET'],
    alter: ({ webhooks }) => {
      webhooks.answers.push((answer, operation) => {
        if (operation === 'get' && answer.status === 200)
          Object.assign(answer, jsonAnswer(404, { type: 'NOT_FOUND', message: 'There is no such resource.' }))
      })
    },
  },
  {
    name: 'webhook-get-gives-another',
    summary: 'A single subscription is shown with another id than it was asked for by.',
    violates: ['WEBHOOK-SUBSCRIPTION-GET'],
    alter: ({ webhooks }) => {
      let asked = 0
      webhooks.shown.push((fields, { id }, operation) => {
        if (operation !== 'get') return
        asked += 1
        fields.id = `${id}-${asked}`
      })
    },
  },
  {
    name: 'webhook-update-not-applied',
    summary: 'An update is answered 200 and changes nothing.',
    violates: ['WEBHOOK-SUBSCRIPTION-UPDATE'],
    alter: ({ webhooks }) => {
      webhooks.update = () => {}
    },
  },
  {
    name: 'webhook-update-shown-only',
    summary: 'The answer to an update shows the change, which is not kept.',
    violates: ['WEBHOOK-SUBSCRIPTION-UPDATE'],
    alter: ({ webhooks }) => {
      webhooks.update = () => {}
      webhooks.answers.push((answer, operation, { text }) => {
        const fields = fieldsOf(answer)
        if (operation !== 'update' || answer.status !== 200 || !fields) return
        const { secret: _, ...changes } = JSON.parse(text ?? '{}')
        Object.assign(fields, changes)
      })
    },
  },
  {
    name: 'webhook-update-adds-filters',
    summary: 'An update adds its event_filters to those that were there.',
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
    summary: 'An update of event_filters is kept and shown, and events are pushed by the old ones.',
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
    summary: 'An update of event_filters takes the description away.',
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
      webhooks.answers.push((answer, operation) => {
        if (operation === 'update' && answer.status === 200)
          Object.assign(answer, jsonAnswer(405, { type: 'METHOD_NOT_ALLOWED', message: 'Use PUT.' }))
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
    summary: 'A deletion is refused with 405, though it takes place.',
    violates: ['WEBHOOK-SUBSCRIPTION-DELETE'],
    alter: ({ webhooks }) => {
      webhooks.answers.push((answer, operation) => {
        if (operation === 'delete' && answer.status === 204)
          Object.assign(answer, jsonAnswer(405, { type: 'METHOD_NOT_ALLOWED', message: 'Use POST.' }))
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

/** Serves requests that the lawful comparison refuses, as if they came from the first partner. */
function admit(
  { webhooks }: Behaviour,
  isOne: (headers: Record<string, unknown>, method: string, path: string) => boolean,
) {
  const { credentials } = webhooks
  webhooks.credentials = (received, partners) => {
    const [partner] = partners
    const verdict = credentials(received, partners)
    if (verdict.verdict === 'known' || !partner || !isOne(received.headers, received.method, received.path))
      return verdict
    return { verdict: 'known', partner }
  }
}

const admitted = webhookFaultsOf([
  {
    name: 'webhook-management-public',
    summary: 'Subscriptions are managed without credentials.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS'],
    alter: (behaviour) =>
      admit(
        behaviour,
        (headers) => !headers['x-client-id'] && !headers['x-client-secret'] && !headers.authorization,
      ),
  },
  {
    name: 'webhook-read-public',
    summary: 'Subscriptions are listed and shown without credentials.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS'],
    alter: (behaviour) =>
      admit(
        behaviour,
        (headers, method) => method === 'GET' && !headers['x-client-id'] && !headers.authorization,
      ),
  },
  {
    name: 'webhook-shown-to-nobody',
    summary: 'A single subscription is shown without credentials.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS'],
    alter: (behaviour) =>
      admit(
        behaviour,
        (headers, method, path) =>
          method === 'GET' && !path.endsWith('/subscriptions') && !headers['x-client-id'],
      ),
  },
  {
    name: 'webhook-updated-by-nobody',
    summary: 'A subscription is updated without credentials.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS'],
    alter: (behaviour) =>
      admit(behaviour, (headers, method) => method === 'PATCH' && !headers['x-client-id']),
  },
  {
    name: 'webhook-deleted-by-nobody',
    summary: 'A subscription is deleted without credentials.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS'],
    alter: (behaviour) =>
      admit(behaviour, (headers, method) => method === 'DELETE' && !headers['x-client-id']),
  },
  {
    name: 'webhook-management-by-secret-alone',
    summary: 'Subscriptions are managed with an X-Client-Secret and no id.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS'],
    alter: (behaviour) =>
      admit(behaviour, (headers) => Boolean(headers['x-client-secret']) && !headers['x-client-id']),
  },
  {
    name: 'webhook-management-takes-bearer-token-for-secret',
    summary: 'Subscriptions are managed with X-Client-Id and an access token instead of the secret.',
    violates: ['WEBHOOK-SUBSCRIPTION-NO-OAUTH'],
    alter: (behaviour) =>
      admit(
        behaviour,
        (headers) =>
          headers['x-client-id'] === 'partner-hub' && /^bearer \S+$/i.test(String(headers.authorization)),
      ),
  },
  {
    name: 'webhook-management-without-secret',
    summary: 'Subscriptions are managed with the right X-Client-Id and no secret.',
    violates: ['WEBHOOK-SUBSCRIPTION-CREDENTIALS'],
    alter: (behaviour) =>
      admit(behaviour, (headers) => headers['x-client-id'] === 'partner-hub' && !headers['x-client-secret']),
  },
  {
    name: 'webhook-management-by-oauth',
    summary: 'Subscriptions are managed with an access token instead of partner credentials.',
    violates: ['WEBHOOK-SUBSCRIPTION-NO-OAUTH'],
    alter: (behaviour) =>
      admit(behaviour, ({ authorization }) => /^bearer \S+$/i.test(String(authorization))),
  },
])

export const webhookManagementFaults = [...disclosed, ...managed, ...admitted]
