import type { BrowserContext, CDPSession, Frame, Page, Request, Response } from 'playwright'
import { curlCommand } from '../evidence/curl.ts'
import type { Recorder } from '../evidence/recorder.ts'
import type { Budget } from '../http/budget.ts'
import { HttpFailure } from '../http/failures.ts'
import { retryAfterMs } from '../http/retry-after.ts'
import { absolute, exchangeOf, mediaTypeOf } from './browser-exchange.ts'
import { JourneyTraffic } from './journey-traffic.ts'
import { isAuthorizationResponse, redirectTo } from './landing.ts'
import { aborted, emptyResponse, errorCode, unknownHost, unreachable } from './network-errors.ts'
import { activityScript } from './page-activity.ts'
import { pausedTypes, type RequestPolicy } from './request-policy.ts'

/** The wait after a 429 or 503 that names none, or no time at all, in milliseconds. */
const defaultWaitMs = 1000

export interface TrafficOptions {
  readonly budget: Budget
  readonly recorder: Recorder
  readonly policy: RequestPolicy
}

/**
 * Everything one page sends: counted by the budget, recorded, and stopped before it leaves against the policy or when
 * the budget is spent. Documents are paused until they are counted; what a page loads besides is counted as it leaves.
 * Each request belongs to the journey in which it began: a late event does not affect the next journey.
 */
export class Traffic {
  readonly #options: TrafficOptions
  readonly #page: Page
  readonly #session: CDPSession
  /** Of the page itself. */
  #frameId = ''
  /** Undefined between journeys. */
  #journey: JourneyTraffic | undefined
  /** The journey of each request. */
  readonly #journeys = new WeakMap<Request, JourneyTraffic>()
  /** The last address that the page requested by itself, with its fragment. */
  #requested = ''
  #stopListening: () => void = () => undefined
  readonly #sentAt = new WeakMap<Request, number>()
  readonly #redirects = new WeakMap<Request, { readonly location: string; readonly status: number }>()

  private constructor(page: Page, session: CDPSession, options: TrafficOptions) {
    this.#page = page
    this.#session = session
    this.#options = options
  }

