import { randomBytes, randomUUID } from 'node:crypto'
import type { EventSearchSteps } from '../../src/check/events/search-steps.ts'
import type { RequirementId } from '../../src/check/requirement.ts'
import { RunSteps } from '../../src/check/run-steps.ts'
import { Inconclusive } from '../../src/check/verdict.ts'
import { type Header, type PartnerHeader, partnerHeaders } from '../../src/event-hub/search.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { partnerApiOf } from '../../src/target/parts.ts'
import type { ClientCredentials, Target } from '../../src/target/target.ts'

/** For each header: its value in words, and the requirement that a search without the header is refused. */
const required = {
  'X-Client-Id': ['an id', 'EVENT-CLIENT-ID-REQUIRED'],
  'X-Client-Secret': ['a secret', 'EVENT-SECRET-REQUIRED'],
} as const satisfies Record<PartnerHeader, readonly [string, RequirementId]>

/** A search whose headers differ from those of the control. */
interface CredentialSearch {
  readonly headers: readonly Header[]
  /** Follows the word "search". */
  readonly difference: string
}

const anonymous: CredentialSearch = { headers: [], difference: 'without X-Client-Id and X-Client-Secret' }

/**
 * Searches with incomplete or wrong credentials, otherwise like the control: the valid search of `EventSearchSteps`.
 */
export class PartnerCredentialSteps extends RunSteps<{ readonly events: EventSearchSteps }> {
  /** The credentials of a partner without the Event Hub. A check that uses them must declare this need. */
  unentitled(): ClientCredentials {
    const { unentitledPartner } = this.run.target
    if (unentitledPartner) return unentitledPartner
    throw new Error('a check that uses an unentitled partner does not declare that it needs one')
  }

  /**
   * The response to the control without credentials. A cache that ignores credentials would return the control's
   * page.
   */
  responseWithoutCredentials(): Promise<HttpResponse> {
    this.steps.events.stateSearch(anonymous.difference)
    return this.#firstPageWithoutCredentials()
  }

  /**
   * The response to a search for the second page without credentials. Undefined if the hub refuses the second page
   * with X-Client-Id alone, which shows that it checks the credentials of later pages, too.
   */
  async laterResponseWithoutCredentials(): Promise<HttpResponse | undefined> {
    const idOnly = await this.#sendOnce(this.#searchWithout('X-Client-Secret'))
    if (!this.steps.events.acceptsOrDiscloses(idOnly)) return undefined
    const response = await this.#sendOnce(anonymous)
    await this.#stateLater(anonymous)
    return response
  }

