import type { Cookie, Page } from 'playwright'
import type { Recorder } from '../evidence/recorder.ts'
import { HttpResponse, mediaTypeOf, type ResponseHeaders } from '../http/response.ts'
import { loadUndici, type Transport } from '../http/transport.ts'
import { absolute, directExchange } from './browser-exchange.ts'
import type { JourneyDecisions } from './journey-decisions.ts'
import type { DocumentResponse, JourneyTraffic } from './journey-traffic.ts'
import {
  fieldsOf,
  type HeaderEntry,
  headerOf,
  isRedirect,
  type PausedRequest,
  type PausedResponse,
  valuesOf,
} from './protocol.ts'

/** How a run sends requests without a page: the transport, and whether the target accepts these requests. */
export class DirectRequests {
  readonly transport: Transport
  /**
   * `works`: a response was a redirect out of the target, so the target treats direct requests like requests of pages.
   * `off`: only pages send requests from now on, for example because a gateway may refuse other clients.
   */
  state: 'untried' | 'works' | 'off' = 'untried'

  constructor(transport: Transport) {
    this.transport = transport
  }
}

interface DirectNavigationOptions {
  readonly requests: DirectRequests
  readonly recorder: Recorder
  readonly page: Page
  readonly decisions: JourneyDecisions
  /** Ends a journey at an address outside the target. */
  readonly leave: (journey: JourneyTraffic, to: string, status: number) => void
}

/** Headers that Chromium adds to a navigation after the interceptor has seen the request. */
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
 * Sends the first request of a journey without the page, but with the cookies and headers of the page. The response to
 * an invalid request, or one with `prompt=none`, is usually a redirect to the application. A page would take four times
 * the processor time. If the page must show the response, the journey keeps the response until the page sends the same
 * request, so that the target receives the request once.
 */
export class DirectNavigation {
  readonly #options: DirectNavigationOptions
  #hasLanded = false

  constructor(options: DirectNavigationOptions) {
    this.#options = options
  }

  /** Records that a journey of this window ended at an application, so that the next journeys may need no page. */
  noteLanding(): void {
    this.#hasLanded = true
  }

  /**
   * Sends a navigation without the page, if possible. The budget has already admitted the navigation.
   * @param limits the signal of the journey, and the time limit of a response in milliseconds
   * @returns whether the response ended the journey; otherwise the page must navigate
   * @throws {HttpFailure} if the page must repeat the request, and the budget does not admit the repetition
   */
  async send(
    url: string,
    journey: JourneyTraffic,
    { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<boolean> {
    const { requests, recorder, page, decisions } = this.#options
    const { navigationHeaders } = decisions
    const isPossible = this.#hasLanded && navigationHeaders !== undefined && requests.state !== 'off'
    const request = requestTo(url, decisions.frameId)
    if (!isPossible || !decisions.isAllowed(request)) return false
    // If the browser has ended, the navigation of the page reports the reason.
    const cookies = await page
      .context()
      .cookies(url)
      .catch(() => undefined)
    if (cookies === undefined) return false
    const headers = [...navigationHeaders, ...addedLater, ...cookieHeader(cookies)]
    const sentAt = Date.now()
    const record = (outcome: Parameters<typeof directExchange>[3]) =>
      recorder.record(directExchange(url, headers, { sentAt, durationMs: Date.now() - sentAt }, outcome))
    // Twice as long, so that the time limit of the journey applies first.
    const limits = { timeoutMs: 2 * timeoutMs, signal: AbortSignal.any([signal, closingOf(page, signal)]) }
    const received = await requests.transport
      .send({
        method: 'GET',
        url: new URL(url),
        headers,
        isComplete: isRedirectHead,
        onHeaders: (status, fields) => decisions.heedHeaders(status, fields),
        ...limits,
      })
      .catch((error: Error) => error)
    if (received instanceof Error) {
      record({ failure: signal.aborted ? 'no response before its journey ended' : received.message })
      if (limits.signal.aborted) return false
      if (requests.state === 'untried') requests.state = 'off'
      return admitRepetition(url, journey)
    }
    const response = { ...received, headers: entriesOf(received.headers) }
    const paused = { ...request, status: response.status, headers: response.headers }
    const next = this.#nextFor(paused, response.body, journey)
    if (clearsCookies(response.headers)) {
      // Chromium would ignore Clear-Site-Data in a response that the interceptor delivers.
      requests.state = 'off'
      await page.context().clearCookies()
    }
    if (next === 'page' || (next !== 'repeat' && changesCookies(response.headers, cookies))) {
      journey.direct = { ...response, sentAt, durationMs: Date.now() - sentAt }
      return false
    }
    record(response)
    decisions.received(paused, response.body)
    if (next === 'repeat') {
      requests.state = 'off'
      return admitRepetition(url, journey)
    }
    next.end()
    return true
  }

  /** What follows a response: the page shows the response, the page repeats the request, or the journey ends. */
  #nextFor(
    paused: PausedResponse,
    body: Buffer,
    journey: JourneyTraffic,
  ): 'page' | 'repeat' | { readonly end: () => void } {
    const { requests, decisions, leave } = this.#options
    const { status, headers } = paused
    const { url } = paused.request
    const { throttles } = new HttpResponse(status, fieldsOf(headers), body.toString('utf8'))
    if (throttles || status >= 500) return 'page'
    if (isRedirect(paused)) {
      const [location = '', ...others] = new Set(valuesOf(headers, 'location'))
      // Chromium reports an error for several or invalid Locations.
      if (others.length > 0 || !URL.canParse(location, url)) return 'repeat'
      if (!decisions.leaves(paused)) return 'page'
      if (requests.state === 'untried') requests.state = 'works'
      return { end: () => leave(journey, absolute(location, url), status) }
    }
    if (!decisions.ends(paused, body)) return 'page'
    // A gateway may refuse a client that is not a browser.
    if (requests.state === 'untried' || status === 401 || status === 403) return 'repeat'
    return { end: () => journey.noteDocument(endDocument(paused)) }
  }
}

function isRedirectHead(status: number, headers: ResponseHeaders): boolean {
  return isRedirect({ status, headers: entriesOf(headers) })
}

/** Aborts when the page closes or crashes. */
function closingOf(page: Page, ended: AbortSignal): AbortSignal {
  const closing = new AbortController()
  const abort = () => closing.abort()
  page.once('close', abort).once('crash', abort)
  ended.addEventListener('abort', () => page.off('close', abort).off('crash', abort))
  return closing.signal
}

async function admitRepetition(url: string, journey: JourneyTraffic): Promise<false> {
  await journey.admitNavigation(url)
  return false
}

/** The document of a page without controls, where the journey ends. */
function endDocument({ request: { method, url }, status, headers }: PausedResponse): DocumentResponse {
  const mediaType = mediaTypeOf(headerOf(headers, 'content-type'))
  return { method, url, status, mediaType, redirects: [], isEnd: true, refreshMs: 0 }
}

function entriesOf(headers: ResponseHeaders): HeaderEntry[] {
  return Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => ({ name, value: decodeUtf8(value.trim()) })),
  )
}

