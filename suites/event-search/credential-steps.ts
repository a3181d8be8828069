import { randomBytes, randomUUID } from 'node:crypto'
import type { EventSearchSteps } from '../../src/check/events/search-steps.ts'
import type { RequirementId } from '../../src/check/requirement.ts'
import { RunSteps } from '../../src/check/run-steps.ts'
import { Inconclusive } from '../../src/check/verdict.ts'
import {
  type Header,
  type PartnerHeader,
  partnerHeaders,
  type SearchQuery,
} from '../../src/event-hub/search.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { partnerApiOf } from '../../src/target/parts.ts'
import type { ClientCredentials, Target } from '../../src/target/target.ts'

/** What a search without a header lacks, and the requirement that it is refused. */
const required = {
  'X-Client-Id': ['an id', 'EVENT-CLIENT-ID-REQUIRED'],
  'X-Client-Secret': ['a secret', 'EVENT-SECRET-REQUIRED'],
} as const satisfies Record<PartnerHeader, readonly [string, RequirementId]>

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
    const headers = this.#headersWithout('X-Client-Secret')
    const idOnly = await this.#sentOnce(headers, 'without X-Client-Secret')
    return this.steps.events.isServed(idOnly) ? this.#sentOnce([], anonymously) : undefined
  }

  /**
   * Requires that the hub checks credentials.
   * @throws {Inconclusive} if it accepts a search without credentials
   */
  async requireCredentialsMatter(): Promise<void> {
    if (this.steps.events.isServed(await this.responseWithoutCredentials()))
      throw new Inconclusive('a search without any credentials is accepted', ['EVENT-CREDENTIALS-REQUIRED'])
  }

  /** The response to a search without one of the partner's headers. */
  responseWithout(header: PartnerHeader): Promise<HttpResponse> {
    return this.#onceLater(this.#headersWithout(header), `without ${header}`)
  }

  /**
   * Requires that the hub checks a header, before the check replaces it.
   * @throws {Inconclusive} if it accepts a search without the header
   */
  async requireHeaderMatters(header: PartnerHeader): Promise<void> {
    await this.requireCredentialsMatter()
    const [part, id] = required[header]
    if (this.steps.events.isServed(await this.responseWithout(header)))
      throw new Inconclusive(`a search without ${part} is accepted`, [id])
  }

  /** The response to a search with an unknown value of one of the partner's headers. */
  responseToUnknown(header: PartnerHeader): Promise<HttpResponse> {
    return this.#onceLater(headersWithUnknown(this.run.target, header), `with a random ${header}`)
  }

  /** Invalid credentials whose refusal has the status of another refusal; undefined if there are none. */
  async invalidWithStatus(status: number): Promise<string | undefined> {
    if ((await this.responseWithoutCredentials()).status === status) return 'without credentials'
    if (!this.run.target.allowedEffects.includes('credential-probes')) return undefined
    for (const header of ['X-Client-Id', 'X-Client-Secret'] as const)
      if ((await this.responseToUnknown(header)).status === status) return `with an unknown ${header}`
    return undefined
  }

  /**
   * Requires that the hub checks the value of the secret, before the check sends another partner's secret.
   * @throws {Inconclusive} if it accepts a search with an unknown secret
   */
  async requireSecretCompared(): Promise<void> {
    await this.requireHeaderMatters('X-Client-Secret')
    if (this.steps.events.isServed(await this.responseToUnknown('X-Client-Secret')))
      throw new Inconclusive('a search with a wrong secret is accepted', ['EVENT-SECRET-WRONG'])
  }

  /** The response to a search with a bearer token in place of the credentials. */
  responseToBearer(kind: 'access token' | 'ID token', token: string): Promise<HttpResponse> {
    const what = `with an ${kind} in place of the credentials`
    return this.#onceLater([['Authorization', `Bearer ${token}`]], what)
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
  async #onceLater(headers: readonly Header[], what: string): Promise<HttpResponse> {
    return this.dueToCredentials(await this.#sentOnce(headers, what))
  }

  /**
   * The response to a search with other credentials.
   * @throws {Inconclusive} if the hub returns the same page without any
   */
  async dueToCredentials(response: HttpResponse): Promise<HttpResponse> {
    if (
      this.steps.events.isServed(response) &&
      this.steps.events.isServed(await this.#sentOnce([], anonymously))
    )
      throw new Inconclusive('a later page is returned without any credentials', [
        'EVENT-CREDENTIALS-REQUIRED',
      ])
    return response
  }

  async #sentOnce(headers: readonly Header[], what: string): Promise<HttpResponse> {
    this.steps.events.stateSearch(onPage(what, await this.steps.events.laterPage()))
    return this.run.once([this.#sentOnce, what], () => this.#sent(headers, what))
  }

  async #sent(headers: readonly Header[], what: string): Promise<HttpResponse> {
    const later = await this.steps.events.laterPage()
    return this.steps.events.searchWithHeaders(headers, onPage(what, later), later)
  }

  #headersWithout(header: PartnerHeader): readonly Header[] {
    return partnerHeaders(partnerApiOf(this.run.target).credentials).filter(([name]) => name !== header)
  }
}

/** The partner's headers, one of them with an unknown value. */
export function headersWithUnknown(target: Target, header: PartnerHeader): readonly Header[] {
  const unknown =
    header === 'X-Client-Id' ? { id: randomUUID() } : { secret: randomBytes(24).toString('hex') }
  return partnerHeaders({ ...partnerApiOf(target).credentials, ...unknown })
}

function onPage(what: string, { page }: Pick<SearchQuery, 'page'>): string {
  return page === 1 ? `${what}, and with page=1` : what
}
