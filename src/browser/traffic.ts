import type { BrowserContext, CDPSession, Frame, Page, Request, Response } from 'playwright'
import { curlCommand } from '../evidence/curl.ts'
import type { Recorder } from '../evidence/recorder.ts'
import { HttpFailure } from '../http/failures.ts'
import type { AssetCache } from './asset-cache.ts'
import { absolute, exchangeOf, mediaTypeOf } from './browser-exchange.ts'
import { JourneyGate, type JourneyGateOptions } from './journey-gate.ts'
import { JourneyTraffic } from './journey-traffic.ts'
import { isAuthorizationResponse, redirectTo } from './landing.ts'
import { aborted, emptyResponse, errorCode, unknownHost, unreachable } from './network-errors.ts'
import { originalOf } from './original-response.ts'
import { activityScript } from './page-activity.ts'
import { removalScript } from './removed-features.ts'
import { RequestGate } from './request-gate.ts'
import { isHttp } from './request-policy.ts'

export interface TrafficOptions extends JourneyGateOptions {
  readonly recorder: Recorder
  /** Of the run. */
  readonly assets: AssetCache
}

/**
 * Everything one page sends: paused until the budget has counted it, recorded, and stopped before it leaves against the
 * policy or when the budget is spent. Each request belongs to the journey in which it began: a late event changes
 * nothing in the next one.
 */
export class Traffic {
  readonly #options: TrafficOptions
  readonly #page: Page
  readonly #session: CDPSession
  readonly #decisions: JourneyGate
  #gate: RequestGate | undefined
  /** The journey of each request. */
  readonly #journeys = new WeakMap<Request, JourneyTraffic>()
  /** The last address that the page requested by itself, with its fragment. */
  #requested = ''
  #stopListening: () => void = () => undefined
  readonly #sentAt = new WeakMap<Request, number>()
  /** Requests that were recorded with their response. */
  readonly #recorded = new WeakSet<Request>()
  /** Requests that were throttled and then repeated. */
  readonly #repeated = new WeakSet<Request>()
  readonly #redirects = new WeakMap<Request, { readonly location: string; readonly status: number }>()

  private constructor(page: Page, session: CDPSession, options: TrafficOptions) {
    this.#page = page
    this.#session = session
    this.#options = options
    this.#decisions = new JourneyGate(options)
  }

  /** Watches a page that has sent nothing yet. */
  static async watch(context: BrowserContext, page: Page, options: TrafficOptions): Promise<Traffic> {
    const session = await context.newCDPSession(page)
    const traffic = new Traffic(page, session, options)
    // Only this event has the fragment of an address that a page navigates to by itself.
    session.on('Page.frameRequestedNavigation', ({ frameId, url }) => {
      if (frameId !== traffic.#decisions.frameId) return
      traffic.#requested = url
      traffic.#journey?.active()
    })
    traffic.#listen(context)
    const [{ frameTree }, gate] = await Promise.all([
      session.send('Page.getFrameTree'),
      RequestGate.open(session, traffic.#decisions, options.assets),
      session.send('Page.enable'),
      session.send('Page.addScriptToEvaluateOnNewDocument', {
        source: `${removalScript};${activityScript}`,
      }),
      session.send('Network.enable', { maxPostDataSize: 0 }),
      // A response from the cache looks like one of the target, and only the latter is counted.
      session.send('Network.setCacheDisabled', { cacheDisabled: true }),
    ])
    traffic.#gate = gate
    traffic.#decisions.frameId = frameTree.frame.id
    return traffic
  }

  /** Stops watching. The page has to be at rest: nothing that it sends from now on is counted. */
  async stop(): Promise<void> {
    this.#stopListening()
    // A session ends with its page.
    await this.#session.detach().catch(() => undefined)
  }

  #listen(context: BrowserContext): void {
    const sent = (request: Request) => this.#sent(request)
    const answered = (response: Response) => this.#answered(response)
    const finished = (request: Request) => this.#journeys.get(request)?.done(request)
    const failed = (request: Request) => this.#failed(request)
    context.on('request', sent).on('response', answered)
    context.on('requestfinished', finished).on('requestfailed', failed)
    this.#stopListening = () => {
      context.off('request', sent).off('response', answered)
      context.off('requestfinished', finished).off('requestfailed', failed)
    }
    this.#page.once('close', this.#stopListening)
  }

