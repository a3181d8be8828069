import { randomUUID } from 'node:crypto'
import type { Request, Response } from 'playwright'
import { shownAddress, shownHeaders, shownValue } from '../evidence/allow-list.ts'
import { curlCommand } from '../evidence/curl.ts'
import type { Exchange } from '../evidence/exchange.ts'
import { mediaTypeOf } from '../http/response.ts'
import { type DirectResponse, fieldsOf, type HeaderEntry } from './protocol.ts'

/** Why a request has no response. */
export type NoResponse = Pick<Exchange, 'notSent'> & Required<Pick<Exchange, 'failure'>>

/**
 * Evidence of a request by a page. It contains no cookies, and only the form values that evidence may show. A body that
 * is not a form is reduced to its media type.
 * @param outcome the response, or why there is none
 */
export function pageExchange(
  request: Request,
  sentAt: number,
  outcome: Response | NoResponse,
): Omit<Exchange, 'number'> {
  const body = shownBody(request)
  return {
    sentAt,
    durationMs: Date.now() - sentAt,
    by: 'browser',
    request: {
      method: request.method(),
      url: shownAddress(request.url()),
      headers: shownHeaders(request.headers()),
      ...(body && { body }),
    },
    ...('failure' in outcome ? outcome : shownOutcome(outcome)),
  }
}

/**
 * Evidence of a GET request that was sent without a page.
 * @param outcome the response, or why there is none
 */
export function directExchange(
  url: string,
  headers: readonly (readonly [string, string])[],
  times: Pick<Exchange, 'sentAt' | 'durationMs'>,
  outcome: NoResponse | Pick<DirectResponse, 'status' | 'headers'>,
): Omit<Exchange, 'number'> {
  const address = new URL(url)
  const shown = shownHeaders(Object.fromEntries(headers))
  return {
    ...times,
    by: 'browser',
    request: { method: 'GET', url: shownAddress(address), headers: shown },
    ...('failure' in outcome
      ? outcome
      : { response: shownResponse({ ...outcome, headers: fieldsOf(outcome.headers) }, url) }),
    curl: curlCommand({ method: 'GET', url: address, headers: [] }),
  }
}

/** The Location of a redirect, resolved if it is relative (RFC 9110, 10.2.2). */
export function absolute(location: string, base: string): string {
  return URL.canParse(location) ? location : (URL.parse(location, base)?.href ?? location)
}

function shownOutcome(
  response: Response,
): Pick<Exchange, 'response' | 'fromMemory'> & Partial<Pick<Exchange, 'sentAt' | 'durationMs'>> {
  const original = originalOf(response)
  return {
    ...original.direct,
    response: shownResponse(original, response.url()),
    ...(original.fromMemory && { fromMemory: true }),
  }
}

function shownResponse(
  { status, headers }: Pick<OriginalResponse, 'status' | 'headers'>,
  url: string,
): NonNullable<Exchange['response']> {
  const { location, ...others } = headers
  const mediaType = mediaTypeOf(others['content-type'])
  const bytes = Number(others['content-length'] ?? Number.NaN)
  return {
    status,
    headers: shownHeaders({
      ...others,
      ...(location !== undefined && { location: absolute(location, url) }),
    }),
    ...(mediaType !== '' && Number.isFinite(bytes) && { body: { mediaType, bytes } }),
  }
}

function shownBody(request: Request): string[] | undefined {
  const body = request.postData()
  if (body === null) return undefined
  const mediaType = request.headers()['content-type'] ?? ''
  if (!mediaType.startsWith('application/x-www-form-urlencoded')) return [mediaType.split(';', 1)[0] ?? '']
  // Mask values completely: evidence must not even reveal the length or digest of a typed value.
  return [...new URLSearchParams(body)].map(([name, value]) => {
    const shown = shownValue(name, value)
    return `${name}=${shown === value ? value : '…'}`
  })
}

/** A response as the target sent it. Header names are in lower case. */
interface OriginalResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The response is from the asset cache: the target received no request. */
  readonly fromMemory?: true
  /** Time and duration of the request, if it was sent without a page. */
  readonly direct?: { readonly sentAt: number; readonly durationMs: number }
}

/**
 * Name of the header with the original status and headers of a response that the interceptor altered. It is random, so
 * that no target can send the header.
 */
const originalHeader = `x-original-${randomUUID()}`

/** The header with the original status and headers of an altered response. Evidence and verdicts use the original. */
export function markOriginal(response: {
  readonly status: number
  readonly headers: readonly HeaderEntry[]
  readonly fromMemory?: true
  readonly direct?: OriginalResponse['direct'] | undefined
}): HeaderEntry {
  // Playwright's headers of unaltered responses omit cookies, too.
  const { 'set-cookie': _, ...headers } = fieldsOf(response.headers)
  const { status, fromMemory, direct } = response
  const original: OriginalResponse = {
    status,
    headers,
    ...(fromMemory && { fromMemory }),
    ...(direct && { direct: { sentAt: direct.sentAt, durationMs: direct.durationMs } }),
  }
  return { name: originalHeader, value: encodeURIComponent(JSON.stringify(original)) }
}

/** The response as the target sent it, even if the interceptor has altered the response. */
export function originalOf(response: Response): OriginalResponse {
  const headers = response.headers()
  const original = headers[originalHeader]
  return original === undefined
    ? { status: response.status(), headers }
    : (JSON.parse(decodeURIComponent(original)) as OriginalResponse)
}
