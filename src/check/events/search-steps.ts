import { settledTime } from '../../event-hub/clock-changes.ts'
import { compareLocal, type LocalDateTime, parseLocal } from '../../event-hub/local-time.ts'
import { defaultPaging, type EventPage, type PageQuery, type Paging, readPage } from '../../event-hub/page.ts'
import {
  EventHub,
  type Header,
  partnerHeaders,
  queryInWords,
  type SearchQuery,
} from '../../event-hub/search.ts'
import { type EventWindow, startOfSteadyDay, windowsBack } from '../../event-hub/window.ts'
import type { HttpResponse } from '../../http/response.ts'
import type { ClientCredentials } from '../../target/target.ts'
import { counted } from '../../text/format.ts'
import { describe, type Expect } from '../expect.ts'
import type { SharedKey } from '../run-context.ts'
import { RunSteps } from '../run-steps.ts'
import { Inconclusive } from '../verdict.ts'
import { answeredSearch, isSearchAccepted } from './answered-search.ts'
import {
  diagnoseRefusedControl,
  diagnoseRefusedSearch,
  SearchRefused,
  unknownPath,
} from './refused-search.ts'

/**
 * A search without a valid `to` has a `from` this number of hours before `settledTime`, a recent past time. If a hub
 * replaces the bad `to` with the present, the window is then narrower than 24 h, so the hub does not refuse its
 * width. If the zone is unknown, `settledTime` is 12 h behind UTC: the window is narrower than 24 h for hubs up to
 * UTC+10.
 */
const openWindowHours = { zoneKnown: 11, zoneUnknown: 1 }
/** The expected response to a valid search. Any 2xx status passes, since the status of a page is not documented. */
const aPage = 'a 2xx status with a JSON page'

/**
 * Single event searches, for checks: the control, and searches that differ from it by one flaw. A check judges a
 * refusal only if the target has accepted the control within the last minute.
 */
export class EventSearchSteps extends RunSteps<{ readonly expect: Expect }> {
  /**
   * Sends and logs searches. A check that judges a response describes the search for its finding: see `stateSearch`.
   */
  readonly hub = new EventHub(this.run.http, this.run.target, (response, query, isPlain) => {
    this.run.searchLog.add(answeredSearch(response, query, isPlain))
  })

  async controlWindow(): Promise<EventWindow> {
    const query = await this.controlQuery()
    return { from: query.from, to: query.to }
  }

  /**
   * The response to the control, received within the last minute.
   * @throws {SearchRefused} if the control is refused twice
   */
  async control(): Promise<HttpResponse> {
    if (this.run.controls.isStale('event search')) this.run.forget(this.control)
    return this.run.once(this.control, async () => {
      const query = await this.controlQuery()
      const response = await this.#searchAgainIfRefused(query)
      const mayOmitCredentials = this.run.target.allowedEffects.includes('bad-credentials')
      if (!isSearchAccepted(response))
        throw await diagnoseRefusedControl(
          this.hub,
          query,
          this.#newestWindow(),
          response,
          mayOmitCredentials,
        )
      this.run.controls.worked('event search')
      return response
    })
  }