  /** Watches a page that has sent nothing yet. */
  static async watch(context: BrowserContext, page: Page, options: TrafficOptions): Promise<Traffic> {
    const session = await context.newCDPSession(page)
    const traffic = new Traffic(page, session, options)
    session.on('Fetch.requestPaused', (paused) => traffic.#paused(paused))
    // Only this event has the fragment of an address that a page navigates to by itself.
    session.on('Page.frameRequestedNavigation', ({ frameId, url }) => {
      if (frameId !== traffic.#frameId) return
      traffic.#requested = url
      traffic.#journey?.active()
    })
    traffic.#listen(context)
    const [{ frameTree }] = await Promise.all([
      session.send('Page.getFrameTree'),
      session.send('Page.enable'),
      session.send('Page.addScriptToEvaluateOnNewDocument', { source: activityScript }),
      session.send('Network.enable'),
      // A response from the cache looks like one of the target, and only the latter is counted.
      session.send('Network.setCacheDisabled', { cacheDisabled: true }),
      session.send('Fetch.enable', { patterns: pausedTypes.map((resourceType) => ({ resourceType })) }),
    ])
    traffic.#frameId = frameTree.frame.id
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

  /** Begins a journey that ends when the browser is sent to one of `redirectUris` or outside the hosts. */
  begin(redirectUris: readonly string[]): JourneyTraffic {
    this.#options.policy.redirectUris = redirectUris
    this.#requested = ''
    this.#journey = new JourneyTraffic(this.#options.budget)
    return this.#journey
  }

  /**
   * Ends a journey: requests that are still under way are recorded as they are, and no document is requested any more.
   * @returns whether the page has to be left, so that nothing of it comes later
   */
  end(): boolean {
    const journey = this.#journey
    for (const request of journey?.pending ?? [])
      this.#record(request, 'no response before its journey ended')
    this.#journey = undefined
    return journey?.mayGoOn === true
  }

  async #paused({ requestId, networkId, frameId, resourceType, request: { url } }: Paused): Promise<void> {
    const journey = this.#journey
    const isOwn = frameId !== this.#frameId || journey?.ownsDocument(networkId, url)
    const goes =
      journey !== undefined &&
      isOwn &&
      this.#options.policy.allowsPaused(resourceType, url) &&
      (await this.#admitted(journey, url))
    const answered = goes
      ? this.#session.send('Fetch.continueRequest', { requestId })
      : // An aborted navigation leaves the page where it was, so that the next one can begin at once.
        this.#session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
    // The page may be gone, or may have given the request up, by the time this arrives.
    answered.catch(() => undefined)
  }

  async #admitted(journey: JourneyTraffic, url: string): Promise<boolean> {
    try {
      await journey.admit(url, this.#options.policy.hosts)
      return journey === this.#journey
    } catch (error) {
      this.#stop(journey, error)
      return false
    }
  }

  #sent(request: Request): void {
    const journey = this.#journeyOf(request)
    if (journey) this.#journeys.set(request, journey)
    // An address of an application's own scheme is never sent, but the journey ends there.
    if (!isHttp(request)) return
    this.#sentAt.set(request, Date.now())
    journey?.sent(request)
    const isPaused = request.isNavigationRequest() && frameOf(request)?.page() === this.#page
    try {
      if (!this.#options.policy.allows(request.url())) journey?.refusedHosts.add(new URL(request.url()).host)
      else if (!isPaused) this.#options.budget.count()
    } catch (error) {
      this.#stop(journey, error)
    }
  }

  /** The journey that a new request belongs to: a redirect to that of the request before. */
  #journeyOf(request: Request): JourneyTraffic | undefined {
    const from = request.redirectedFrom()
    if (from) return this.#journeys.get(from)
    const isForeign = this.#isOfPage(request) && !this.#journey?.ownsNavigation(request.url())
    return isForeign ? undefined : this.#journey
  }

  #stop(journey: JourneyTraffic | undefined, error: unknown): void {
    // The run was stopped: its browser is being closed.
    if (error instanceof Error && error.name === 'AbortError') return
    if (!(error instanceof HttpFailure)) throw error
    journey?.finish({ failure: error })
    // Nothing more may leave, and a page goes on loading until it is closed.
    this.#page.close().catch(() => undefined)
  }

  #answered(response: Response): void {
    const request = response.request()
    if (!isHttp(request)) return
    const status = response.status()
    const headers = response.headers()
    const journey = this.#journeys.get(request)
    this.#heedRetryAfter(journey, status, headers)
    if (!journey || journey !== this.#journey) return
    this.#record(request, response)
    journey.responded(request)
    if (headers.location !== undefined && status >= 300 && status < 400) {
      this.#redirects.set(request, { location: absolute(headers.location, request.url()), status })
    } else if (this.#isOfPage(request)) {
      journey.showed({
        method: request.method(),
        url: request.url(),
        status,
        mediaType: mediaTypeOf(response),
        redirected: request.redirectedFrom() !== null,
        refreshMs: Number.parseFloat(headers.refresh ?? '') * 1000 || 0,
      })
    }
  }

  #heedRetryAfter(
    journey: JourneyTraffic | undefined,
    status: number,
    headers: Readonly<Record<string, string>>,
  ): void {
    const { budget } = this.#options
    const waitMs = retryAfterMs(headers['retry-after'], headers.date) || defaultWaitMs
    if (status === 429) {
      if (journey) journey.throttled = true
      budget.throttle(waitMs)
    } else if (status === 503 || (status < 400 && headers['retry-after'] !== undefined)) {
      // With a redirect it is the time to wait before the next request (RFC 9110, 10.2.3).
      budget.pauseFor(waitMs)
    }
  }

  #failed(request: Request): void {
    const journey = this.#journeys.get(request)
    if (!journey || journey !== this.#journey) return
    journey.done(request)
    const isAllowed = this.#options.policy.allows(request.url())
    const code = errorCode(request.failure()?.errorText)
    if (isAllowed) this.#record(request, code)
    // Where a redirect leads is recorded with its response.
    else if (!request.redirectedFrom()) this.#record(request, 'not sent: it leads out of the target')
    if (!this.#isOfPage(request)) return
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

/** A document that waits for the budget. */
interface Paused {
  readonly requestId: string
  readonly networkId?: string
  readonly frameId: string
  readonly resourceType: string
  readonly request: { readonly url: string }
}

function isHttp(request: Request): boolean {
  return /^https?:/.test(request.url())
}

/** Undefined for the first request of a window that is not open yet. */
function frameOf(request: Request): Frame | undefined {
  try {
    return request.frame()
  } catch {
    return undefined
  }
}
