import { type Budget, longestWaitMs } from '../http/budget.ts'
import { endpointOf } from '../http/endpoint-circuit.ts'
import { HttpFailure } from '../http/failures.ts'
import { HttpResponse, type ResponseHeaders } from '../http/response.ts'
import { waitAfter } from '../http/retry-after.ts'
import { absolute } from './browser-exchange.ts'
import type { JourneyTraffic } from './journey-traffic.ts'
import {
  type DirectResponse,
  fieldsOf,
  headerOf,
  type PausedRequest,
  type PausedResponse,
} from './protocol.ts'
import { isHttp, type RequestPolicy } from './request-policy.ts'

export interface DecisionOptions {
  readonly budget: Budget
  readonly policy: RequestPolicy
}

/** Headers of a navigation that are the same for all pages of a browser. */
const browserHeader =
  /^(?:accept|accept-language|priority|sec-ch-ua.*|upgrade-insecure-requests|user-agent)$/i

/** Decides which requests a page may send and which responses it receives, by policy and budget. */
export class JourneyDecisions {
  readonly #options: DecisionOptions
  /** The current journey; undefined between journeys. */
  journey: JourneyTraffic | undefined
  /** The main frame of the page. */
  frameId = ''
  /** Headers that the browser adds to each navigation; undefined before the first navigation. */
  navigationHeaders: readonly (readonly [string, string])[] | undefined

  constructor(options: DecisionOptions) {
    this.#options = options
  }

  /** Counts a request, and decides whether the browser may send it. A promise settles when the budget admits it. */
  admit(paused: PausedRequest): boolean | Promise<boolean> {
    const { networkId, frameId, resourceType, request } = paused
    const { url, method, headers } = request
    const journey = this.journey
    const { policy, budget } = this.#options
    if (!journey) return false
    if (!this.isAllowed(paused)) {
      // A request that is refused only for its type does not count: a page may have any number of images.
      if (!policy.allowsAddress(url)) journey.noteRefused()
      return false
    }
    if (!isHttp(url)) return true
    if (resourceType === 'Document') {
      if (frameId === this.frameId && method === 'GET' && journey.isAgentNavigation(url))
        this.navigationHeaders = Object.entries(headers).filter(([name]) => browserHeader.test(name))
      const isInJourney = frameId !== this.frameId || journey.includesDocument(networkId, url)
      return isInJourney && this.#waitForBudget(journey, url)
    }
    // Scripts and other assets do not wait for the pace, unless the target throttles.
    if (budget.pauseMs > 0 || budget.used.pace !== undefined) return this.#waitForBudget(journey, url)
    try {
      budget.admitAtOnce()
      return true
    } catch (error) {
      this.#stop(journey, error)
      return false
    }
  }

  /**
   * Counts a response, and obeys its Retry-After.
   * @param body body of a document that may report an error; undefined if the interceptor has not read a body
   * @returns `retry` if the browser sends the request again instead of delivering the response to the page
   */
  received(paused: PausedResponse, body?: Buffer): 'retry' | 'deliver' {
    const { networkId, status, request } = paused
    const journey = this.journey
    if (!isHttp(request.url)) return 'deliver'
    const { budget } = this.#options
    const endpoint = endpointOf({ method: request.method, url: new URL(request.url) })
    const response = new HttpResponse(status, fieldsOf(paused.headers), body?.toString('utf8') ?? '')
    response.hasUnknownBody = body === undefined
    const { throttles } = response
    this.#recordInBudget(endpoint, response, journey?.timesRetried(networkId) ?? 0)
    // A target that throttles or responds 503 has not processed the request, so that even a password may be sent again.
    // The interceptor retries with a 307, and a preflight request must not be redirected.
    const mayRetry = (throttles || status === 503) && request.method !== 'OPTIONS'
    if (!journey || !networkId || !mayRetry) return 'deliver'
    const isRetried =
      !budget.circuit.isSuspended(endpoint) && budget.pauseMs <= longestWaitMs && journey.takeRetry(networkId)
    if (isRetried) return 'retry'
    if (throttles && paused.frameId === this.frameId && paused.resourceType === 'Document') {
      const reason = `the target throttled ${journey.pages} (${status})`
      journey.finish({ failure: new HttpFailure('throttled', reason) })
    }
    return 'deliver'
  }