  /** Expects the target to accept every valid search that `work` sends. @throws {Violation} */
  async expectAllAccepted(work: () => Promise<unknown>): Promise<void> {
    const refused = await work().then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof SearchRefused && error.violation) return error.violation
        throw error
      },
    )
    if (refused) {
      this.steps.expect.describeRequest(refused.request)
      // Another check of EVENT-SEARCH, after all checks, reports the refusals that remain in this set.
      this.run.searchLog.refused.delete(refused)
    }
    this.steps.expect.that(refused === undefined, aPage, refused?.actual ?? '')
  }

  /** Sends the control with changed parameters (`null` omits one); the caller judges the response. */
  async sendSearch(change: SearchQuery): Promise<HttpResponse> {
    // Throws if the target refuses the control: a refusal of the changed search would then prove nothing.
    await this.control()
    const control = await this.controlQuery()
    // If one bound is changed, the finding names both.
    const bounds = change.from || change.to ? { from: control.from, to: control.to } : {}
    this.stateSearch(`with ${queryInWords({ ...bounds, ...change })}`)
    return this.hub.search({ ...control, ...change })
  }

  /** Sends the control with other valid parameters, and once more if refused. The caller judges the last response. */
  async sendValidSearch(change: SearchQuery): Promise<HttpResponse> {
    const response = await this.sendSearch(change)
    return isSearchAccepted(response) ? response : this.sendSearch(change)
  }

  /** Expects a search to be accepted. @throws {Violation} */
  expectAccepted(response: HttpResponse): void {
    this.steps.expect.that(isSearchAccepted(response), aPage, `the response was ${describe(response)}`)
  }

  /** Sends the control with changed parameters, and expects a refusal with 400. @throws {Violation} */
  async expectInvalid(change: SearchQuery): Promise<void> {
    this.expectRefusal(await this.sendSearch(change), 400)
  }

  /** Expects a refusal without events. @throws {Violation} */
  expectRefusal(response: HttpResponse, status: number | 'any status'): void {
    if (status === 'any status') this.steps.expect.anyRefusal(response)
    else this.steps.expect.status(response, status)
    const disclosed = this.run.searchLog.disclosed(response)
    this.steps.expect.that(
      disclosed === 0,
      'a refusal without events',
      `${counted(disclosed, 'event')} in the response with status ${response.status}`,
    )
  }

  /** Whether a response accepts a search, or discloses events despite its refusal. */
  acceptsOrDiscloses(response: HttpResponse): boolean {
    return response.status < 300 || this.run.searchLog.disclosed(response) > 0
  }

  /**
   * The response to the control without `from` or without `to`. Without `to`, the search has the `from` and the page
   * of `laterPageOfOpenEnd`. Each is sent once per run.
   */
  async responseWithout(name: 'from' | 'to'): Promise<HttpResponse> {
    return this.#once([this.responseWithout, name], `without ${name}`, async () =>
      this.sendSearch({ [name]: null, ...(name === 'to' ? await this.laterPageOfOpenEnd() : {}) }),
    )
  }

  /**
   * A `from` less than 24 h ago (see `openWindowHours`): a hub that replaces a bad `to` with the present then finds no
   * second flaw.
   */
  openEnd(): { readonly from: LocalDateTime } {
    const { zoneKnown, zoneUnknown } = openWindowHours
    const hours = this.run.target.eventTimeZone === 'unknown' ? zoneUnknown : zoneKnown
    return { from: this.settledTime().subtract({ hours }) }
  }

  /** The `from` of `openEnd` with the page of `laterPage`. */
  async laterPageOfOpenEnd(): Promise<Pick<SearchQuery, 'from' | 'page'>> {
    return { ...this.openEnd(), ...(await this.laterPage()) }
  }

  /** The response to the control from a partner that is not entitled to the Event Hub. Sent once per run. */
  async responseToUnentitled(partner: ClientCredentials): Promise<HttpResponse> {
    const what = 'by a partner without the Event Hub'
    return this.#once(this.responseToUnentitled, what, async () =>
      this.searchWithHeaders(partnerHeaders(partner), await this.laterPage()),
    )
  }

  /** Describes a search in the finding by its one difference from the control. */
  stateSearch(difference: string): void {
    this.steps.expect.describeRequest(`an otherwise valid search ${difference}`)
  }

  /**
   * `page: 1` if the control has a second page, otherwise no parameter. A faulty hub may refuse invalid searches only
   * for the first page.
   */
  async laterPage(): Promise<Pick<SearchQuery, 'page'>> {
    const { page, pageSize } = await this.controlQuery()
    const first = readPage((await this.control()).json, { page, pageSize })
    return first && first.total > first.pageSize && first.events.length > 0 ? { page: 1 } : {}
  }

  /**
   * Sends the control with other headers in place of the partner's credentials. A caller that judges the response calls
   * `stateSearch`.
   */
  async searchWithHeaders(
    headers: readonly Header[],
    change: Pick<SearchQuery, 'page'> = {},
  ): Promise<HttpResponse> {
    // Throws if the target refuses the control, as in `sendSearch`.
    await this.control()
    return this.hub.search({ ...(await this.controlQuery()), ...change }, { headers })
  }

  /** Sends the control to a path below {partner_api_url} that does not exist. */
  async searchUnknownPath(): Promise<HttpResponse> {
    // Throws if the target refuses the control, as in `sendSearch`.
    await this.control()
    this.stateSearch('at another path')
    return this.hub.search(await this.controlQuery(), { path: unknownPath })
  }

  /** The times between which checks search for events: EVENT_WINDOW_FROM and EVENT_WINDOW_TO, or the whole past. */
  bounds(): { readonly earliest: LocalDateTime | undefined; readonly end: LocalDateTime } {
    const { eventWindow } = this.run.target
    return { earliest: localTime(eventWindow?.from), end: localTime(eventWindow?.to) ?? this.settledTime() }
  }

  #newestWindow(): EventWindow {
    const { earliest, end } = this.bounds()
    const [newest] = windowsBack(end, earliest, 1)
    if (!newest) throw new Error('EVENT_WINDOW_FROM is not before EVENT_WINDOW_TO')
    return newest
  }

  /** A recent past time by the hub's clock. No new events before it are expected. */
  settledTime(): LocalDateTime {
    return settledTime(this.run.target.eventTimeZone, this.run.targetTime())
  }

  /** The response to a valid search other than the control. @throws {SearchRefused} if the search is refused twice */
  async search(query: PageQuery): Promise<HttpResponse> {
    const response = await this.#searchAgainIfRefused(query)
    if (isSearchAccepted(response)) return response
    throw await this.#refusal(query, response)
  }

  /** Sends a search once per run. Every check that judges its response describes the search in its own finding. */
  async #once(key: SharedKey, difference: string, send: () => Promise<HttpResponse>): Promise<HttpResponse> {
    try {
      return await this.run.once(key, send)
    } finally {
      this.stateSearch(difference)
    }
  }

  /** Repeats a refused search once: EVENT-SEARCH reports a refusal that does not recur. */
  async #searchAgainIfRefused(query: PageQuery): Promise<HttpResponse> {
    const response = await this.hub.search(query)
    return isSearchAccepted(response) ? response : this.hub.search(query)
  }

  /**
   * Why a valid search other than the control was refused. The diagnosis sends searches, so it happens only once per
   * run for each kind of search.
   */
  #refusal(query: PageQuery, response: HttpResponse): Promise<SearchRefused> {
    const settled = this.settledTime()
    const period = compareLocal(query.to, settled) > 0 ? 'present' : 'past'
    const kind = `${query.page === 0 ? 'first' : 'later'} page of ${query.pageSize} in the ${period}`
    return this.run.once([this.#refusal, kind], async () => {
      const control = await this.controlQuery()
      const refused = await diagnoseRefusedSearch(this.hub, control, query, response, settled)
      if (refused.violation) this.run.searchLog.refused.add(refused.violation)
      return refused
    })
  }

  /** The control: the first page of a window of 12 hours, on a past day on which clocks do not change. */
  controlQuery(): Promise<PageQuery> {
    return this.run.once(this.controlQuery, async () => {
      const from = startOfSteadyDay(this.settledTime(), this.run.target.eventTimeZone)
      return { from, to: from.add({ hours: 12 }), ...defaultPaging }
    })
  }
}

/** The page of a search response. @throws {Inconclusive} if the response has no array of items or no total */
export function pageOf(response: HttpResponse, requested: Paging): EventPage {
  const page = readPage(response.json, requested)
  if (page) return page
  throw new Inconclusive('a search response has no array of items or no total', ['EVENT-PAGE-SHAPE'])
}

function localTime(text: string | undefined): LocalDateTime | undefined {
  return text === undefined ? undefined : parseLocal(text)?.at
}
