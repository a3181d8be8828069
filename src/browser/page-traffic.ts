import type { BrowserContext, CDPSession, Frame, Page, Request, Response } from 'playwright'
import { shownHost } from '../evidence/allow-list.ts'
import { curlCommand } from '../evidence/curl.ts'
import type { Recorder } from '../evidence/recorder.ts'
import { HttpFailure } from '../http/failures.ts'
import { mediaTypeOf } from '../http/response.ts'
import type { AssetCache } from './asset-cache.ts'
import { absolute, type NoResponse, originalOf, pageExchange } from './browser-exchange.ts'
import { DirectNavigation, type DirectRequests } from './direct-navigation.ts'
import { removalScript } from './document-policy.ts'
import { type DecisionOptions, JourneyDecisions } from './journey-decisions.ts'
import { JourneyTraffic } from './journey-traffic.ts'
import { isAuthorizationResponse, parseDestination, type Redirect } from './landing.ts'
import { aborted, emptyResponse, errorCode, unknownHost, unreachable } from './network-errors.ts'
import { activityScript } from './page-activity.ts'
import { RequestInterceptor } from './request-interceptor.ts'
import { isHttp } from './request-policy.ts'

export interface TrafficOptions extends DecisionOptions {
  readonly recorder: Recorder
  /** Assets of the run. */
  readonly assets: AssetCache
  /** Direct requests of the run. If absent, pages send all requests. */
  readonly directRequests?: DirectRequests
}

/**
 * The traffic of one page. The policy checks each request, the budget counts it, and the recorder records it. Documents
 * also wait for the pace. A request belongs to the journey that is in progress when the browser sends it. Late events
 * of a request do not affect the next journey.
 */
export class PageTraffic {
  readonly #options: TrafficOptions
  readonly #page: Page
  readonly #session: CDPSession
  readonly #decisions: JourneyDecisions
  /** Sends requests without the page; absent if pages send all requests. */
  readonly direct: DirectNavigation | undefined
  #interceptor: RequestInterceptor | undefined
  readonly #journeys = new WeakMap<Request, JourneyTraffic>()
  /** The last address that the page itself navigated to, with its fragment. */
  #navigatedTo = ''
  #stopListening: () => void = () => undefined
  readonly #sentAt = new WeakMap<Request, number>()
  /** Requests that were recorded with their response. */
  readonly #recorded = new WeakSet<Request>()
  /** Statuses of the redirects by the target, without the 307 that retries a throttled request. */
  readonly #redirects = new WeakMap<Request, number>()

  private constructor(page: Page, session: CDPSession, options: TrafficOptions) {
    this.#page = page
    this.#session = session
    this.#options = options
    const decisions = new JourneyDecisions(options)
    this.#decisions = decisions
    const { recorder, directRequests: requests } = options
    const leave = (journey: JourneyTraffic, to: string, status: number) =>
      this.#leftTarget(journey, to, { status, redirects: [] })
    this.direct = requests && new DirectNavigation({ requests, recorder, page, decisions, leave })
  }

