import type { BrowserContext, Cookie } from 'playwright'
import type { Recorder } from '../evidence/recorder.ts'
import { mediaTypeOf, type ResponseHeaders } from '../http/response.ts'
import type { Transport } from '../http/transport.ts'
import { absolute, directExchange } from './browser-exchange.ts'
import type { DirectResponse } from './direct-response.ts'
import { type HeaderEntry, headerOf, isRedirect } from './headers.ts'
import type { JourneyGate } from './journey-gate.ts'
import type { DocumentResponse, JourneyTraffic } from './journey-traffic.ts'
import type { PausedResponse } from './request-gate.ts'

/** The requests of a run that are sent without a page. */
export class DirectRequests {
  readonly transport: Transport
  /**
   * `works` after a redirect to an application: the target treats such requests like those of its pages. `off` after any
   * other first response, since a gateway may refuse clients that are no browsers.
   */
  state: 'untried' | 'works' | 'off' = 'untried'

  constructor(transport: Transport) {
    this.transport = transport
  }
}

interface DirectNavigationOptions {
  readonly requests: DirectRequests
  readonly recorder: Recorder
  readonly context: BrowserContext
  readonly decisions: JourneyGate
  /** Ends a journey at an address outside the target. */
  readonly leave: (journey: JourneyTraffic, to: string, status: number) => void
}

/** Headers that Chromium adds to a navigation after the gate has seen it. */
const addedLater = [
  ['Cache-Control', 'no-cache'],
  ['Pragma', 'no-cache'],
  ['Sec-Fetch-Site', 'none'],
  ['Sec-Fetch-Mode', 'navigate'],
  ['Sec-Fetch-User', '?1'],
  ['Sec-Fetch-Dest', 'document'],
  ['Accept-Encoding', 'gzip, deflate, br, zstd'],
] as const

/**
 * Sends the first request of a journey without the page, with the cookies of its window and the headers of its pages: the
 * response to a silent or invalid request is usually a redirect to the application, for which a page needs four times the
 * processor time. Any other response is delivered to the page, so that the target receives one request.
 */
export class DirectNavigation {
  readonly #options: DirectNavigationOptions
  /** Whether a journey of this window has ended at an application: the next ones may need no page. */
  hasLanded = false

  constructor(options: DirectNavigationOptions) {
    this.#options = options
  }

  /**
   * Sends a navigation that the budget has admitted, if it may need no page.
   * @param limits of the journey: its signal, and the time limit of a response in milliseconds
   * @returns whether the response ended the journey; otherwise the page must navigate
   * @throws {HttpFailure} if the page must repeat the request, and the budget does not admit it
   */
  async send(
    url: string,
    journey: JourneyTraffic,
    { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<boolean> {
    const { requests, recorder, context, decisions, leave } = this.#options
    const { navigationHeaders } = decisions
    if (!this.hasLanded || navigationHeaders === undefined || requests.state === 'off') return false
    // If the browser has ended, the page reports it.
    const cookies = await context.cookies(url).catch(() => undefined)
    if (cookies === undefined) return false
    const headers = [...navigationHeaders, ...addedLater, ...cookieHeader(cookies)]
    const sentAt = Date.now()
    const exchange = (outcome: Parameters<typeof directExchange>[2]) =>
      recorder.record(directExchange(url, { headers, sentAt, durationMs: Date.now() - sentAt }, outcome))
    // Longer than the time limit of the journey, which decides.
    const received = await requests.transport
      .send({ method: 'GET', url: new URL(url), headers, signal, timeoutMs: 2 * timeoutMs })
      .catch((error: Error) => error)
    if (received instanceof Error) {
      exchange({ failure: signal.aborted ? 'no response before its journey ended' : received.message })
      return !signal.aborted && this.#repeatOnPage(url, journey)
    }
    const response = { ...received, headers: entriesOf(received.headers) }
    const paused = pausedOf(url, response, decisions.frameId)
    const redirects = isRedirect(response)
    const landsAt = redirects && decisions.leaves(paused) ? headerOf(response.headers, 'location') : undefined
    if (landsAt !== undefined) requests.state = 'works'
    else if (requests.state === 'untried' && !redirects) {
      exchange({ response })
      decisions.received(paused, received.body)
      return this.#repeatOnPage(url, journey)
    }
    const isEnd = landsAt !== undefined || (!redirects && decisions.ends(paused, received.body))
    if (!isEnd || changesCookies(response.headers, cookies)) {
      journey.direct = { ...response, sentAt, durationMs: Date.now() - sentAt }
      return false
    }
    exchange({ response })
    decisions.received(paused, received.body)
    if (landsAt !== undefined) leave(journey, absolute(landsAt, url), response.status)
    else journey.noteDocument(endOf(url, response))
    return true
  }

  /** Lets the page send the request again, and every later request of the run. */
  async #repeatOnPage(url: string, journey: JourneyTraffic): Promise<false> {
    this.#options.requests.state = 'off'
    await journey.admitNavigation(url)
    return false
  }
}

/** A page without controls, at which a journey ends. */
function endOf(
  url: string,
  { status, headers }: Pick<DirectResponse, 'status' | 'headers'>,
): DocumentResponse {
  const mediaType = mediaTypeOf(headerOf(headers, 'content-type'))
  return { method: 'GET', url, status, mediaType, redirected: false, isEnd: true, refreshMs: 0 }
}

/** The Cookie header, with the cookies of longer paths first (RFC 6265, 5.4). */
function cookieHeader(cookies: readonly Cookie[]): [string, string][] {
  const sorted = cookies.toSorted((a, b) => b.path.length - a.path.length)
  const value = sorted.map(({ name, value }) => `${name}=${value}`).join('; ')
  return value === '' ? [] : [['Cookie', value]]
}

/**
 * Whether a response sets a cookie to another value or deletes one. Then the browser must store its cookies; a longer
 * lifetime alone makes no difference within a run.
 */
function changesCookies(headers: readonly HeaderEntry[], cookies: readonly Cookie[]): boolean {
  const known = new Set(cookies.map(({ name, value }) => `${name}=${value}`))
  return headers
    .filter(({ name }) => name.toLowerCase() === 'set-cookie')
    .some(({ value }) => {
      const [pair = '', ...attributes] = value.split(';').map((part) => part.trim())
      return !known.has(pair) || attributes.some(endsCookie)
    })
}

/** Whether an attribute of Set-Cookie deletes the cookie (RFC 6265, 5.2). */
function endsCookie(attribute: string): boolean {
  const [name = '', value = ''] = attribute.split('=', 2)
  if (/^max-age$/i.test(name)) return Number(value) <= 0
  return /^expires$/i.test(name) && Date.parse(value) <= Date.now()
}

function entriesOf(headers: ResponseHeaders): HeaderEntry[] {
  return Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => ({ name, value })),
  )
}

/** A direct response as the gate sees the response to a page. */
function pausedOf(
  url: string,
  { status, headers }: Pick<DirectResponse, 'status' | 'headers'>,
  frameId: string,
): PausedResponse {
  return { frameId, resourceType: 'Document', request: { url, method: 'GET', headers: {} }, status, headers }
}
