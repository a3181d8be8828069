import { canonical, namesAmong } from '../event-hub/event.ts'
import { type Header, partnerHeaders } from '../event-hub/search.ts'
import type { HttpResponse } from '../http/response.ts'
import type { SubscriptionRequest } from '../webhook/subscriptions.ts'
import type { CheckContext } from './context.ts'
import { describe } from './expect.ts'
import { Inconclusive, NotApplicable } from './verdict.ts'
import { type Creation, type Endpoint, objectsIn, WebhookDesk } from './webhook-desk.ts'
import type { World } from './world.ts'

/** The one type of event that is emitted today. */
export const emittedType = 'ClaimValuesChanged'
/** A documented type that nothing in a run brings about. */
export const otherType = 'user.deleted'

/** A subscription that was created. */
export interface Subscription extends Creation {
  readonly id: string
  readonly endpoint: Endpoint
}

/** Steps with the management of webhook subscriptions (planned). */
export class WebhookSubscriptionSteps {
  protected readonly world: World
  protected readonly context: CheckContext

  constructor(world: World, context: CheckContext) {
    this.world = world
    this.context = context
  }

  /**
   * What webhooks of the run share.
   * @throws {NotApplicable} where the target has no webhooks
   */
  async desk(): Promise<WebhookDesk> {
    const desk = await this.share('webhook desk', () => WebhookDesk.open(this.world))
    await this.share('webhook feature', async () => {
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
  async creation(): Promise<Creation & { readonly endpoint: Endpoint }> {
    const desk = await this.desk()
    return this.#firstCreation(desk)
  }

  #firstCreation(desk: WebhookDesk): Promise<Creation & { readonly endpoint: Endpoint }> {
    return this.share('webhook creation', async () => {
      const endpoint = desk.endpoint('deleted', { status: 200 })
      return { endpoint, ...(await desk.create(this.request(desk, endpoint, [emittedType], 32))) }
    })
  }

  /** The subscription of the first creation. @throws {Inconclusive} where there is none */
  async subscription(): Promise<Subscription> {
    return created(await this.creation())
  }

  /** A creation with a description, for a type that is not emitted. */
  async describedCreation(): Promise<Creation & { readonly endpoint: Endpoint }> {
    const desk = await this.desk()
    await this.subscription()
    return this.share('webhook described', async () => {
      const endpoint = desk.endpoint('updated', { status: 202 })
      const request = {
        ...this.request(desk, endpoint, [otherType]),
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
    return this.share('webhook list', () => desk.answered(desk.management.list()))
  }

  /** The subscription with a description, as it is given out before it is updated. */
  async got(): Promise<HttpResponse> {
    const desk = await this.desk()
    const { id } = await this.described()
    return this.share('webhook get', () => desk.answered(desk.management.get(id)))
  }

  /** @throws {Inconclusive} where a subscription cannot be looked up, so that nothing else can be done with it */
  async isFound(): Promise<void> {
    if ((await this.got()).status >= 300)
      throw new Inconclusive('a subscription is not found by its id; see WEBHOOK-SUBSCRIPTION-GET')
  }

  /** The same, updated to the type of event that is emitted, and how it is given out then. */
  async updated(): Promise<{
    readonly update: HttpResponse
    readonly before: HttpResponse
    readonly afterwards: HttpResponse
    readonly subscription: Subscription
  }> {
    const desk = await this.desk()
    const subscription = await this.described()
    const before = await this.got()
    return this.share('webhook update', async () => {
      const { id } = subscription
      const update = await desk.answered(desk.management.update(id, { event_filters: this.updatedFilters }))
      return { update, before, afterwards: await desk.answered(desk.management.get(id)), subscription }
    })
  }

  /** The first subscription, deleted, and the answers to that and to a look for it. */
  async deleted(): Promise<
    Subscription & { readonly deletion: HttpResponse; readonly afterwards: HttpResponse }
  > {
    const desk = await this.desk()
    const first = await this.subscription()
    await this.list()
    return this.share('webhook deleted', async () => {
      const deletion = await desk.delete(first.id)
      return { ...first, deletion, afterwards: await desk.answered(desk.management.get(first.id)) }
    })
  }

  /** Members of the first creation's answer. @throws {Inconclusive} where nothing was created */
  async createdMembers(): Promise<Readonly<Record<string, unknown>>> {
    const { response } = await this.creation()
    if (response.status < 300 && response.object) return response.object
    throw new Inconclusive(
      `a valid creation was answered ${describe(response)}; see WEBHOOK-SUBSCRIPTION-CREATE`,
    )
  }

  /** Values of status in all answers so far, sorted. */
  async statusValues(): Promise<string[]> {
    const { answers } = await this.desk()
    return namesAmong(answers.flatMap(({ json }) => objectsIn(json).map(({ status }) => status)))
  }

  /** What the first subscription is updated to. */
  readonly updatedFilters: readonly string[] = [emittedType]

  /** Whether event_filters are those that were sent, in any order. */
  sameFilters(given: unknown, sent: readonly string[] = []): boolean {
    if (!Array.isArray(given)) return false
    return canonical([...given].sort()) === canonical([...sent].sort())
  }

  /** Names of the members of an answer, those of what it holds included, sorted. */
  memberNames(json: unknown): string[] {
    return namesAmong(objectsIn(json).flatMap((object) => Object.keys(object)))
  }

  answerToShortSecret(): Promise<HttpResponse> {
    return this.share('webhook short secret', async () => {
      const secret = (await this.desk()).secret(31)
      return this.#answerTo({ secret }, 'with a secret of 31 characters')
    })
  }

  answerToPlainTarget(): Promise<HttpResponse> {
    return this.share('webhook plain target', async () => {
      const { url } = (await this.desk()).endpoint('plain', { status: 404 })
      return this.#answerTo({ target_url: url.replace(/^https:/, 'http:') }, 'with an http: target_url')
    })
  }

  answerWithout(member: 'target_url' | 'secret' | 'event_filters'): Promise<HttpResponse> {
    return this.share(`webhook without ${member}`, () =>
      this.#answerTo({ [member]: undefined }, `without ${member}`),
    )
  }

  creationByNobody(): Promise<HttpResponse> {
    return this.share('webhook creation by nobody', () => this.#answerTo({}, 'without credentials', []))
  }

  listForIdAlone(): Promise<HttpResponse> {
    const headers = partnerHeaders(this.world.target.partner).filter(([name]) => name === 'X-Client-Id')
    return this.share('webhook list for an id', () => this.listFor(headers, 'without X-Client-Secret'))
  }

  listForNobody(): Promise<HttpResponse> {
    return this.share('webhook list for nobody', () => this.listFor([], 'without credentials'))
  }

  /** Expects a refusal of the list that holds no subscription. @throws {Violation} */
  listRefused(response: HttpResponse): void {
    this.refused(response)
    const held = objectsIn(response.json).filter((object) => 'target_url' in object).length
    this.context.expect.that(
      held === 0,
      'a refusal without subscriptions',
      `the answer with status ${response.status} held ${held}`,
    )
  }

  /** @throws {Inconclusive} where the update is not even shown */
  async updateIsShown(): Promise<void> {
    const { update, afterwards } = await this.updated()
    const given = memberIn(afterwards, 'event_filters')
    if (update.status < 300 && (given === undefined || this.sameFilters(given, this.updatedFilters))) return
    throw new Inconclusive('the event_filters were not changed; see WEBHOOK-SUBSCRIPTION-UPDATE')
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

  /** Deletes all subscriptions that are left of this run. */
  async deleteAll(): Promise<{ readonly deleted: number; readonly left: number }> {
    const desk = await this.desk()
    await this.creation()
    return desk.deleteAll()
  }

  /** How many answers so far hold a secret of this run: the whole of it, or a recognisable part. */
  async secretsGivenOut(): Promise<{
    readonly answers: number
    readonly whole: number
    readonly parts: number
  }> {
    const { answers, secrets } = await this.desk()
    const holding = (needles: readonly string[]) =>
      answers.filter(({ text }) => needles.some((needle) => text.includes(needle))).length
    const whole = holding(secrets.flatMap(formsOf))
    const parts = holding(secrets.flatMap((secret) => [secret.slice(0, 8), secret.slice(-8)]))
    return { answers: answers.length, whole, parts: Math.max(0, parts - whole) }
  }

  /** The answer to a creation that differs from the first one as told; whatever it creates is deleted at once. */
  async #answerTo(
    changes: { readonly [Name in keyof SubscriptionRequest]: SubscriptionRequest[Name] | undefined },
    what: string,
    credentials?: readonly Header[],
  ): Promise<HttpResponse> {
    const desk = await this.desk()
    await this.subscription()
    this.context.expect.sending(`a valid creation ${what}`)
    const request = {
      ...this.request(desk, desk.endpoint(what, { status: 404 }), [otherType], 32),
      ...changes,
    }
    const sent = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))
    const { response, id } = await desk.create(sent, credentials)
    if (id !== undefined) await desk.delete(id)
    return response
  }

  /** The list, asked for with other headers in place of the partner's credentials. */
  async listFor(headers: readonly Header[], what: string): Promise<HttpResponse> {
    const desk = await this.desk()
    await this.list()
    this.context.expect.sending(`a valid list of subscriptions ${what}`)
    return desk.answered(desk.management.list(headers))
  }

  /** Expects a refusal that created nothing; which status refuses is not shown. @throws {Violation} */
  refused(response: HttpResponse): void {
    this.context.expect.that(
      response.status >= 300,
      'a refusal with any status',
      `it was answered ${response.status}`,
    )
  }

  /** Whether an answer names a subscription, wherever in it. */
  names(response: HttpResponse, id: string): boolean {
    return stringsIn(response.json).includes(id)
  }

  protected request(
    desk: WebhookDesk,
    endpoint: Endpoint,
    filters: readonly string[],
    characters?: number,
  ): SubscriptionRequest {
    return { target_url: endpoint.url, secret: desk.secret(characters), event_filters: filters }
  }

  protected share<T>(name: string, make: () => Promise<T>): Promise<T> {
    return this.world.shared(name, make)
  }
}

/** @throws {Inconclusive} where a creation brought no subscription, or no id to go on with */
export function created<T extends Creation>(creation: T): T & { readonly id: string } {
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

/** The object of an answer that has a member of that name: the subscription itself, or one wrapped in something. */
export function memberIn(response: HttpResponse, name: string): unknown {
  return objectsIn(response.json).find((object) => name in object)?.[name]
}

/** A secret as it is, and encoded; more than half of it counts as the whole. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const half = Math.ceil(secret.length / 2) + 1
  return [
    secret.slice(0, half),
    secret.slice(-half),
    // The last characters depend on what follows.
    bytes.toString('base64').slice(0, -4),
    bytes.toString('base64url').slice(0, -4),
    bytes.toString('hex'),
  ]
}

function stringsIn(json: unknown): string[] {
  if (typeof json === 'string') return [json]
  if (json === null || typeof json !== 'object') return []
  return Object.values(json).flatMap(stringsIn)
}
