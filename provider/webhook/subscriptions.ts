import { randomUUID } from 'node:crypto'
import type { Partner } from '../deployment.ts'
import { type Answer, jsonAnswer, type Received } from '../http.ts'
import type { HubBehaviour } from '../hub/behaviour.ts'
import { badRequest, methodNotAllowed, notFound, unauthorized } from '../hub/refusals.ts'
import type { Operation, Subscription, SubscriptionFields, WebhookBehaviour } from './behaviour.ts'
import { BadFields, readFields } from './fields.ts'

export const SUBSCRIPTIONS_PATH = '/events/subscriptions'

export interface Subscriptions {
  /** Handles a request below the partner API's address; `path` is relative to it. */
  handle(received: Received, path: string): Answer
  /** Subscriptions that get events. */
  receiving(): Subscription[]
}

export interface SubscriptionSetup {
  behaviour: WebhookBehaviour
  /** Decides who is entitled. */
  hub: HubBehaviour
  partners: readonly Partner[]
  /** Milliseconds since the epoch. */
  now: () => number
}

const OPERATIONS: Record<'all' | 'one', Record<string, Operation>> = {
  all: { POST: 'create', GET: 'list' },
  one: { GET: 'get', PATCH: 'update', DELETE: 'delete' },
}

/**
 * Subscription management. A list is an array, an update answers with the subscription, a deletion with 204, and
 * refusals with `type` and `message`: choices, since none of these is laid down.
 */
export function createSubscriptions({ behaviour, hub, partners, now }: SubscriptionSetup): Subscriptions {
  const subscriptions: Subscription[] = []

  const found = (partner: Partner) =>
    subscriptions.filter(
      (subscription) =>
        behaviour.visible(partner, subscription) &&
        (!subscription.deleted || behaviour.afterDeletion.has('found')),
    )

  function show(subscription: Subscription, operation: Operation): Record<string, unknown> {
    const { id, target_url, event_filters, description, status, createdAt } = subscription
    const fields: Record<string, unknown> = {
      id,
      target_url,
      event_filters,
      ...(description !== undefined && { description }),
      status,
      created_at: new Date(createdAt).toISOString(),
    }
    for (const edit of behaviour.shown) edit(fields, subscription, operation)
    return fields
  }

  function create(partner: Partner, fields: Partial<SubscriptionFields>): Subscription {
    const subscription: Subscription = {
      target_url: '',
      secret: '',
      event_filters: [],
      ...fields,
      id: `whs-${randomUUID()}`,
      partner: partner.id,
      status: 'active',
      createdAt: now(),
      deleted: false,
    }
    subscriptions.push(subscription)
    return subscription
  }

  function carryOut(operation: Operation, partner: Partner, id: string, text: string | undefined): Answer {
    if (operation === 'create') {
      const fields = readFields(text, behaviour, behaviour.required)
      if (found(partner).length >= behaviour.mostSubscriptions)
        throw new BadFields('there are as many subscriptions as there may be')
      return jsonAnswer(201, show(create(partner, fields), operation))
    }
    if (operation === 'list') {
      return jsonAnswer(
        200,
        found(partner).map((subscription) => show(subscription, operation)),
      )
    }
    const subscription = found(partner).find((candidate) => candidate.id === id)
    if (!subscription) return notFound('subscription')
    if (operation === 'update') behaviour.update(subscription, readFields(text, behaviour, new Set()))
    if (operation === 'delete') {
      subscription.deleted = true
      return { status: 204, headers: {} }
    }
    return jsonAnswer(200, show(subscription, operation))
  }

  function answer(received: Received, operation: Operation | undefined, id: string, allowed: string): Answer {
    const credentials = behaviour.credentials(received, partners)
    if (credentials.verdict === 'refused') return unauthorized()
    const { partner } = credentials
    if (behaviour.entitlementNeeded && !hub.entitled(partner)) return hub.unentitled()
    if (!operation) return methodNotAllowed(allowed)
    try {
      return carryOut(operation, partner, id, received.text)
    } catch (error) {
      if (!(error instanceof BadFields)) throw error
      return badRequest(error.message)
    }
  }

  return {
    handle(received, path) {
      const [id = '', ...rest] = path.slice(SUBSCRIPTIONS_PATH.length + 1).split('/')
      if (rest.length > 0) return notFound('subscription')
      const operations = OPERATIONS[id ? 'one' : 'all']
      const operation = operations[received.method]
      const result = answer(received, operation, id, Object.keys(operations).join(', '))
      for (const edit of behaviour.answers) edit(result, operation, received)
      return result
    },
    receiving: () =>
      subscriptions.filter(
        ({ deleted, partner }) =>
          (!deleted || behaviour.afterDeletion.has('delivered')) &&
          partners.some((candidate) => candidate.id === partner && hub.entitled(candidate)),
      ),
  }
}
