import { randomUUID } from 'node:crypto'
import type { Partner } from '../deployment.ts'
import { type HttpRequest, type HttpResponse, jsonResponse } from '../http.ts'
import type { HubBehaviour } from '../hub/behaviour.ts'
import { badRequest, methodNotAllowed, notFound, unauthorized } from '../hub/errors.ts'
import type { Operation, Subscription, SubscriptionFields, WebhookBehaviour } from './behaviour.ts'
import { InvalidFields, readFields } from './subscription-fields.ts'

export const SUBSCRIPTIONS_PATH = '/events/subscriptions'

interface SubscriptionSetup {
  behaviour: WebhookBehaviour
  /** Decides which partners are entitled. */
  hubBehaviour: HubBehaviour
  partners: readonly Partner[]
  /** Milliseconds since the epoch. */
  now: () => number
}

const OPERATIONS: Record<'collection' | 'item', Record<string, Operation>> = {
  collection: { POST: 'create', GET: 'list' },
  item: { GET: 'get', PATCH: 'update', DELETE: 'delete' },
}

/**
 * Subscription management. The specification does not define its responses. Here, a list is an array, an update returns
 * the subscription, a deletion returns 204, and errors have `type` and `message`.
 */
export class Subscriptions {
  private readonly setup: SubscriptionSetup
  private readonly subscriptions: Subscription[] = []

  constructor(setup: SubscriptionSetup) {
    this.setup = setup
  }

  /** Handles a request to the partner API; `path` is relative to its base URL. */
  handle(request: HttpRequest, path: string): HttpResponse {
    for (const intercept of this.setup.behaviour.interceptors) {
      const response = intercept(request)
      if (response) return response
    }
    const [id = '', ...rest] = path.slice(SUBSCRIPTIONS_PATH.length + 1).split('/')
    if (rest.length > 0) return notFound('subscription')
    const operations = OPERATIONS[id ? 'item' : 'collection']
    const operation = operations[request.method]
    const response = this.respond(request, operation, id, Object.keys(operations))
    for (const edit of this.setup.behaviour.responses) edit(response, operation, request)
    return response
  }

  /** Subscriptions that receive events. */
  receiving(): Subscription[] {
    const { behaviour, hubBehaviour, partners } = this.setup
    return this.subscriptions.filter(
      ({ deleted, partner }) =>
        (!deleted || behaviour.afterDeletion.has('delivered')) &&
        partners.some((candidate) => candidate.id === partner && hubBehaviour.entitled(candidate)),
    )
  }

  private respond(
    request: HttpRequest,
    operation: Operation | undefined,
    id: string,
    allowed: string[],
  ): HttpResponse {
    const { behaviour, hubBehaviour, partners } = this.setup
    const partner = behaviour.authenticate(request, partners)
    if (!partner) return unauthorized()
    if (behaviour.requiresEntitlement && !hubBehaviour.entitled(partner)) return hubBehaviour.unentitled()
    if (!operation) return methodNotAllowed(allowed.join(', '))
    try {
      return this.perform(operation, partner, id, request.text)
    } catch (error) {
      if (!(error instanceof InvalidFields)) throw error
      return badRequest(error.message)
    }
  }

  private perform(
    operation: Operation,
    partner: Partner,
    id: string,
    text: string | undefined,
  ): HttpResponse {
    const { behaviour } = this.setup
    const visible = this.visibleTo(partner)
    if (operation === 'create') {
      const fields = readFields(text, behaviour, behaviour.required)
      if (visible.length >= behaviour.maxSubscriptions)
        throw new InvalidFields('the partner already has the maximum number of subscriptions')
      return jsonResponse(201, this.show(this.create(partner, fields), operation))
    }
    if (operation === 'list') {
      return jsonResponse(
        200,
        visible.map((subscription) => this.show(subscription, operation)),
      )
    }
    const subscription = visible.find((candidate) => candidate.id === id)
    if (!subscription) return notFound('subscription')
    if (operation === 'update') behaviour.update(subscription, readFields(text, behaviour, new Set()))
    if (operation === 'delete') {
      subscription.deleted = true
      return { status: 204, headers: {} }
    }
    return jsonResponse(200, this.show(subscription, operation))
  }

  private visibleTo(partner: Partner): Subscription[] {
    const { behaviour } = this.setup
    return this.subscriptions.filter(
      (subscription) =>
        behaviour.visible(partner, subscription) &&
        (!subscription.deleted || behaviour.afterDeletion.has('found')),
    )
  }

  private create(partner: Partner, fields: Partial<SubscriptionFields>): Subscription {
    const subscription: Subscription = {
      target_url: '',
      secret: '',
      event_filters: [],
      ...fields,
      id: `whs-${randomUUID()}`,
      partner: partner.id,
      status: 'active',
      createdAt: this.setup.now(),
      deleted: false,
    }
    this.subscriptions.push(subscription)
    return subscription
  }

  private show(subscription: Subscription, operation: Operation): Record<string, unknown> {
    const { id, target_url, event_filters, description, status, createdAt } = subscription
    const fields: Record<string, unknown> = {
      id,
      target_url,
      event_filters,
      ...(description !== undefined && { description }),
      status,
      created_at: new Date(createdAt).toISOString(),
    }
    for (const edit of this.setup.behaviour.shown) edit(fields, subscription, operation)
    return fields
  }
}
