import type { BrowserContext, CDPSession, Frame, Page, Request, Response } from 'playwright'
import { curlCommand } from '../evidence/curl.ts'
import type { Recorder } from '../evidence/recorder.ts'
import type { Budget } from '../http/budget.ts'
import { HttpFailure } from '../http/failures.ts'
import { retryAfterMs } from '../http/retry-after.ts'
import { absolute, exchangeOf, mediaTypeOf } from './browser-exchange.ts'
import { isAuthorizationResponse, type Redirect, redirectTo } from './landing.ts'
import { aborted, emptyResponse, errorCode, unknownHost, unreachable } from './network-errors.ts'
import { pausedTypes, type RequestPolicy } from './request-policy.ts'

/** The wait after a 429 or 503 that names none, or no time at all, in milliseconds. */
const defaultWaitMs = 1000

/** The response that the page came from. */
interface DocumentResponse {
  readonly method: string
  readonly url: string
  readonly status: number
  readonly mediaType: string
  /** The browser came here by a redirect. */
  readonly redirected: boolean
}

interface TrafficOptions {
  readonly budget: Budget
  readonly recorder: Recorder
  readonly policy: RequestPolicy
}

/** What the traffic of a journey ended with, before anything was recognised on a page. */
export type TrafficEnd =
  | { readonly redirect: Omit<Redirect, 'kind' | 'interactive'> }
  | { readonly failure: HttpFailure }

/**
 * Everything one page sends: counted by the budget, recorded, and stopped before it leaves against the policy or when
 * the budget is spent. Documents are paused until they are counted; what a page loads besides is counted as it leaves.
 */
export class Traffic {
  /** Requests without a response yet. */
  readonly pending = new Set<Request>()
  /** Hosts that a page requested against the policy. */
  readonly refusedHosts = new Set<string>()
  /** The target throttled a request of this journey. */
  throttled = false
  document: DocumentResponse | undefined
  readonly #options: TrafficOptions
  readonly #page: Page
  readonly #session: CDPSession
  /** Navigation of the agent itself that the budget has let through already. */
  #passed: string | undefined
  #opened = ''
  #waitedMs = 0
  #waitsSince: number | undefined
  #requested = ''
  #end = Promise.withResolvers<TrafficEnd>()
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
    session.on('Fetch.requestPaused', ({ requestId, resourceType, request }) =>
      traffic.#paused(requestId, resourceType, request.url),
    )
    // Only this event has the fragment of an address that a page navigates to by itself.
    session.on('Page.frameRequestedNavigation', ({ url }) => {
      traffic.#requested = url
    })
    context.on('request', (request) => traffic.#sent(request))
    context.on('response', (response) => traffic.#answered(response))
    context.on('requestfinished', (request) => traffic.pending.delete(request))
    context.on('requestfailed', (request) => traffic.#failed(request))
    await Promise.all([
      session.send('Page.enable'),
      session.send('Network.enable'),
      // A response from the cache looks like one of the target, and only the latter is counted.
      session.send('Network.setCacheDisabled', { cacheDisabled: true }),
      session.send('Fetch.enable', { patterns: pausedTypes.map((resourceType) => ({ resourceType })) }),
    ])
    return traffic
  }

  /** Begins a journey that ends when the browser is sent to one of `redirectUris` or outside the hosts. */
  begin(redirectUris: readonly string[]): void {
    this.#options.policy.redirectUris = redirectUris
    this.throttled = false
    this.#waitedMs = 0
    this.document = undefined
    this.refusedHosts.clear()
    this.#end = Promise.withResolvers()
  }

  /** Settles when the browser is sent out of the target, or a request fails. */
  get end(): Promise<TrafficEnd> {
    return this.#end.promise
  }

  /** Waits until the budget lets one navigation of the agent itself through. @throws {HttpFailure} */
  async pass(url: string): Promise<void> {
    await this.#options.budget.pass(new URL(url))
    this.#passed = url
    this.#opened = url
  }

  /** How long documents of this journey have waited for the budget, in milliseconds. */
  get waitedMs(): number {
    return this.#waitedMs + (this.#waitsSince === undefined ? 0 : Date.now() - this.#waitsSince)
  }

  async #paused(requestId: string, resourceType: string, url: string): Promise<void> {
    const goes = this.#options.policy.allowsPaused(resourceType, url) && (await this.#admitted(url))
    const answered = goes
      ? this.#session.send('Fetch.continueRequest', { requestId })
      : // An aborted navigation leaves the page where it was, so that the next one can begin at once.
        this.#session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
    // The page may be gone, or may have given the request up, by the time this arrives.
    answered.catch(() => undefined)
  }

  async #admitted(url: string): Promise<boolean> {
    if (this.#passed === url) {
      this.#passed = undefined
      return true
    }
    this.#waitsSince = Date.now()
    try {
      await this.#options.budget.pass(new URL(url), this.#options.policy.hosts)
      return true
    } catch (error) {
      this.#stop(error)
      return false
    } finally {
      this.#waitedMs = this.waitedMs
      this.#waitsSince = undefined
    }
  }

