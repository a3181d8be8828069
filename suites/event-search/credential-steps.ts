import { randomBytes, randomUUID } from 'node:crypto'
import type { EventSearchSteps } from '../../src/check/events/search-steps.ts'
import type { SharedKey } from '../../src/check/run-context.ts'
import { RunSteps } from '../../src/check/run-steps.ts'
import { Inconclusive } from '../../src/check/verdict.ts'
import { type Header, partnerHeaders, type SearchQuery } from '../../src/event-hub/search.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { partnerApiOf } from '../../src/target/parts.ts'
import type { ClientCredentials } from '../../src/target/target.ts'

/** A search for a later page that is sent once per run: its key, its headers, and how it differs from the control. */
type LaterSearch = readonly [key: SharedKey, headers: readonly Header[], what: string]

const anonymously = 'without X-Client-Id and X-Client-Secret'

/** Searches with incomplete or wrong credentials. */
export class PartnerCredentialSteps extends RunSteps<{ readonly events: EventSearchSteps }> {
  /** The credentials of a partner without the Event Hub. The check must declare that it needs them. */
  unentitled(): ClientCredentials {
    const { unentitledPartner } = this.run.target
    if (unentitledPartner) return unentitledPartner
    throw new Error('a check that uses an unentitled partner does not declare that it needs one')
  }

  /** The response to the control without any credentials: a cache may have stored the page. */
  async responseWithoutCredentials(): Promise<HttpResponse> {
    this.steps.events.stateSearch(anonymously)
    return this.run.once(this.responseWithoutCredentials, () =>
      this.steps.events.searchWithHeaders([], anonymously),
    )
  }

  /**
   * The response to the second page without any credentials; undefined if the hub checks credentials for later pages, as
   * far as a search with an id alone shows.
   */
  async laterResponseWithoutCredentials(): Promise<HttpResponse | undefined> {
    const idOnly = await this.#sentOnce(...this.#idOnly())
    return this.steps.events.isServed(idOnly) ? this.#sentOnce(...this.#laterAnonymously()) : undefined
  }

  /**
   * Requires that the hub checks credentials.
   * @throws {Inconclusive} if it accepts a search without credentials
   */
  async requireCredentialsMatter(): Promise<void> {
    if (this.steps.events.isServed(await this.responseWithoutCredentials()))
      throw new Inconclusive('a search without any credentials is accepted', ['EVENT-CREDENTIALS-REQUIRED'])
  }

  /** The response to a search with only the partner's id. */
  responseToIdOnly(): Promise<HttpResponse> {
    return this.#onceLater(...this.#idOnly())
  }

