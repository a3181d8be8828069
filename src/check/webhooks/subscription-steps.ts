import { changeType } from '../../event-hub/claim-change.ts'
import type { HttpResponse } from '../../http/response.ts'
import type { SubscriptionRequest } from '../../webhook/subscriptions.ts'
import { describe } from '../expect.ts'
import { Inconclusive, NotApplicable } from '../verdict.ts'
import type { World } from '../world.ts'
import { memberIn, sameFilters } from './answers.ts'
import { type Creation, type Endpoint, WebhookDesk } from './desk.ts'
import { otherType } from './receivers.ts'

/** What the described subscription is updated to. */
export const updatedFilters: readonly string[] = [changeType]

/** A creation, with the target_url it is about. */
type EndpointCreation = Creation & { readonly endpoint: Endpoint }

/** A subscription that was created. */
interface Subscription extends EndpointCreation {
  readonly id: string
}

/** Steps with the management of webhook subscriptions (planned): two of them, from creation to deletion. */
export class SubscriptionSteps {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  /**
   * What webhooks of the run share.
   * @throws {NotApplicable} where the target has no webhooks
   */
  async desk(): Promise<WebhookDesk> {
    const desk = await this.#world.shared('webhook desk', () => WebhookDesk.open(this.#world))
    await this.#world.shared('webhook feature', async () => {
      const response = await desk.answered(desk.management.list())
      // A list that is not found may be the only thing that is missing.
      const isMissing = response.status === 404 && (await this.#firstCreation(desk)).response.status >= 300
      if (isMissing || response.object?.type === 'FEATURE_DISABLED') {
        throw new NotApplicable(
          `the target has no webhooks: the list of subscriptions was answered ${response.status}`,
          'target',
        )
      }
      if (response.status === 401 || response.status === 403) {
        throw new Inconclusive(
          `the list of subscriptions was answered ${describe(response)}; check PARTNER_CLIENT_ID and PARTNER_CLIENT_SECRET, and that they may use webhooks`,
          'configuration',
        )
      }
    })
    return desk
  }

  /** The first creation of the run, as it was answered: with a secret of exactly 32 characters, and no description. */
  async creation(): Promise<EndpointCreation> {
    return this.#firstCreation(await this.desk())
  }

  #firstCreation(desk: WebhookDesk): Promise<EndpointCreation> {
    return this.#world.shared('webhook creation', async () => {
      const endpoint = desk.endpoint('deleted', { status: 200 })
      return { endpoint, ...(await desk.create(subscriptionRequest(desk, endpoint, [changeType], 32))) }
    })
  }

  /** The subscription of the first creation. @throws {Inconclusive} where there is none */
  async subscription(): Promise<Subscription> {
    return created(await this.creation())
  }

  /** Members of the first creation's answer. @throws {Inconclusive} where nothing was created */
  async createdMembers(): Promise<Readonly<Record<string, unknown>>> {
    const { response } = await this.creation()
    if (response.status < 300 && response.object) return response.object
    throw new Inconclusive(
      `a valid creation was answered ${describe(response)}; see WEBHOOK-SUBSCRIPTION-CREATE`,
    )
  }

  /** A creation with a description, for a type that is not emitted. */
  async describedCreation(): Promise<EndpointCreation> {
    const desk = await this.desk()
    await this.subscription()
    return this.#world.shared('webhook described', async () => {
      const endpoint = desk.endpoint('updated', { status: 202 })
      const request = {
        ...subscriptionRequest(desk, endpoint, [otherType]),
        description: 'Plumbline conformance run',
      }
      return { endpoint, ...(await desk.create(request)) }
    })
  }

  /** The subscription with a description. @throws {Inconclusive} where there is none */
  async described(): Promise<Subscription> {
    const creation = await this.describedCreation()
    if (creation.response.status < 300) return created(creation)
    throw new Inconclusive('there is no subscription to look at; see WEBHOOK-SUBSCRIPTION-DESCRIPTION')
  }

  /** The list of subscriptions while both are there. */
  async list(): Promise<HttpResponse> {
    const desk = await this.desk()
    await this.describedCreation()
    return this.#world.shared('webhook list', () => desk.answered(desk.management.list()))
  }

  /** The subscription with a description, as it is given out before it is updated. */
  async got(): Promise<HttpResponse> {
    const desk = await this.desk()
    const { id } = await this.described()
    return this.#world.shared('webhook get', () => desk.answered(desk.management.get(id)))
  }

  /** @throws {Inconclusive} where a subscription cannot be looked up, so that nothing else can be done with it */
  async isFound(): Promise<void> {
    if ((await this.got()).status >= 300)
      throw new Inconclusive('a subscription is not found by its id; see WEBHOOK-SUBSCRIPTION-GET')
  }

  /** The subscription with a description, updated to `updatedFilters`, and how it is given out then. */
  async updated(): Promise<{
    readonly update: HttpResponse
    readonly before: HttpResponse
    readonly afterwards: HttpResponse
    readonly subscription: Subscription
  }> {
    const desk = await this.desk()
    const subscription = await this.described()
    const before = await this.got()
    return this.#world.shared('webhook update', async () => {
      const { id } = subscription
      const update = await desk.answered(desk.management.update(id, { event_filters: updatedFilters }))
      return { update, before, afterwards: await desk.answered(desk.management.get(id)), subscription }
    })
  }

  /** @throws {Inconclusive} where the update is not even shown */
  async updateIsShown(): Promise<void> {
    const { update, afterwards } = await this.updated()
    const given = memberIn(afterwards, 'event_filters')
    if (update.status < 300 && (given === undefined || sameFilters(given, updatedFilters))) return
    throw new Inconclusive('the event_filters were not changed; see WEBHOOK-SUBSCRIPTION-UPDATE')
  }

  /** The first subscription, deleted, and the answers to that and to a look for it. */
  async deleted(): Promise<
    Subscription & { readonly deletion: HttpResponse; readonly afterwards: HttpResponse }
  > {
    const desk = await this.desk()
    const first = await this.subscription()
    await this.list()
    return this.#world.shared('webhook deleted', async () => {
      const deletion = await desk.delete(first.id)
      return { ...first, deletion, afterwards: await desk.answered(desk.management.get(first.id)) }
    })
  }

  /** Deletes all subscriptions that are left of this run. */
  async deleteAll(): Promise<{ readonly deleted: number; readonly left: number }> {
    const desk = await this.desk()
    await this.creation()
    return desk.deleteAll()
  }
}

/** @throws {Inconclusive} where a creation brought no subscription, or no id to go on with */
function created(creation: EndpointCreation): Subscription {
  const { id, response } = creation
  if (response.status >= 300) {
    throw new Inconclusive(
      `a valid subscription was answered ${describe(response)}; see WEBHOOK-SUBSCRIPTION-CREATE`,
    )
  }
  if (id === undefined)
    throw new Inconclusive('the subscription came without an id; see WEBHOOK-SUBSCRIPTION-CREATE-ID')
  return { ...creation, id }
}

/** A valid creation, with a secret of its own of so many characters. */
export function subscriptionRequest(
  desk: WebhookDesk,
  endpoint: Endpoint,
  filters: readonly string[],
  characters?: number,
): SubscriptionRequest {
  return { target_url: endpoint.url, secret: desk.secret(characters), event_filters: filters }
}