  /** Undefined between journeys. */
  get #journey(): JourneyTraffic | undefined {
    return this.#decisions.journey
  }

  /** Begins a journey that ends when the browser is sent to one of `redirectUris` or outside the hosts. */
  begin(redirectUris: readonly string[]): JourneyTraffic {
    this.#options.policy.redirectUris = redirectUris
    this.#requested = ''
    const journey = new JourneyTraffic(this.#options.budget)
    this.#decisions.journey = journey
    return journey
  }

  /**
   * Ends a journey: requests that are still under way are recorded as they are, and no document is requested any more.
   * @returns whether the page has to be left, so that nothing of it comes later
   */
  end(): boolean {
    const journey = this.#journey
    for (const request of journey?.pending ?? [])
      this.#record(request, 'no response before its journey ended')
    this.#decisions.journey = undefined
    this.#gate?.end()
    return journey?.mayGoOn === true
  }

  #sent(request: Request): void {
    const journey = this.#journeyOf(request)
    if (journey) this.#journeys.set(request, journey)
    // An address of an application's own scheme is never sent, but the journey ends there.
    if (!isHttp(request.url())) return
    this.#sentAt.set(request, Date.now())
    journey?.sent(request)
    const { policy } = this.#options
    if (!policy.isUnneeded(request.resourceType()) && !policy.allows(request.url()))
      journey?.refusedHosts.add(new URL(request.url()).host)
  }

  /** The journey that a new request belongs to: a redirect to that of the request before. */
  #journeyOf(request: Request): JourneyTraffic | undefined {
    const from = request.redirectedFrom()
    if (from) return this.#journeys.get(from)
    const isForeign = this.#isOfPage(request) && !this.#journey?.ownsNavigation(request.url())
    return isForeign ? undefined : this.#journey
  }

  #answered(response: Response): void {
    const request = response.request()
    if (!isHttp(request.url())) return
    const original = originalOf(response)
    const { status, headers } = original
    const journey = this.#journeys.get(request)
    if (!journey || journey !== this.#journey) return
    this.#record(request, response)
    this.#recorded.add(request)
    journey.responded(request)
    const isEnd = response.status() === 204 && status !== 204
    if (status !== response.status() && !isEnd) {
      this.#repeated.add(request)
    } else if (headers.location !== undefined && status >= 300 && status < 400) {
      this.#redirects.set(request, { location: absolute(headers.location, request.url()), status })
    } else if (this.#isOfPage(request)) {
      journey.showed({
        method: request.method(),
        url: request.url(),
        status,
        mediaType: mediaTypeOf(original),
        redirected: this.#wasRedirected(request),
        isEnd,
        refreshMs: Number.parseFloat(headers.refresh ?? '') * 1000 || 0,
      })
    }
  }

  /** Whether the target redirected the browser to this request; a repetition is no redirect. */
  #wasRedirected(request: Request): boolean {
    const from = request.redirectedFrom()
    return from !== null && (!this.#repeated.has(from) || this.#wasRedirected(from))
  }

  #failed(request: Request): void {
    const journey = this.#journeys.get(request)
    if (!journey || journey !== this.#journey) return
    journey.done(request)
    if (this.#options.policy.isUnneeded(request.resourceType())) return
    const isAllowed = this.#options.policy.allows(request.url())
    const code = errorCode(request.failure()?.errorText)
    const isOfPage = this.#isOfPage(request)
    // The browser aborts a document that it need not show, because its response ends the journey.
    const isRecorded = code === aborted && this.#recorded.has(request)
    if (!isRecorded && (isOfPage || code !== aborted || journey.recordsRefused)) {
      if (isAllowed) this.#record(request, code)
      // Where a redirect leads is recorded with its response.
      else if (!request.redirectedFrom()) this.#record(request, 'not sent: it leads out of the target')
    }
    if (!isOfPage) return
    if (!isAllowed) this.#leftTarget(journey, request)
    // Aborted for another navigation; or a response without a body, for which the browser shows a page of its own.
    else if (code !== aborted && code !== emptyResponse) {
      const { reason, ...details } = unreachable(code)
      journey.finish({ failure: new HttpFailure('unreachable', reason, details) })
    }
  }

  #leftTarget(journey: JourneyTraffic, request: Request): void {
    const from = request.redirectedFrom()
    const redirect = from ? this.#redirects.get(from) : undefined
    const requested = this.#requested.startsWith(request.url()) ? this.#requested : request.url()
    const posted = request.method() === 'POST' ? request.postData() : null
    const landing = {
      ...redirectTo(redirect?.location ?? requested),
      status: redirect?.status ?? journey.document?.status ?? 0,
      ...(posted !== null && { form: new URLSearchParams(posted) }),
    }
    const isLanding = this.#options.policy.isRedirectUri(request.url()) || isAuthorizationResponse(landing)
    journey.finish(isLanding ? { redirect: landing } : { failure: unknownHost(request.url()) })
  }

  #record(request: Request, outcome: Response | string): void {
    const exchange = exchangeOf(request, this.#sentAt.get(request) ?? Date.now(), outcome)
    // Only the agent's own request can be repeated: later ones belong to the session of this browser.
    const isOwn = this.#journey?.opened(request.url()) === true
    const curl = isOwn && curlCommand({ method: 'GET', url: new URL(request.url()), headers: [] })
    this.#options.recorder.record(curl ? { ...exchange, curl } : exchange)
  }

  /** Whether it is the page itself, not a frame in it or something it loads. */
  #isOfPage(request: Request): boolean {
    return request.isNavigationRequest() && frameOf(request) === this.#page.mainFrame()
  }
}

/** Undefined for the first request of a window that is not open yet. */
function frameOf(request: Request): Frame | undefined {
  try {
    return request.frame()
  } catch {
    return undefined
  }
}
