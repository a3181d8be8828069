import type { BrowserContext, CDPSession, Frame, Page, Request, Response } from 'playwright'
import { curlCommand } from '../evidence/curl.ts'
import type { Recorder } from '../evidence/recorder.ts'
import type { Budget } from '../http/budget.ts'
import { HttpFailure } from '../http/failures.ts'
import { retryAfterMs } from '../http/retry-after.ts'
import { isLoopback } from '../target/safety.ts'
import { absolute, errorCode, exchangeOf, mediaTypeOf, type Outcome } from './browser-exchange.ts'
import { type Redirect, redirectTo } from './landing.ts'

/** What Chromium calls an error status without a body. */
export const emptyAnswer = 'net::ERR_HTTP_RESPONSE_CODE_FAILURE'

/** Schemes of addresses that stay in the browser. */
const harmlessSchemes = ['about:', 'data:', 'blob:', 'chrome-error:']

/** The wait after a 429 or 503 that names none, or no time at all. */
const defaultWaitMs = 1000

/** What of Fetch.requestPaused is used here. */
interface HeldRequest {
  readonly requestId: string
  readonly request: { readonly url: string }
  readonly resourceType: string
}

/** How the page that is shown was answered. */
export interface DocumentAnswer {
  readonly method: string
  readonly url: string
  readonly status: number
  readonly mediaType: string
  /** The browser came here by a redirect of an answer. */
  readonly redirected: boolean
}

export interface TrafficOptions {
  readonly budget: Budget
  readonly recorder: Recorder
  /** Hosts, with port unless it is the scheme's default, that the browser may ask. */
  readonly hosts: readonly string[]
}

/** What the traffic of one page ended with, before anything was seen on the page. */
export type TrafficEnd =
  | { readonly redirect: Omit<Redirect, 'kind' | 'interactive'> }
  | { readonly failure: HttpFailure }

/**
 * Everything one page sends: counted by the budget, recorded, and stopped before it leaves for another host, for a
 * redirect URI, or when the budget is spent. Documents are held back until they are counted; what a page loads
 * besides is counted as it leaves. Icons and prefetches are not loaded at all.
 */
export class Traffic {
  /** Requests without an answer yet. */
  readonly pending = new Set<Request>()
  /** Hosts outside the target that a page asked for, in vain. */
  readonly refusedHosts = new Set<string>()
  /** Set when the target throttled a request of this journey. */
  throttled = false
  document: DocumentAnswer | undefined
  readonly #options: TrafficOptions
  readonly #page: Page
  readonly #session: CDPSession
  #redirectUris: readonly URL[] = []
  #passed: string | undefined
  #opened = ''
  #waited = 0
  #waitsSince: number | undefined
  #requested = ''
  #end: Promise<TrafficEnd>
  #finish: (end: TrafficEnd) => void
  readonly #sentAt = new WeakMap<Request, number>()
  readonly #redirects = new WeakMap<Request, { readonly location: string; readonly status: number }>()