/** Decodes a header value as UTF-8 if possible, like Chromium: undici decodes it as Latin-1. */
function decodeUtf8(value: string): string {
  const text = Buffer.from(value, 'latin1').toString('utf8')
  return text.includes('\uFFFD') ? value : text
}

/** A direct request in the form of a paused request of a page. */
function requestTo(url: string, frameId: string): PausedRequest {
  return { frameId, resourceType: 'Document', request: { url, method: 'GET', headers: {} } }
}

/** Lifetime of a cookie that outlasts a run, in seconds. */
const longLifetime = 6 * 3600

/** The Cookie header, with the cookies of longer paths first (RFC 6265, 5.4); empty without cookies. */
function cookieHeader(cookies: readonly Cookie[]): [string, string][] {
  const value = cookies
    .filter(({ partitionKey }) => partitionKey === undefined)
    .toSorted((a, b) => b.path.length - a.path.length)
    .map((cookie) => (cookie.name === '' ? cookie.value : `${cookie.name}=${cookie.value}`))
    .join('; ')
  // Chromium stores UTF-8, and Node writes each character as one byte.
  return value === '' ? [] : [['Cookie', Buffer.from(value).toString('latin1')]]
}

/**
 * Whether a response changes a cookie of the browser; true if in doubt. Setting a cookie again with the same value and
 * attributes changes nothing, if the cookie outlasts the run before and after.
 */
function changesCookies(headers: readonly HeaderEntry[], cookies: readonly Cookie[]): boolean {
  const { parseCookie } = loadUndici()
  const now = Date.now() / 1000
  return valuesOf(headers, 'set-cookie').some((value) => {
    const set = parseCookie(value)
    const known = cookies.find(({ name, path }) => name === set?.name && path === (set.path ?? path))
    if (set === null || known === undefined) return true
    // A cookie without an expiry time lives as long as the window.
    const lifetimes = [
      known.expires === -1 ? Number.POSITIVE_INFINITY : known.expires - now,
      set.maxAge ?? (set.expires === undefined ? Number.POSITIVE_INFINITY : Number(set.expires) / 1000 - now),
    ]
    return (
      known.value !== set.value ||
      known.httpOnly !== (set.httpOnly ?? false) ||
      known.secure !== (set.secure ?? false) ||
      (set.sameSite !== undefined && known.sameSite !== set.sameSite) ||
      set.domain !== undefined ||
      set.path === undefined ||
      !lifetimes.every((seconds) => seconds >= longLifetime)
    )
  })
}

/** Whether a response deletes all cookies of the window (W3C Clear Site Data, 3.1). */
function clearsCookies(headers: readonly HeaderEntry[]): boolean {
  return /"(?:cookies|\*)"/.test(headerOf(headers, 'clear-site-data') ?? '')
}
