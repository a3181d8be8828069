import { errorName } from '../../evidence/allow-list.ts'
import type { HttpResponse } from '../../http/response.ts'
import { partnerApiOf } from '../../target/parts.ts'
import { counted } from '../../text/format.ts'
import { objectsIn } from '../../text/json.ts'
import type { SubscriptionRequest } from '../../webhook/subscriptions.ts'
import { changeType } from '../events/claim-change.ts'
import { describe } from '../expect.ts'
import { featureDisabled, isFeatureDisabled } from '../feature-disabled.ts'
import type { RunContext } from '../run-context.ts'
import { Inconclusive, NotApplicable } from '../verdict.ts'
import { otherType, settled } from './receivers.ts'
import { type Creation, type Endpoint, WebhookRegistry } from './registry.ts'
import type { Deletions } from './remaining-subscriptions.ts'
import { isNoSubscription, lacksOperation, memberIn, namesSubscription, sameFilters } from './responses.ts'

type EndpointCreation = Creation & { readonly endpoint: Endpoint }

interface Subscription extends EndpointCreation {
  readonly id: string
}

/** What to do about subscriptions that a run could not delete. */
export const byHand = 'delete by hand those whose target_url begins with WEBHOOK_RECEIVER_URL'

/**
 * Steps with webhook subscriptions (planned). The first subscription is deleted during the run; the second has a
 * description and is updated.
 */
export class SubscriptionSteps {
  readonly #run: RunContext

  constructor(run: RunContext) {
    this.#run = run
  }

