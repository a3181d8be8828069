import type { CDPSession } from 'playwright'
import { responseLimits } from '../http/response-limits.ts'
import type { AssetCache } from './asset-cache.ts'
import { markOriginal } from './browser-exchange.ts'
import { withPolicy } from './document-policy.ts'
import type { JourneyDecisions } from './journey-decisions.ts'
import {
  type DirectResponse,
  type HeaderEntry,
  headerOf,
  isRedirect,
  type PausedRequest,
  type PausedResponse,
} from './protocol.ts'

interface PausedEvent extends PausedRequest {
  readonly requestId: string
  readonly responseStatusCode?: number
  readonly responseStatusText?: string
  readonly responseErrorReason?: string
  readonly responseHeaders?: readonly HeaderEntry[]
}

/** Maximum size of all responses of a journey, in bytes (docs/safety.md). */
const maxPageBytes = 32 * 1024 * 1024

/** Statuses of responses without a body, which never become a document. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304])

function isJson(headers: readonly HeaderEntry[]): boolean {
  return /json/i.test(headerOf(headers, 'content-type') ?? '')
}

/** Whether an error is from the Chrome DevTools Protocol. Other errors are defects of the interceptor. */
function isProtocolError({ message }: Error): boolean {
  return /^cdpSession\.send|Protocol error|has been closed/.test(message)
}

/**
 * Pauses each request of a page before the browser sends it, and each response before the page receives it. The
 * interceptor adds the policy for pages to documents. It delivers them complete, because Chromium obeys added headers
 * only in complete responses.
 */
export class RequestInterceptor {
  readonly #session: CDPSession
  readonly #decisions: JourneyDecisions
  readonly #assets: AssetCache
  /** Ids of requests that wait for the budget. */
  readonly #waiting = new Set<string>()
  #receivedBytes = 0

  private constructor(session: CDPSession, decisions: JourneyDecisions, assets: AssetCache) {
    this.#session = session
    this.#decisions = decisions
    this.#assets = assets
  }