  /** The response to a search with only the partner's secret. */
  responseToSecretOnly(): Promise<HttpResponse> {
    return this.#onceLater(
      this.responseToSecretOnly,
      this.#ownHeaders('X-Client-Secret'),
      'without X-Client-Id',
    )
  }

  /**
   * Requires that the hub checks the secret, before the check replaces it.
   * @throws {Inconclusive} if it accepts a search without a secret
   */
  async requireSecretMatters(): Promise<void> {
    await this.requireCredentialsMatter()
    if (this.steps.events.isServed(await this.responseToIdOnly()))
      throw new Inconclusive('a search without a secret is accepted', ['EVENT-SECRET-REQUIRED'])
  }

  /** The response to a search with the partner's id and an unknown secret. */
  responseToWrongSecret(): Promise<HttpResponse> {
    const wrong = {
      id: partnerApiOf(this.run.target).credentials.id,
      secret: randomBytes(24).toString('hex'),
    }
    return this.#onceLater(this.responseToWrongSecret, partnerHeaders(wrong), 'with a random X-Client-Secret')
  }

  /** The response to a search with an unknown id and the partner's secret. */
  responseToWrongId(): Promise<HttpResponse> {
    const unknown = { id: randomUUID(), secret: partnerApiOf(this.run.target).credentials.secret }
    return this.#onceLater(this.responseToWrongId, partnerHeaders(unknown), 'with a random X-Client-Id')
  }

  /** Invalid credentials whose refusal has the status of another refusal; undefined if there are none. */
  async invalidWithStatus(status: number): Promise<string | undefined> {
    const mayProbe = this.run.target.allowedEffects.includes('credential-probes')
    if ((await this.responseWithoutCredentials()).status === status) return 'without credentials'
    if (mayProbe && (await this.responseToWrongId()).status === status) return 'with an unknown X-Client-Id'
    if (mayProbe && (await this.responseToWrongSecret()).status === status)
      return 'with an unknown X-Client-Secret'
    return undefined
  }

  /**
   * Requires that the hub checks the value of the secret, before the check sends another partner's secret.
   * @throws {Inconclusive} if it accepts a search with an unknown secret
   */
  async requireSecretCompared(): Promise<void> {
    await this.requireSecretMatters()
    if (this.steps.events.isServed(await this.responseToWrongSecret()))
      throw new Inconclusive('a search with a wrong secret is accepted', ['EVENT-SECRET-WRONG'])
  }

  /**
   * Requires that the hub checks the id, before the check replaces it.
   * @throws {Inconclusive} if it accepts a search without an id
   */
  async requireIdMatters(): Promise<void> {
    await this.requireCredentialsMatter()
    if (this.steps.events.isServed(await this.responseToSecretOnly()))
      throw new Inconclusive('a search without an id is accepted', ['EVENT-CLIENT-ID-REQUIRED'])
  }

  /** The response to a search with a bearer token in place of the credentials. */
  responseToBearer(kind: 'access token' | 'ID token', token: string): Promise<HttpResponse> {
    const headers = [['Authorization', `Bearer ${token}`]] as const
    return this.#onceLater(
      [this.responseToBearer, kind],
      headers,
      `with an ${kind} in place of the credentials`,
    )
  }

  /** The response to a search with HTTP Basic in place of the partner's headers. */
  responseToBasic({ id, secret }: ClientCredentials): Promise<HttpResponse> {
    const basic = Buffer.from(`${id}:${secret}`).toString('base64')
    return this.laterSearchWithHeaders(
      [['Authorization', `Basic ${basic}`]],
      'with HTTP Basic credentials in place of the headers',
    )
  }

  /** The second page with other headers, if there is one: a hub may check credentials for the first page alone. */
  async laterSearchWithHeaders(headers: readonly Header[], what: string): Promise<HttpResponse> {
    return this.dueToCredentials(await this.#sent(headers, what))
  }

  /** The same, sent once per run; each check that judges it states the request in its finding. */
  async #onceLater(...search: LaterSearch): Promise<HttpResponse> {
    return this.dueToCredentials(await this.#sentOnce(...search))
  }

  /**
   * The response to a search with other credentials.
   * @throws {Inconclusive} if the hub returns the same page without any
   */
  async dueToCredentials(response: HttpResponse): Promise<HttpResponse> {
    if (
      this.steps.events.isServed(response) &&
      this.steps.events.isServed(await this.#sentOnce(...this.#laterAnonymously()))
    )
      throw new Inconclusive('a later page is returned without any credentials', [
        'EVENT-CREDENTIALS-REQUIRED',
      ])
    return response
  }

  async #sentOnce(...[key, headers, what]: LaterSearch): Promise<HttpResponse> {
    this.steps.events.stateSearch(onPage(what, await this.steps.events.laterPage()))
    return this.run.once(key, () => this.#sent(headers, what))
  }

  async #sent(headers: readonly Header[], what: string): Promise<HttpResponse> {
    const later = await this.steps.events.laterPage()
    return this.steps.events.searchWithHeaders(headers, onPage(what, later), later)
  }

  #laterAnonymously(): LaterSearch {
    return [this.laterResponseWithoutCredentials, [], anonymously]
  }

  #idOnly(): LaterSearch {
    return [this.responseToIdOnly, this.#ownHeaders('X-Client-Id'), 'without X-Client-Secret']
  }

  #ownHeaders(only: string): readonly Header[] {
    return partnerHeaders(partnerApiOf(this.run.target).credentials).filter(([name]) => name === only)
  }
}

function onPage(what: string, { page }: Pick<SearchQuery, 'page'>): string {
  return page === 1 ? `${what}, and with page=1` : what
}