  #sent(request: Request): void {
    if (!isHttp(request)) return
    this.#sentAt.set(request, Date.now())
    this.pending.add(request)
    const isPaused = request.isNavigationRequest() && frameOf(request)?.page() === this.#page
    try {
      if (!this.#options.policy.allows(request.url())) this.refusedHosts.add(new URL(request.url()).host)
      else if (!isPaused) this.#options.budget.count()
    } catch (error) {
      this.#stop(error)
    }
  }

  #stop(error: unknown): void {
    if (!(error instanceof HttpFailure)) throw error
    this.#end.resolve({ failure: error })
    // Nothing more may leave, and a page goes on loading until it is closed.
    this.#page.close().catch(() => undefined)
  }

  #answered(response: Response): void {
    const request = response.request()
    if (!isHttp(request)) return
    this.#record(request, response)
    const status = response.status()
    const headers = response.headers()
    this.#heedRetryAfter(status, headers)
    if (headers.location !== undefined && status >= 300 && status < 400) {
      this.#redirects.set(request, { location: absolute(headers.location, request.url()), status })
    } else if (this.#isOfPage(request)) {
      this.document = {
        method: request.method(),
        url: request.url(),
        status,
        mediaType: mediaTypeOf(response),
        redirected: request.redirectedFrom() !== null,
      }
    }
  }

  #heedRetryAfter(status: number, headers: Readonly<Record<string, string>>): void {
    const { budget } = this.#options
    const waitMs = retryAfterMs(headers['retry-after'], headers.date) || defaultWaitMs
    if (status === 429) {
      this.throttled = true
      budget.throttle(waitMs)
    } else if (status === 503 || (status < 400 && headers['retry-after'] !== undefined)) {
      // With a redirect it is the time to wait before the next request (RFC 9110, 10.2.3).
      budget.pauseFor(waitMs)
    }
  }

  #failed(request: Request): void {
    this.pending.delete(request)
    const isAllowed = this.#options.policy.allows(request.url())
    const code = errorCode(request.failure()?.errorText)
    if (isAllowed) this.#record(request, code)
    // Where a redirect leads is recorded with its response.
    else if (!request.redirectedFrom()) this.#record(request, 'not sent: it leads out of the target')
    if (!this.#isOfPage(request)) return
    if (!isAllowed) this.#leftTarget(request)
    // Aborted for another navigation; or a response without a body, for which the browser shows a page of its own.
    else if (code !== aborted && code !== emptyResponse) {
      const { reason, ...details } = unreachable(code)
      this.#end.resolve({ failure: new HttpFailure('unreachable', reason, details) })
    }
  }

  #leftTarget(request: Request): void {
    const from = request.redirectedFrom()
    const redirect = from ? this.#redirects.get(from) : undefined
    const requested = this.#requested.startsWith(request.url()) ? this.#requested : request.url()
    const posted = request.method() === 'POST' ? request.postData() : null
    const landing = {
      ...redirectTo(redirect?.location ?? requested),
      status: redirect?.status ?? this.document?.status ?? 0,
      ...(posted !== null && { form: new URLSearchParams(posted) }),
    }
    const isLanding = this.#options.policy.isRedirectUri(request.url()) || isAuthorizationResponse(landing)
    this.#end.resolve(isLanding ? { redirect: landing } : { failure: unknownHost(request.url()) })
  }

  #record(request: Request, outcome: Response | string): void {
    const exchange = exchangeOf(request, this.#sentAt.get(request) ?? Date.now(), outcome)
    // Only the agent's own request can be repeated: later ones belong to the session of this browser.
    const isOwn = request.url() === this.#opened
    const curl = isOwn && curlCommand({ method: 'GET', url: new URL(this.#opened), headers: [] })
    this.#options.recorder.record(curl ? { ...exchange, curl } : exchange)
  }

  /** Whether it is the page itself, not a frame in it or something it loads. */
  #isOfPage(request: Request): boolean {
    return request.isNavigationRequest() && frameOf(request) === this.#page.mainFrame()
  }
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