  /**
   * Requires that the hub checks credentials.
   * @throws {Inconclusive} if the hub accepts a search without credentials
   */
  async requireCredentialsMatter(): Promise<void> {
    if (this.steps.events.acceptsOrDiscloses(await this.#firstPageWithoutCredentials()))
      throw new Inconclusive('a search without any credentials is accepted', ['EVENT-CREDENTIALS-REQUIRED'])
  }

  /** The response to a search without one of the partner's headers. */
  responseWithout(header: PartnerHeader): Promise<HttpResponse> {
    return this.#responseOnce(this.#searchWithout(header))
  }

  /**
   * Requires that the hub checks a header, before the check replaces it.
   * @throws {Inconclusive} if the hub accepts a search without the header
   */
  async requireHeaderMatters(header: PartnerHeader): Promise<void> {
    await this.requireCredentialsMatter()
    const [part, id] = required[header]
    if (this.steps.events.acceptsOrDiscloses(await this.responseWithout(header)))
      throw new Inconclusive(`a search without ${part} is accepted`, [id])
  }

  /** The response to a search with an unknown value of one of the partner's headers. */
  responseToUnknown(header: PartnerHeader): Promise<HttpResponse> {
    return this.#responseOnce(this.#searchWithUnknown(header))
  }

  /**
   * Which invalid credentials the hub refuses with this status, such as `without credentials`. Undefined if there are
   * none. Tries wrong credentials only if the profile permits them.
   */
  async invalidWithStatus(status: number): Promise<string | undefined> {
    if ((await this.#firstPageWithoutCredentials()).status === status) return 'without credentials'
    if (!this.run.target.allowedEffects.includes('credential-probes')) return undefined
    for (const header of ['X-Client-Id', 'X-Client-Secret'] as const) {
      const search = this.#searchWithUnknown(header)
      const response = await this.#sendOnce(search)
      await this.requireDueToCredentials(response)
      if (response.status === status) return search.difference
    }
    return undefined
  }

  /**
   * Requires that the hub checks the value of the secret, before the check sends another partner's secret.
   * @throws {Inconclusive} if the hub accepts a search with an unknown secret
   */
  async requireSecretCompared(): Promise<void> {
    await this.requireHeaderMatters('X-Client-Secret')
    if (this.steps.events.acceptsOrDiscloses(await this.responseToUnknown('X-Client-Secret')))
      throw new Inconclusive('a search with a wrong secret is accepted', ['EVENT-SECRET-WRONG'])
  }

  /** The response to a search with a bearer token in place of the credentials. */
  responseToBearer(kind: 'access token' | 'ID token', token: string): Promise<HttpResponse> {
    return this.#responseOnce({
      headers: [['Authorization', `Bearer ${token}`]],
      difference: `with an ${kind} in place of the credentials`,
    })
  }

  /** The response to a search with HTTP Basic in place of the partner's headers. */
  responseToBasic({ id, secret }: ClientCredentials): Promise<HttpResponse> {
    const basic = Buffer.from(`${id}:${secret}`).toString('base64')
    return this.laterSearchWithHeaders(
      [['Authorization', `Basic ${basic}`]],
      'with HTTP Basic credentials in place of the headers',
    )
  }

  /** The second page, if there is one, with other headers. A hub may check credentials only for the first page. */
  laterSearchWithHeaders(headers: readonly Header[], difference: string): Promise<HttpResponse> {
    const search = { headers, difference }
    return this.#responseToJudge(search, this.#send(search))
  }

  /**
   * If the response has events, requires that its credentials are the reason.
   * @throws {Inconclusive} if the hub also returns events without any credentials
   */
  async requireDueToCredentials(response: HttpResponse): Promise<void> {
    if (
      this.steps.events.acceptsOrDiscloses(response) &&
      this.steps.events.acceptsOrDiscloses(await this.#sendOnce(anonymous))
    )
      throw new Inconclusive('a later page is returned without any credentials', [
        'EVENT-CREDENTIALS-REQUIRED',
      ])
  }

  /** The response to a search that is sent once per run. */
  #responseOnce(search: CredentialSearch): Promise<HttpResponse> {
    return this.#responseToJudge(search, this.#sendOnce(search))
  }

  /** Waits for the response before stating its search: a finding must name only the search that the check judges. */
  async #responseToJudge(search: CredentialSearch, sent: Promise<HttpResponse>): Promise<HttpResponse> {
    const response = await sent
    await this.requireDueToCredentials(response)
    await this.#stateLater(search)
    return response
  }

  #firstPageWithoutCredentials(): Promise<HttpResponse> {
    return this.run.once(this.#firstPageWithoutCredentials, () =>
      this.steps.events.searchWithHeaders(anonymous.headers),
    )
  }

  #sendOnce(search: CredentialSearch): Promise<HttpResponse> {
    return this.run.once([this.#sendOnce, search.difference], () => this.#send(search))
  }

  async #send({ headers }: CredentialSearch): Promise<HttpResponse> {
    return this.steps.events.searchWithHeaders(headers, await this.steps.events.laterPage())
  }

  async #stateLater({ difference }: CredentialSearch): Promise<void> {
    const { page } = await this.steps.events.laterPage()
    this.steps.events.stateSearch(page === 1 ? `${difference}, and with page=1` : difference)
  }

  #searchWithout(header: PartnerHeader): CredentialSearch {
    const headers = partnerHeaders(partnerApiOf(this.run.target).credentials)
    return { headers: headers.filter(([name]) => name !== header), difference: `without ${header}` }
  }

  #searchWithUnknown(header: PartnerHeader): CredentialSearch {
    return { headers: headersWithUnknown(this.run.target, header), difference: `with an unknown ${header}` }
  }
}

/** The partner's headers, one of them with an unknown value. */
export function headersWithUnknown(target: Target, header: PartnerHeader): readonly Header[] {
  const unknown =
    header === 'X-Client-Id' ? { id: randomUUID() } : { secret: randomBytes(24).toString('hex') }
  return partnerHeaders({ ...partnerApiOf(target).credentials, ...unknown })
}