  /** @param assets assets of the run, which need no request */
  static async open(
    session: CDPSession,
    decisions: JourneyDecisions,
    assets: AssetCache,
  ): Promise<RequestInterceptor> {
    const interceptor = new RequestInterceptor(session, decisions, assets)
    session.on('Fetch.requestPaused', (event: PausedEvent) => {
      interceptor.#decide(event).catch((error: Error) => {
        // A protocol error is normal if the page was closed or cancelled the request meanwhile.
        if (!isProtocolError(error)) decisions.failed(error)
      })
    })
    session.on('Network.dataReceived', ({ dataLength }) => {
      interceptor.#receivedBytes += dataLength
      if (interceptor.#receivedBytes > maxPageBytes)
        decisions.exceeded(`with all that it loads is larger than ${maxPageBytes} bytes`)
    })
    await session.send('Fetch.enable', {
      patterns: [{ requestStage: 'Request' }, { requestStage: 'Response' }],
    })
    return interceptor
  }

  /** Ends a journey. Refuses the waiting requests, because Chromium would send some of them when the page is closed. */
  end(): void {
    this.#receivedBytes = 0
    for (const requestId of this.#waiting) this.#refuse(requestId).catch(() => undefined)
    this.#waiting.clear()
  }

  async #decide(event: PausedEvent): Promise<void> {
    const { requestId, responseStatusCode: status, responseHeaders: headers = [] } = event
    if (status !== undefined) return this.#decideOnResponse({ ...event, status, headers })
    if (event.responseErrorReason !== undefined) return this.#continue(requestId)
    const asset = this.#decisions.isAllowed(event) ? this.#assets.find(event) : undefined
    if (asset) {
      const { headers, body } = asset
      return this.#deliver({ ...event, status: 200, headers, fromMemory: true }, 200, headers, body)
    }
    const admitted = this.#decisions.admit(event)
    if (typeof admitted === 'boolean') return admitted ? this.#send(event) : this.#refuse(requestId)
    this.#waiting.add(requestId)
    const isAdmitted = await admitted
    if (this.#waiting.delete(requestId)) await (isAdmitted ? this.#send(event) : this.#refuse(requestId))
  }

  /** Lets the browser send a request, unless the response is already known. */
  async #send(event: PausedEvent): Promise<void> {
    const direct = this.#decisions.takeDirect(event)
    if (direct === undefined) return this.#continue(event.requestId)
    const { status, headers } = direct
    await this.#decideOnResponse({ ...event, status, headers }, direct)
  }

  /** Fails a request. `Aborted` keeps the current page, so that the next navigation can begin at once. */
  async #refuse(
    requestId: string,
    errorReason: 'Aborted' | 'ConnectionClosed' | 'BlockedByClient' = 'Aborted',
  ): Promise<void> {
    await this.#session.send('Fetch.failRequest', { requestId, errorReason })
  }

  async #continue(requestId: string): Promise<void> {
    await this.#session.send('Fetch.continueRequest', { requestId })
  }

  /** @param direct the response, if it was received without the page */
  async #decideOnResponse(event: PausedEvent & PausedResponse, direct?: DirectResponse): Promise<void> {
    const { requestId, resourceType, status, headers, request } = event
    const bodyOf = () => direct?.body ?? this.#bodyOf(event)
    const deliver = (code: number, delivered: readonly HeaderEntry[], body?: string) =>
      this.#deliver({ ...event, direct }, code, delivered, body)
    const isDocument = resourceType === 'Document'
    // The target may report throttling in the body alone, for example with status 200.
    const mayBeError = status >= 400 || (status < 300 && isJson(headers) && !withoutBody.has(status))
    const errorBody = isDocument && mayBeError ? await bodyOf() : undefined
    const knownBody = errorBody instanceof Buffer ? errorBody : undefined
    if (this.#decisions.received(event, knownBody) === 'retry') {
      // After a 307 to the same address, Chromium sends the request again, with method and body.
      const location = { name: 'Location', value: request.url }
      return deliver(307, [...headers.filter(({ name }) => !/^location$/i.test(name)), location])
    }
    const redirects = isRedirect(event)
    const isAsset = this.#assets.admits(event)
    // A 204 ends the navigation and keeps the current page: showing another page takes five times as long.
    const endJourney = () => deliver(204, headers)
    if (redirects && isDocument && this.#decisions.leaves(event)) return endJourney()
    if ((!isDocument && !isAsset) || redirects || withoutBody.has(status))
      return direct ? deliver(status, headers) : this.#continue(requestId)
    const body = errorBody ?? (await bodyOf())
    if (body === 'incomplete') return this.#refuse(requestId, 'ConnectionClosed')
    if (body === 'too-large') {
      this.#decisions.exceeded(`is larger than ${responseLimits.bytes} bytes`)
      return this.#refuse(requestId, 'BlockedByClient')
    }
    if (isDocument && this.#decisions.ends(event, body)) return endJourney()
    const encoded = body.toString('base64')
    if (isAsset) this.#assets.keep(event, { headers, body: encoded })
    return deliver(status, headers, encoded)
  }

  async #deliver(
    { requestId, responseStatusText, ...original }: PausedEvent & Parameters<typeof markOriginal>[0],
    responseCode: number,
    delivered: readonly HeaderEntry[],
    base64Body = '',
  ): Promise<void> {
    await this.#session.send('Fetch.fulfillRequest', {
      requestId,
      responseCode,
      responsePhrase: responseStatusText || 'Unknown',
      responseHeaders: [...withPolicy(delivered), markOriginal(original)],
      body: base64Body,
    })
  }

  async #bodyOf({
    requestId,
    headers,
  }: PausedEvent & PausedResponse): Promise<Buffer | 'incomplete' | 'too-large'> {
    const { bytes: maxBytes } = responseLimits
    const announced = Number(headerOf(headers, 'content-length') ?? Number.NaN)
    if (announced > maxBytes) return 'too-large'
    if (Number.isFinite(announced) && headerOf(headers, 'content-encoding') === undefined) {
      const { body, base64Encoded } = await this.#session.send('Fetch.getResponseBody', { requestId })
      if (!base64Encoded) return Buffer.from(body)
      const decoded = Buffer.from(body, 'base64')
      // Chromium does not report that a body is incomplete.
      return decoded.length < announced ? 'incomplete' : decoded
    }
    const { stream: handle } = await this.#session.send('Fetch.takeResponseBodyAsStream', { requestId })
    const chunks: Buffer[] = []
    let size = 0
    try {
      for (let isComplete = false; !isComplete; ) {
        const { data, base64Encoded, eof } = await this.#session.send('IO.read', { handle })
        const chunk = Buffer.from(data, base64Encoded ? 'base64' : 'utf8')
        chunks.push(chunk)
        size += chunk.length
        if (size > maxBytes) return 'too-large'
        isComplete = eof
      }
    } finally {
      this.#session.send('IO.close', { handle }).catch(() => undefined)
    }
    return Buffer.concat(chunks)
  }
}