  /**
   * The state that webhook checks of the run share.
   * @throws {NotApplicable} if the target has no webhooks
   */
  async registry(): Promise<WebhookRegistry> {
    const registry = await this.#opened()
    await this.#run.once(this.registry, async () => {
      const response = await this.firstList()
      // A target with webhooks may lack only the list. Then a valid creation returns a subscription.
      const isMissing =
        lacksOperation(response) && isNoSubscription((await this.#firstCreation(registry)).response)
      if (isMissing || isFeatureDisabled(response)) {
        throw new NotApplicable(
          `the target has no webhooks: the response to a request for the list of subscriptions was ${response.status}${typeIn(response)}`,
          'target',
        )
      }
      if (response.status === 400 && isNoSubscription((await this.#firstCreation(registry)).response)) {
        throw new Inconclusive(
          `the target may have no webhooks: the response to a request for the list of subscriptions was ${describe(response)}, and a valid creation returned no subscription`,
          { variables: ['ENABLE'], advice: 'if the target has none, remove planned from ENABLE' },
        )
      }
      if (response.status === 401 || response.status === 403) {
        const actual = typeIn(response) ? `${response.status}${typeIn(response)}` : describe(response)
        throw new Inconclusive(`the response to a request for the list of subscriptions was ${actual}`, {
          variables: ['PARTNER_CLIENT_ID', 'PARTNER_CLIENT_SECRET'],
          advice: `check PARTNER_CLIENT_ID and PARTNER_CLIENT_SECRET, and that the partner may use webhooks; a target without webhooks returns 403 with the type ${featureDisabled}`,
        })
      }
    })
    return registry
  }

  /** The first list of subscriptions, which shows whether the target has webhooks. */
  async firstList(): Promise<HttpResponse> {
    const registry = await this.#opened()
    return this.#run.once(this.firstList, () => registry.list())
  }

  #opened(): Promise<WebhookRegistry> {
    return this.#run.once(this.#opened, () => WebhookRegistry.open(this.#run))
  }

  /** The first creation of the run, with a secret of exactly 32 characters and without a description. */
  async creation(): Promise<EndpointCreation> {
    return this.#firstCreation(await this.registry())
  }

  #firstCreation(registry: WebhookRegistry): Promise<EndpointCreation> {
    return this.#run.once(this.#firstCreation, async () => {
      const endpoint = registry.endpoint('deleted', { status: 200 })
      return {
        endpoint,
        ...(await registry.create(subscriptionRequest(registry, endpoint, [changeType], 32))),
      }
    })
  }

  /** The subscription of the first creation. @throws {Inconclusive} if there is none */
  async subscription(): Promise<Subscription> {
    return created(await this.creation())
  }

  /** Members of the response to the first creation. @throws {Inconclusive} if nothing was created */
  async createdMembers(): Promise<Readonly<Record<string, unknown>>> {
    const { response } = await this.creation()
    if (response.status < 300 && response.object) return response.object
    throw new Inconclusive(`the response to a valid creation was ${describe(response)}`, [
      'WEBHOOK-SUBSCRIPTION-CREATE',
    ])
  }

  /** A creation with a description, for an event type that no action of the run causes. */
  async describedCreation(): Promise<EndpointCreation> {
    const registry = await this.registry()
    await this.subscription()
    return this.#run.once(this.describedCreation, async () => {
      const endpoint = registry.endpoint('updated', { status: 202 })
      const description = 'Plumbline conformance run'
      const creationFor = (type: string) =>
        registry.create({ ...subscriptionRequest(registry, endpoint, [type]), description })
      const creation = await creationFor(otherType)
      if (creation.response.status < 300) return { endpoint, ...creation }
      // The service may not know a planned type.
      return { endpoint, ...(await creationFor(changeType)) }
    })
  }

  /** The subscription with a description. @throws {Inconclusive} if there is none */
  async described(): Promise<Subscription> {
    const creation = await this.describedCreation()
    if (creation.response.status < 300) return created(creation)
    throw new Inconclusive('there is no subscription', ['WEBHOOK-SUBSCRIPTION-DESCRIPTION'])
  }

  /** The list while both subscriptions exist. */
  async list(): Promise<HttpResponse> {
    const registry = await this.registry()
    const both = [await this.creation(), await this.describedCreation()]
    return this.#run.once(this.list, () =>
      this.#settled(
        () => registry.list(),
        (list) => both.every(({ id }) => id === undefined || namesSubscription(list, id)),
      ),
    )
  }

  /**
   * The event_filters that `list` may show for the second subscription: those of its creation, or of an earlier update.
   */
  async listedFilters(): Promise<readonly (readonly string[])[]> {
    const { responses } = (await this.registry()).management
    const list = await this.list()
    const described = await this.describedCreation()
    const earlier = responses.slice(0, responses.indexOf(list))
    const isUpdated = earlier.some(({ exchange: { request } }) => request.method === 'PATCH')
    return [described.request.event_filters ?? [], ...(isUpdated ? [updatedFilters(described)] : [])]
  }

  /** The response to a GET of the subscription with a description, before its update. */
  async got(): Promise<HttpResponse> {
    const registry = await this.registry()
    const { id } = await this.described()
    return this.#run.once(this.got, () =>
      this.#settled(
        () => registry.management.get(id),
        (response) => response.status < 300 && namesSubscription(response, id),
      ),
    )
  }

  /** @throws {Inconclusive} if a GET does not find the subscription with a description */
  async requireFound(): Promise<void> {
    if ((await this.got()).status >= 300)
      throw new Inconclusive('a subscription is not found by its id', ['WEBHOOK-SUBSCRIPTION-GET'])
  }

  /** The update of the event_filters of the subscription with a description, with a GET before and afterwards. */
  async updated(): Promise<{
    readonly update: HttpResponse
    readonly before: HttpResponse
    readonly afterwards: HttpResponse
    readonly subscription: Subscription
  }> {
    const registry = await this.registry()
    const subscription = await this.described()
    const before = await this.got()
    return this.#run.once(this.updated, async () => {
      const { id } = subscription
      const changes = { event_filters: updatedFilters(subscription) }
      const update = await registry.management.update(id, changes)
      const afterwards = await this.#settled(
        () => registry.management.get(id),
        (response) => sameFilters(memberIn(response, 'event_filters'), changes.event_filters),
      )
      return { update, before, afterwards, subscription }
    })
  }

  /** @throws {Inconclusive} if a GET does not show the updated event_filters */
  async requireUpdateShown(): Promise<void> {
    const { update, afterwards, subscription } = await this.updated()
    if (subscription.request.event_filters?.includes(changeType)) {
      throw new Inconclusive(
        `the target refuses a subscription to ${otherType}, so changing a subscription from that type to another cannot be checked`,
      )
    }
    const given = memberIn(afterwards, 'event_filters')
    const isShown = given === undefined || sameFilters(given, updatedFilters(subscription))
    if (update.status < 300 && isShown) return
    throw new Inconclusive('the event_filters were not changed', ['WEBHOOK-SUBSCRIPTION-UPDATE'])
  }

  /** The first subscription, deleted, and the responses to its deletion and to a GET afterwards. */
  async deleted(): Promise<
    Subscription & { readonly deletion: HttpResponse; readonly afterwards: HttpResponse }
  > {
    const registry = await this.registry()
    const first = await this.subscription()
    await this.list()
    return this.#run.once(this.deleted, async () => {
      const deletion = await registry.delete(first.id)
      const afterwards = await this.#settled(
        () => registry.management.get(first.id),
        (response) => !namesSubscription(response, first.id),
      )
      return { ...first, deletion, afterwards }
    })
  }

  /**
   * Whether the last list of the run still contains the deleted subscription with its former status. False if the run
   * deleted no subscription, or requested no list afterwards.
   */
  async isDeletedListed(): Promise<boolean> {
    const { lastList, deletedBeforeList: deleted } = await this.registry()
    const { id, response } = await this.creation()
    if (lastList === undefined || id === undefined || !deleted.has(id)) return false
    const listed = objectsIn(lastList.json).find((object) => object.id === id)
    return listed !== undefined && (listed.status === undefined || listed.status === response.object?.status)
  }

  /**
   * Deletes all remaining subscriptions of this run.
   * @param note receives the number of subscriptions that remain, before this method throws an error
   * @throws the first error if subscriptions remain, and no request to delete them had a response
   */
  async deleteAll(note: (text: string) => void): Promise<Pick<Deletions, 'deleted' | 'remaining'>> {
    const registry = await this.registry()
    await this.creation()
    const { obstacles, ...numbers } = await registry.deleteAll()
    if (obstacles.length === 0 || obstacles.length < numbers.remaining) return numbers
    note(`${counted(numbers.remaining, 'subscription')} of this run may be left; ${byHand}`)
    throw obstacles[0]
  }

  #settled(
    look: () => Promise<HttpResponse>,
    isExpected: (response: HttpResponse) => boolean,
  ): Promise<HttpResponse> {
    return settled(partnerApiOf(this.#run.target).url, look, isExpected)
  }
}

/** The new filters of an update: the type of claim changes or, if the subscription already has that type, all types. */
export function updatedFilters({ request }: Creation): readonly string[] {
  return request.event_filters?.includes(changeType) ? [] : [changeType]
}

/** @throws {Inconclusive} if a creation returned no subscription, or no id */
function created(creation: EndpointCreation): Subscription {
  const { id, response } = creation
  if (response.status >= 300) {
    throw new Inconclusive(`the response to a valid creation was ${describe(response)}`, [
      'WEBHOOK-SUBSCRIPTION-CREATE',
    ])
  }
  if (id === undefined)
    throw new Inconclusive('the created subscription has no id', ['WEBHOOK-SUBSCRIPTION-CREATE-ID'])
  return { ...creation, id }
}

/** A valid creation, with a random secret of this length. */
export function subscriptionRequest(
  registry: WebhookRegistry,
  endpoint: Endpoint,
  filters: readonly string[],
  characters?: number,
): SubscriptionRequest {
  return { target_url: endpoint.url, secret: registry.secret(characters), event_filters: filters }
}

/** The type in the body of a platform error; empty if there is none. */
function typeIn({ object }: HttpResponse): string {
  const type = errorName(object?.type)
  return type === undefined ? '' : ` with the type ${type}`
}