  private constructor(page: Page, session: CDPSession, options: TrafficOptions) {
    this.#page = page
    this.#session = session
    this.#options = options
    ;({ promise: this.#end, resolve: this.#finish } = Promise.withResolvers<TrafficEnd>())
  }

  /** Watches a page that has sent nothing yet. */
  static async watch(context: BrowserContext, page: Page, options: TrafficOptions): Promise<Traffic> {
    const session = await context.newCDPSession(page)
    const traffic = new Traffic(page, session, options)
    session.on('Fetch.requestPaused', (event) => traffic.#held(event))
    // Only this event knows the fragment of an address that a page navigates to by itself.
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
      // An answer from the cache cannot be told from one of the target, and only the latter is counted.
      session.send('Network.setCacheDisabled', { cacheDisabled: true }),
      session.send('Fetch.enable', {
        patterns: [
          { urlPattern: '*', resourceType: 'Document' },
          { urlPattern: '*', resourceType: 'Other' },
        ],
      }),
    ])
    return traffic
  }

  /** Begins a journey that ends when the browser is sent to one of `redirectUris` or outside the hosts. */
  begin(redirectUris: readonly string[]): void {
    this.#redirectUris = redirectUris.filter((uri) => URL.canParse(uri)).map((uri) => new URL(uri))
    this.throttled = false
    this.#waited = 0
    this.document = undefined
    this.refusedHosts.clear()
    ;({ promise: this.#end, resolve: this.#finish } = Promise.withResolvers<TrafficEnd>())
  }

  /** Settles when this journey's traffic has come to its end; pages on which it stops do not settle it. */
  get end(): Promise<TrafficEnd> {
    return this.#end
  }

  /** Lets one navigation of the agent itself go, when its turn has come. @throws {HttpFailure} */
  async pass(url: string): Promise<void> {
    await this.#options.budget.pass(new URL(url))
    this.#passed = url
    this.#opened = url
  }

  /** Whether an address ends the journey, or is nothing that may be asked: in clear, only this machine is. */
  isOutside(url: string): boolean {
    if (!URL.canParse(url)) return true
    const { protocol, host, hostname } = new URL(url)
    if (protocol !== 'http:' && protocol !== 'https:') return !harmlessSchemes.includes(protocol)
    if (protocol === 'http:' && !isLoopback(hostname)) return true
    return this.#isRedirectUri(url) || !this.#options.hosts.includes(host)
  }

  #isRedirectUri(url: string): boolean {
    if (!URL.canParse(url)) return false
    const { host, pathname } = new URL(url)
    return this.#redirectUris.some((uri) => uri.host === host && uri.pathname === pathname)
  }

  async #held({ requestId, request, resourceType }: HeldRequest): Promise<void> {
    const goes =
      resourceType === 'Document' && !this.isOutside(request.url) && (await this.#admitted(request.url))
    const answered = goes
      ? this.#session.send('Fetch.continueRequest', { requestId })
      : // An aborted navigation leaves the page where it was, so that the next one can begin at once.
        this.#session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
    // The page may be gone, or may have given the request up, by the time this arrives.
    answered.catch(() => undefined)
  }

  /** Documents wait for their turn like every request of the run. */
  async #admitted(url: string): Promise<boolean> {
    if (this.#passed === url) {
      this.#passed = undefined
      return true
    }
    this.#waitsSince = Date.now()
    try {
      await this.#options.budget.pass(new URL(url), this.#options.hosts)
      return true
    } catch (error) {
      this.#stop(error)
      return false
    } finally {
      this.#waited = this.waitedMs
      this.#waitsSince = undefined
    }
  }

  /** How long documents of this journey have waited for their turn, in milliseconds. */
  get waitedMs(): number {
    return this.#waited + (this.#waitsSince === undefined ? 0 : Date.now() - this.#waitsSince)
  }

  /** What a page loads besides has left already. */
  #count(): void {
    try {
      this.#options.budget.count()
    } catch (error) {
      this.#stop(error)
    }
  }