  /** Pauses for the Retry-After of a response whose body has not arrived yet. */
  heedHeaders(status: number, headers: ResponseHeaders): void {
    this.#options.budget.heedHeaders(status, headers)
  }

  /** Takes the response to an admitted request that was already sent without the page; undefined for other requests. */
  takeDirect({ frameId, request: { url } }: PausedRequest): DirectResponse | undefined {
    return frameId === this.frameId ? this.journey?.takeDirect(url) : undefined
  }

  /** Whether the policy allows a request, without counting it. */
  isAllowed({ resourceType, request: { url } }: PausedRequest): boolean {
    return this.#options.policy.allowsRequest(resourceType, url)
  }

  /** Ends the journey because of a defect of the interceptor. */
  failed(error: Error): void {
    this.journey?.finish({ failure: error })
  }

  /** Ends the journey because a page exceeds a limit. @param what a verb phrase, such as "is larger than 9 bytes" */
  exceeded(what: string): void {
    const reason = `a page of the target ${what}`
    this.journey?.finish({ failure: new HttpFailure('unavailable', reason) })
  }

  /** Whether a response is the first document of its journey, and a 4xx page without controls. Excludes 429. */
  ends({ frameId, status, headers }: PausedResponse, body: Buffer): boolean {
    const isFirst = frameId === this.frameId && !this.journey?.document
    if (!isFirst || status < 400 || status >= 500 || status === 429) return false
    const mediaType = headerOf(headers, 'content-type') ?? ''
    return headerOf(headers, 'refresh') === undefined && (!/html/i.test(mediaType) || isBare(body))
  }

  /** Whether a redirect leads a document out of the target, which ends the journey. */
  leaves({ frameId, request, headers }: PausedResponse): boolean {
    const location = headerOf(headers, 'location')
    if (frameId !== this.frameId || location === undefined) return false
    const destination = absolute(location, request.url)
    return URL.canParse(destination) && !this.#options.policy.allowsAddress(destination)
  }

  async #waitForBudget(journey: JourneyTraffic, url: string): Promise<boolean> {
    try {
      await journey.admit(url, this.#options.policy.hosts)
      return journey === this.journey
    } catch (error) {
      this.#stop(journey, error)
      return false
    }
  }

  #stop(journey: JourneyTraffic | undefined, error: unknown): void {
    // After an abort the browser is closing, and the journey needs no result.
    if (error instanceof Error && error.name === 'AbortError') return
    if (!(error instanceof HttpFailure)) throw error
    journey?.finish({ failure: error })
  }

  /** @param attempt number of retries of this request so far */
  #recordInBudget(endpoint: string, response: HttpResponse, attempt: number): void {
    const { budget } = this.#options
    const { status, throttles } = response
    const header = (name: string) => response.header(name)
    const waitMs = waitAfter(header, attempt)
    if (throttles) {
      if (this.journey) this.journey.throttled = true
      budget.recordThrottled(waitMs, { endpoint, response })
    } else if (status === 503) budget.recordUnavailable(waitMs, { endpoint, response })
    else {
      budget.circuit.recordResponse(endpoint)
      // With a redirect, Retry-After is the wait before the next request (RFC 9110, 10.2.3).
      if (status < 400 && header('retry-after') !== undefined) budget.pauseFor(waitMs)
    }
  }
}

/** Elements that only show text. */
const inert: ReadonlySet<string> = new Set([
  ...['html', 'head', 'title', 'meta', 'link', 'style', 'body'],
  ...['main', 'header', 'footer', 'section', 'article'],
  ...['div', 'span', 'p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'dl', 'dt', 'dd'],
  ...['b', 'i', 'em', 'strong', 'small', 'code', 'pre', 'center', 'address', 'blockquote', 'img'],
])

/**
 * Whether a page has only text: no field, button, link, script, frame or refresh. False if in doubt, for example in
 * UTF-16.
 * @param body of the complete response
 */
export function isBare(body: Buffer): boolean {
  const html = body.toString('latin1')
  if (html.includes('\0') || /\bhttp-equiv\s*=\s*["']?refresh|[\s/"']on[a-z]+\s*=/i.test(html)) return false
  const elements = [...html.matchAll(/<([a-z][^\s/>]*)/gi)].map(([, name = '']) => name.toLowerCase())
  return elements.length > 0 && elements.every((name) => inert.has(name))
}
