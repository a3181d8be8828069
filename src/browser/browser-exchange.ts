import type { Request, Response } from 'playwright'
import { shownAddress, shownHeaders, shownValue } from '../evidence/allow-list.ts'
import type { Exchange } from '../evidence/exchange.ts'
import { mediaTypeOf } from '../http/response.ts'
import { type OriginalResponse, originalOf } from './original-response.ts'

/** Why a request has no response. */
export type NoResponse = Pick<Exchange, 'notSent'> & Required<Pick<Exchange, 'failure'>>

/**
 * A request of the browser as evidence. Of a form, only the names of its members remain. The headers are those that
 * Chromium reports before it adds cookies.
 * @param outcome the response, or why there is none
 */
export function exchangeOf(
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

/** The Location of a redirect, resolved if it is relative (RFC 9110, 10.2.2). */
export function absolute(location: string, base: string): string {
  return URL.canParse(location) ? location : (URL.parse(location, base)?.href ?? location)
}

function shownOutcome(response: Response): Pick<Exchange, 'response' | 'fromMemory'> {
  const original = originalOf(response)
  return {
    response: shownResponse(response, original),
    ...(original.fromMemory && { fromMemory: true }),
  }
}

function shownResponse(response: Response, original: OriginalResponse): NonNullable<Exchange['response']> {
  const { location, ...others } = original.headers
  const mediaType = mediaTypeOf(others['content-type'])
  const bytes = Number(others['content-length'] ?? Number.NaN)
  return {
    status: original.status,
    headers: shownHeaders({
      ...others,
      ...(location !== undefined && { location: absolute(location, response.url()) }),
    }),
    ...(mediaType !== '' && Number.isFinite(bytes) && { body: { mediaType, bytes } }),
  }
}

function shownBody(request: Request): string[] | undefined {
  const body = request.postData()
  if (body === null) return undefined
  const mediaType = request.headers()['content-type'] ?? ''
  if (!mediaType.startsWith('application/x-www-form-urlencoded')) return [mediaType.split(';', 1)[0] ?? '']
  // Length and digest of a typed value would disclose something about it.
  return [...new URLSearchParams(body)].map(([name, value]) => {
    const shown = shownValue(name, value)
    return `${name}=${shown === value ? value : '…'}`
  })
}