  /** Attaches to a page before its first request. */
  static async attach(context: BrowserContext, page: Page, options: TrafficOptions): Promise<PageTraffic> {
    const session = await context.newCDPSession(page)
    const traffic = new PageTraffic(page, session, options)
    // Only this event has the fragment of an address that the page itself navigates to.
    session.on('Page.frameRequestedNavigation', ({ frameId, url }) => {
      if (frameId !== traffic.#decisions.frameId) return
      traffic.#navigatedTo = url
      traffic.#journey?.noteActivity()
    })
    traffic.#listen(context)
    const [{ frameTree }, interceptor] = await Promise.all([
      session.send('Page.getFrameTree'),
      RequestInterceptor.open(session, traffic.#decisions, options.assets),
      session.send('Page.enable'),
      session.send('Page.addScriptToEvaluateOnNewDocument', {
        source: `${removalScript};${activityScript}`,
      }),
      session.send('Network.enable', { maxPostDataSize: 0 }),
      // A response from the cache would look like a response of the target.
      session.send('Network.setCacheDisabled', { cacheDisabled: true }),
    ])
    traffic.#interceptor = interceptor
    traffic.#decisions.frameId = frameTree.frame.id
    return traffic
  }

  /** Detaches from the page. The page must be at rest, because its later requests are not counted. */
  async detach(): Promise<void> {
    this.#stopListening()
    // Fails if the page has closed, which also ends the session.
    await this.#session.detach().catch(() => undefined)
  }

  #listen(context: BrowserContext): void {
    const sent = (request: Request) => this.#sent(request)
    const responded = (response: Response) => this.#responded(response)
    const finished = (request: Request) => this.#journeys.get(request)?.noteEnd(request)
    const failed = (request: Request) => this.#failed(request)
    context.on('request', sent).on('response', responded)
    context.on('requestfinished', finished).on('requestfailed', failed)
    this.#stopListening = () => {
      context.off('request', sent).off('response', responded)
      context.off('requestfinished', finished).off('requestfailed', failed)
    }
    this.#page.once('close', this.#stopListening)
  }