  #stop(error: unknown): void {
    if (!(error instanceof HttpFailure)) throw error
    this.#finish({ failure: error })
    // Nothing more may leave, and a page goes on loading until it is closed.
    this.#page.close().catch(() => undefined)
  }

  #sent(request: Request): void {
    if (!isHttp(request)) return
    this.#sentAt.set(request, Date.now())
    this.pending.add(request)
    if (this.isOutside(request.url())) this.refusedHosts.add(new URL(request.url()).host)
    else if (!this.#isHeldBack(request)) this.#count()
  }

  #answered(response: Response): void {
    const request = response.request()
    if (!isHttp(request)) return
    this.#record(request, { response })
    const headers = response.headers()
    const status = response.status()
    const waitMs = retryAfterMs(headers['retry-after'], headers.date) || defaultWaitMs
    if (status === 429) {
      this.throttled = true
      this.#options.budget.throttle(waitMs)
    } else if (status === 503 || (status < 400 && headers['retry-after'] !== undefined)) {
      // With a redirect it is the time to wait before the next request (RFC 9110, 10.2.3).
      this.#options.budget.pauseFor(waitMs)
    }
    const location = headers.location
    if (location !== undefined && status >= 300 && status < 400) {
      this.#redirects.set(request, { location: absolute(location, request.url()), status })
    } else if (this.#isThePage(request)) {
      this.document = {
        method: request.method(),
        url: request.url(),
        status,
        mediaType: mediaTypeOf(response),
        redirected: request.redirectedFrom() !== null,
      }
    }
  }

  #failed(request: Request): void {
    this.pending.delete(request)
    const outside = this.isOutside(request.url())
    const from = request.redirectedFrom()
    if (!outside) this.#record(request, { failure: errorCode(request.failure()?.errorText) })
    // Where a redirect leads is told by its answer.
    else if (!from) this.#record(request, { failure: 'not sent: it leads out of the target' })
    if (!this.#isThePage(request)) return
    if (outside) this.#landed(request, from ? this.#redirects.get(from) : undefined)
    else this.#broke(errorCode(request.failure()?.errorText))
  }

  /** A navigation that failed. */
  #broke(code: string): void {
    // Given up for another navigation; or an answer without a body, for which the browser shows a page of its own.
    if (code === 'net::ERR_ABORTED' || code === emptyAnswer) return
    this.#finish({ failure: new HttpFailure('unreachable', unreachable(code)) })
  }

  #landed(
    request: Request,
    redirect: { readonly location: string; readonly status: number } | undefined,
  ): void {
    const posted = request.method() === 'POST' ? request.postData() : null
    const requested = this.#requested.startsWith(request.url()) ? this.#requested : request.url()
    const destination = redirectTo(redirect?.location ?? requested)
    const form = posted === null ? undefined : new URLSearchParams(posted)
    if (!this.#isRedirectUri(request.url()) && !isResponse(destination.query, destination.fragment, form)) {
      this.#finish({ failure: strangeHost(request.url()) })
      return
    }
    this.#finish({
      redirect: {
        ...destination,
        status: redirect?.status ?? this.document?.status ?? 0,
        ...(form && { form }),
      },
    })
  }

  #record(request: Request, outcome: Outcome): void {
    const sentAt = this.#sentAt.get(request) ?? Date.now()
    const exchange = exchangeOf(request, sentAt, outcome)
    // Only the agent's own request can be made again: later ones belong to this browser's session.
    const curl =
      request.url() === this.#opened &&
      curlCommand({ method: 'GET', url: new URL(this.#opened), headers: [] })
    this.#options.recorder.record(curl ? { ...exchange, curl } : exchange)
  }

  /** Documents of this page and its frames are counted before they leave. */
  #isHeldBack(request: Request): boolean {
    return request.isNavigationRequest() && frameOf(request)?.page() === this.#page
  }

  /** Whether it is the page itself, not a frame in it or something it loads. */
  #isThePage(request: Request): boolean {
    return request.isNavigationRequest() && frameOf(request) === this.#page.mainFrame()
  }
}

/** Whether an address carries what an authorization response does (RFC 6749, 4.1.2; OpenID Connect Core, 3.3.2.5). */
function isResponse(...parts: readonly (URLSearchParams | undefined)[]): boolean {
  const names = ['code', 'error', 'state', 'access_token', 'id_token']
  return parts.some((part) => part && names.some((name) => part.has(name)))
}

/** A page of the login that lies elsewhere, most likely. */
function strangeHost(url: string): HttpFailure {
  const where = URL.canParse(url)
    ? new URL(url).host || new URL(url).protocol
    : 'an address that cannot be read'
  return new HttpFailure(
    'host-refused',
    `the target sent the browser to ${where}, which is not one of its hosts, so it was not followed; if the login is there, name it under hosts in a login recipe (LOGIN_RECIPE)`,
  )
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

/** What a person can do about a network error. */
export function unreachable(code: string): string {
  if (/CERT|SSL/.test(code)) {
    return `the browser does not trust the target's certificate (${code}); NODE_EXTRA_CA_CERTS names more authorities`
  }
  if (/PROXY|TUNNEL/.test(code)) {
    return `the browser did not get through the proxy (${code}); check HTTPS_PROXY and NO_PROXY`
  }
  if (code === 'net::ERR_TOO_MANY_REDIRECTS') return 'the target redirected the browser in a circle'
  return `the browser could not reach the target (${code})`
}
