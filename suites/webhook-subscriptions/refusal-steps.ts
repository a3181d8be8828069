import { changeType } from '../../src/check/events/claim-change.ts'
import { describe, type Expect } from '../../src/check/expect.ts'
import { unlessUndecided } from '../../src/check/obstacle.ts'
import { RunSteps } from '../../src/check/run-steps.ts'
import { Inconclusive } from '../../src/check/verdict.ts'
import type { WebhookRegistry } from '../../src/check/webhooks/registry.ts'
import {
  type SubscriptionSteps,
  subscriptionRequest,
  updatedFilters,
} from '../../src/check/webhooks/subscription-steps.ts'
import { type Header, type PartnerHeader, partnerHeaders } from '../../src/event-hub/search.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { partnerApiOf } from '../../src/target/parts.ts'
import { counted } from '../../src/text/format.ts'
import { objectsIn } from '../../src/text/json.ts'
import type { SubscriptionRequest } from '../../src/webhook/subscriptions.ts'

/** Invalid requests to the subscription management (planned). Each differs in one point from a valid request. */
export class SubscriptionRefusalSteps extends RunSteps<{
  readonly expect: Expect
  readonly subscriptions: SubscriptionSteps
}> {
  /** The response to a creation with a secret that is one character too short. */
  responseToShortSecret(): Promise<HttpResponse> {
    return this.#responseTo('with a secret of 31 characters', (registry) => ({ secret: registry.secret(31) }))
  }

  /** The response to a creation whose target_url is not encrypted. */
  responseToPlainTarget(): Promise<HttpResponse> {
    return this.#responseTo('with an http: target_url', (registry) => {
      const { url } = registry.endpoint('plain', { status: 404 })
      return { target_url: url.replace(/^https:/, 'http:') }
    })
  }

  /** The response to a creation without a required member. */
  responseWithout(member: 'target_url' | 'secret' | 'event_filters'): Promise<HttpResponse> {
    return this.#responseTo(`without ${member}`, () => ({ [member]: undefined }))
  }

  /** The response to a creation without credentials. */
  creationWithoutCredentials(): Promise<HttpResponse> {
    return this.#responseTo('without credentials', () => ({}), [])
  }

  /** The response to an update without credentials that would change nothing. */
  async updateWithoutCredentials(): Promise<HttpResponse> {
    const registry = await this.steps.subscriptions.registry()
    const { update, subscription } = await this.steps.subscriptions.updated()
    if (update.status >= 300)
      throw new Inconclusive('a subscription cannot be updated', ['WEBHOOK-SUBSCRIPTION-UPDATE'])
    this.steps.expect.describeRequest('an otherwise valid update without credentials')
    const changes = { event_filters: updatedFilters(subscription) }
    return registry.management.update(subscription.id, changes, [])
  }

  /** The response to a GET of a subscription without credentials. */
  async getWithoutCredentials(): Promise<HttpResponse> {
    const registry = await this.steps.subscriptions.registry()
    const { id } = await this.steps.subscriptions.described()
    await this.steps.subscriptions.requireFound()
    this.steps.expect.describeRequest('an otherwise valid request for a subscription, without credentials')
    return registry.management.get(id, [])
  }

  /**
   * Expects a deletion without credentials to be refused, and not executed. To find out, deletes the subscription with
   * credentials afterwards.
   * @throws {Violation}
   */
  async deletionRefused(): Promise<void> {
    const registry = await this.steps.subscriptions.registry()
    const { id } = await this.steps.subscriptions.described()
    const { status: statusOfGet } = await this.steps.subscriptions.got()
    const { deletion } = await this.steps.subscriptions.deleted()
    this.steps.expect.describeRequest('an otherwise valid deletion without credentials')
    const response = await registry.management.delete(id, [])
    await this.listRefused(response)
    const { status } = await registry.delete(id)
    // The second deletion proves nothing if other deletions, or requests by id, fail.
    if (statusOfGet >= 300 || deletion.status >= 300) return
    this.steps.expect.that(
      status !== 404 && status !== 410,
      'a refusal that deletes nothing',
      `status ${response.status}, and then ${status} for a deletion with credentials`,
    )
  }

  /** The response to a list request without one of the partner's headers. */
  listWithout(header: PartnerHeader): Promise<HttpResponse> {
    const others = partnerHeaders(partnerApiOf(this.run.target).credentials).filter(
      ([name]) => name !== header,
    )
    return this.run.once([this.listWithout, header], () => this.listFor(others, `without ${header}`))
  }

  /** The response to a list request without credentials. */
  listWithoutCredentials(): Promise<HttpResponse> {
    return this.run.once(this.listWithoutCredentials, () => this.listFor([], 'without credentials'))
  }

  /** The response to a list request with other headers in place of the partner's credentials. */
  async listFor(headers: readonly Header[], difference: string): Promise<HttpResponse> {
    const registry = await this.steps.subscriptions.registry()
    await this.steps.subscriptions.list()
    this.steps.expect.describeRequest(
      `an otherwise valid request for the list of subscriptions, ${difference}`,
    )
    return registry.management.list(headers)
  }

  /**
   * Requires that the service checks credentials, before the check replaces them.
   * @throws {Inconclusive} if the list is returned without credentials
   */
  async requireCredentialsMatter(): Promise<void> {
    if (await this.#isListed(await this.listWithoutCredentials()))
      throw new Inconclusive('the list is returned without any credentials', [
        'WEBHOOK-SUBSCRIPTION-CREDENTIALS',
      ])
  }

  /**
   * Requires that the service checks a header of the partner, before the check replaces it.
   * @throws {Inconclusive} if the list is returned without the header
   */
  async requireHeaderMatters(header: PartnerHeader): Promise<void> {
    await this.requireCredentialsMatter()
    const part = header === 'X-Client-Id' ? 'an id' : 'a secret'
    if (await this.#isListed(await this.listWithout(header)))
      throw new Inconclusive(`the list is returned without ${part}`, ['WEBHOOK-SUBSCRIPTION-CREDENTIALS'])
  }

  /** Expects a creation to be refused, and to create no subscription. @throws {Violation} */
  async creationRefused(response: HttpResponse): Promise<void> {
    this.steps.expect.anyRefusal(response)
    this.steps.expect.that(
      !(await this.steps.subscriptions.registry()).wasCreatedAnyway(response),
      'a refusal that creates nothing',
      `status ${response.status}, and the subscription in the list`,
    )
  }

  /** Expects a refusal whose body contains no subscription. @throws {Violation} */
  async listRefused(response: HttpResponse): Promise<void> {
    this.steps.expect.anyRefusal(response)
    const subscriptionCount = await this.#subscriptionsIn(response)
    this.steps.expect.that(
      subscriptionCount === 0,
      'a refusal without subscriptions',
      `${counted(subscriptionCount, 'subscription')} in the response with status ${response.status}`,
    )
  }

  /** Whether a list request was accepted, or its refusal contains subscriptions. */
  async #isListed(response: HttpResponse): Promise<boolean> {
    return response.status < 300 || (await this.#subscriptionsIn(response)) > 0
  }

  async #subscriptionsIn(response: HttpResponse): Promise<number> {
    const registry = await this.steps.subscriptions.registry()
    const listed = objectsIn(response.json).filter((object) => 'target_url' in object).length
    return Math.max(listed, registry.targetsIn(response))
  }

  /**
   * Sends one more valid creation, because the service may limit the number of subscriptions.
   * @throws {Inconclusive} if the valid creation is refused too
   */
  async anotherIsAccepted(): Promise<void> {
    const registry = await this.steps.subscriptions.registry()
    const { response } = await this.run.once(this.anotherIsAccepted, async () => {
      const endpoint = registry.endpoint('beside refusals', { status: 404 })
      const creation = await registry.create(subscriptionRequest(registry, endpoint, [changeType], 32))
      if (creation.id !== undefined) await unlessUndecided(registry.delete(creation.id))
      return creation
    })
    if (response.status >= 300) {
      throw new Inconclusive(
        `the response to one more valid creation was ${describe(response)}, so refusals cannot be judged; there may be a limit of subscriptions`,
      )
    }
  }

  /**
   * The response to a creation with these changes, which is sent once per run. A created subscription is deleted at
   * once, or by the end of the run.
   * @throws {Inconclusive} if a valid creation is refused too, so that the refusal proves nothing
   */
  #responseTo(
    difference: string,
    changesOf: (registry: WebhookRegistry) => {
      readonly [Name in keyof SubscriptionRequest]: SubscriptionRequest[Name] | undefined
    },
    credentials?: readonly Header[],
  ): Promise<HttpResponse> {
    return this.run.once([this.#responseTo, difference], async () => {
      const registry = await this.steps.subscriptions.registry()
      await this.steps.subscriptions.subscription()
      this.steps.expect.describeRequest(`an otherwise valid creation ${difference}`)
      const request = {
        ...subscriptionRequest(registry, registry.endpoint(difference, { status: 404 }), [changeType], 32),
        ...changesOf(registry),
      }
      const sent = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))
      const creation = await registry.create(sent, credentials)
      if (creation.id !== undefined) await unlessUndecided(registry.delete(creation.id))
      if (creation.response.status >= 300) {
        await this.anotherIsAccepted()
        await registry.lookFor(creation)
      }
      return creation.response
    })
  }
}
