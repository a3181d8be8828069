import { type Header, partnerHeaders } from '../../event-hub/search.ts'
import type { HttpResponse } from '../../http/response.ts'
import type { SubscriptionRequest } from '../../webhook/subscriptions.ts'
import type { CheckContext } from '../context.ts'
import { Inconclusive } from '../verdict.ts'
import type { World } from '../world.ts'
import { objectsIn } from './answers.ts'
import { otherType } from './receivers.ts'
import { subscriptionRequest } from './subscription-steps.ts'

/** Requests to the management of subscriptions (planned) that differ from a valid one in one thing. */
export class SubscriptionRefusalSteps {
  readonly #world: World
  readonly #context: CheckContext

  constructor(world: World, context: CheckContext) {
    this.#world = world
    this.#context = context
  }

  /** The answer to a creation with a secret one character too short. */
  answerToShortSecret(): Promise<HttpResponse> {
    return this.#world.shared('webhook short secret', async () => {
      const secret = (await this.#context.subscriptions.desk()).secret(31)
      return this.#answerTo({ secret }, 'with a secret of 31 characters')
    })
  }

  /** The answer to a creation whose target_url is not encrypted. */
  answerToPlainTarget(): Promise<HttpResponse> {
    return this.#world.shared('webhook plain target', async () => {
      const { url } = (await this.#context.subscriptions.desk()).endpoint('plain', { status: 404 })
      return this.#answerTo({ target_url: url.replace(/^https:/, 'http:') }, 'with an http: target_url')
    })
  }

  /** The answer to a creation without a required member. */
  answerWithout(member: 'target_url' | 'secret' | 'event_filters'): Promise<HttpResponse> {
    return this.#world.shared(`webhook without ${member}`, () =>
      this.#answerTo({ [member]: undefined }, `without ${member}`),
    )
  }

  /** The answer to a creation without any credentials. */
  creationByNobody(): Promise<HttpResponse> {
    return this.#world.shared('webhook creation by nobody', () =>
      this.#answerTo({}, 'without credentials', []),
    )
  }

  /** The list, asked for with the partner's id alone. */
  listForIdAlone(): Promise<HttpResponse> {
    const headers = partnerHeaders(this.#world.target.partner).filter(([name]) => name === 'X-Client-Id')
    return this.#world.shared('webhook list for an id', () =>
      this.listFor(headers, 'without X-Client-Secret'),
    )
  }

  /** The list, asked for without any credentials. */
  listForNobody(): Promise<HttpResponse> {
    return this.#world.shared('webhook list for nobody', () => this.listFor([], 'without credentials'))
  }

  /** The list, asked for with other headers in place of the partner's credentials. */
  async listFor(headers: readonly Header[], what: string): Promise<HttpResponse> {
    const { subscriptions, expect } = this.#context
    const desk = await subscriptions.desk()
    await subscriptions.list()
    expect.sending(`a valid list of subscriptions ${what}`)
    return desk.answered(desk.management.list(headers))
  }

  /**
   * Makes sure that credentials matter, before something else is sent in their place.
   * @throws {Inconclusive} where the list is given to nobody
   */
  async credentialsMatter(): Promise<void> {
    if ((await this.listForNobody()).status < 300)
      throw new Inconclusive(
        'the list is given out without any credentials; see WEBHOOK-SUBSCRIPTION-CREDENTIALS',
      )
  }

  /** Expects a refusal of the list that holds no subscription. @throws {Violation} */
  listRefused(response: HttpResponse): void {
    this.#context.expect.anyRefusal(response)
    const held = objectsIn(response.json).filter((object) => 'target_url' in object).length
    this.#context.expect.that(
      held === 0,
      'a refusal without subscriptions',
      `the answer with status ${response.status} held ${held}`,
    )
  }

  /** The answer to a creation that differs from the first one as told; whatever it creates is deleted at once. */
  async #answerTo(
    changes: { readonly [Name in keyof SubscriptionRequest]: SubscriptionRequest[Name] | undefined },
    what: string,
    credentials?: readonly Header[],
  ): Promise<HttpResponse> {
    const desk = await this.#context.subscriptions.desk()
    await this.#context.subscriptions.subscription()
    this.#context.expect.sending(`a valid creation ${what}`)
    const request = {
      ...subscriptionRequest(desk, desk.endpoint(what, { status: 404 }), [otherType], 32),
      ...changes,
    }
    const sent = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))
    const { response, id } = await desk.create(sent, credentials)
    if (id !== undefined) await desk.delete(id)
    return response
  }
}