  get #journey(): JourneyTraffic | undefined {
    return this.#decisions.journey
  }

  /**
   * Begins a journey. It ends when the target sends the browser to one of `redirectUris`, or to a host that the policy
   * does not permit.
   * @param pages name of the pages in reasons, such as `the login pages`
   */
  begin(redirectUris: readonly string[], pages: string): JourneyTraffic {
    this.#options.policy.redirectUris = redirectUris
    this.#navigatedTo = ''
    const journey = new JourneyTraffic(this.#options.budget, pages)
    this.#decisions.journey = journey
    return journey
  }

  /**
   * Ends the journey: records pending requests, and refuses further documents.
   * @returns whether the caller must leave the page, because the page may still send requests
   */
  end(): boolean {
    const journey = this.#journey
    for (const request of journey?.pending ?? [])
      this.#record(request, { failure: 'no response before its journey ended' })
    this.#decisions.journey = undefined
    this.#interceptor?.end()
    return journey?.mayContinue === true
  }

  #sent(request: Request): void {
    const journey = this.#journeyOf(request)
    if (journey) this.#journeys.set(request, journey)
    // The browser fails a navigation to app://callback without a request, and `#failed` then ends the journey.
    if (!isHttp(request.url())) return
    this.#sentAt.set(request, Date.now())
    journey?.noteSent(request)
    const { policy } = this.#options
    if (!policy.isUnneeded(request.resourceType()) && !policy.allowsAddress(request.url()))
      journey?.refusedHosts.add(shownHost(new URL(request.url()).host))
  }

  /** The journey of a new request. After a redirect it is the journey of the original request. */
  #journeyOf(request: Request): JourneyTraffic | undefined {
    const from = request.redirectedFrom()
    if (from) return this.#journeys.get(from)
    const isForeign = this.#isOfPage(request) && !this.#journey?.includesNavigation(request.url())
    return isForeign ? undefined : this.#journey
  }

  #responded(response: Response): void {
    const request = response.request()
    if (!isHttp(request.url())) return
    const original = originalOf(response)
    const { status, headers } = original
    const journey = this.#journeys.get(request)
    if (!journey || journey !== this.#journey) return
    this.#record(request, response)
    this.#recorded.add(request)
    journey.noteResponse(request)
    // The interceptor delivers a 204 in place of a response that ends the journey.
    const isEnd = response.status() === 204 && status !== 204
    const { location } = headers
    const isRedirect = location !== undefined && status >= 300 && status < 400
    // The interceptor has replaced this response, to retry a throttled request.
    if (status !== response.status() && !isEnd) return
    if (isRedirect) this.#redirects.set(request, status)
    if (isEnd && isRedirect) {
      journey.noteEnd(request)
      const redirects = this.#redirectsTo(request)
      this.#leftTarget(journey, absolute(location, request.url()), { status, redirects })
    } else if (!isRedirect && this.#isOfPage(request)) {
      journey.noteDocument({
        method: request.method(),
        url: request.url(),
        status,
        mediaType: mediaTypeOf(headers['content-type']),
        redirects: this.#redirectsTo(request),
        isEnd,
        refreshMs: Number.parseFloat(headers.refresh ?? '') * 1000 || 0,
      })
    }
  }

  /** Statuses of the redirects that led to a request, the first redirect first. */
  #redirectsTo(request: Request): number[] {
    const from = request.redirectedFrom()
    if (!from) return []
    const status = this.#redirects.get(from)
    return [...this.#redirectsTo(from), ...(status === undefined ? [] : [status])]
  }

  #failed(request: Request): void {
    const journey = this.#journeys.get(request)
    if (!journey || journey !== this.#journey) return
    journey.noteEnd(request)
    if (this.#options.policy.isUnneeded(request.resourceType())) return
    const isAllowed = this.#options.policy.allowsAddress(request.url())
    const code = errorCode(request.failure()?.errorText)
    const isOfPage = this.#isOfPage(request)
    // The browser aborts a navigation after the 204 that ends the journey: the response is already recorded.
    const isRecorded = code === aborted && this.#recorded.has(request)
    if (!isRecorded && (isOfPage || code !== aborted || journey.recordsRefused)) {
      if (isAllowed) this.#record(request, { failure: code })
      // After a redirect, the recorded Location already shows this address.
      else if (!request.redirectedFrom())
        this.#record(request, { failure: 'not sent: it leads out of the target', notSent: true })
    }
    if (!isOfPage) return
    if (!isAllowed) this.#leftByPage(journey, request)
    // The two codes are no failure: another navigation replaced this one, or an error status has no body.
    else if (code !== aborted && code !== emptyResponse) {
      const { reason, ...details } = unreachable(code)
      journey.finish({ failure: new HttpFailure('unreachable', reason, details) })
    }
  }

  /** Ends the journey because a script, refresh, link or form of the page leads out of the target. */
  #leftByPage(journey: JourneyTraffic, request: Request): void {
    const destination = this.#navigatedTo.startsWith(request.url()) ? this.#navigatedTo : request.url()
    const posted = request.method() === 'POST' ? request.postData() : null
    this.#leftTarget(journey, destination, {
      status: journey.document?.status ?? 0,
      redirects: journey.document?.redirects ?? [],
      ...(posted !== null && { form: new URLSearchParams(posted) }),
    })
  }

  #leftTarget(
    journey: JourneyTraffic,
    to: string,
    how: Pick<Redirect, 'status' | 'redirects' | 'form'>,
  ): void {
    const redirect = { ...parseDestination(to), ...how }
    const isLanding = this.#options.policy.isRedirectUri(to) || isAuthorizationResponse(redirect)
    if (isLanding) this.direct?.noteLanding()
    journey.finish(isLanding ? { redirect } : { failure: unknownHost(to) })
  }

  #record(request: Request, outcome: Response | NoResponse): void {
    const exchange = pageExchange(request, this.#sentAt.get(request) ?? Date.now(), outcome)
    // Only the first request of a journey can be repeated by hand: later requests need the session of this browser.
    const isFirst = this.#journey?.isAgentNavigation(request.url()) === true
    const curl = isFirst && curlCommand({ method: 'GET', url: new URL(request.url()), headers: [] })
    this.#options.recorder.record(curl ? { ...exchange, curl } : exchange)
  }

  /** Whether a request is for the document of the page, not for a frame or an asset. */
  #isOfPage(request: Request): boolean {
    return request.isNavigationRequest() && frameOf(request) === this.#page.mainFrame()
  }
}

/** The frame of a request; undefined for the first request of a window that is still opening. */
function frameOf(request: Request): Frame | undefined {
  try {
    return request.frame()
  } catch {
    return undefined
  }
}
