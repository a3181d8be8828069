import type { Request, Response } from 'playwright'
import { address, headers, parameterValue } from '../evidence/allow-list.ts'
import type { Exchange } from '../evidence/exchange.ts'

/** What a request of the browser came to. */
export type Outcome = { readonly response: Response } | { readonly failure: string }

/**
 * A request of the browser as it may be kept. Of what was typed only the names of the form members remain.
 * Headers are those Chromium reports before it adds cookies.
 */
export function exchangeOf(request: Request, sentAt: number, outcome: Outcome): Omit<Exchange, 'number'> {
  const body = shownBody(request)
  return {
    sentAt,
    durationMs: Date.now() - sentAt,
    by: 'browser',
    request: {
      method: request.method(),
      url: address(request.url()),
      headers: headers(request.headers()),
      ...(body && { body }),
    },
    ...('failure' in outcome ? { failure: outcome.failure } : { response: shownResponse(outcome.response) }),
  }
}

/** The code of a network error, such as net::ERR_CONNECTION_REFUSED; library messages carry addresses. */
export function errorCode(message: string | undefined): string {
  return /net::[A-Z_0-9]+/.exec(message ?? '')?.[0] ?? 'the request was given up'
}

/** Media type of an answer: lower case, without parameters; empty where there is none. */
export function mediaTypeOf(response: Response): string {
  return (response.headers()['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function shownResponse(response: Response): NonNullable<Exchange['response']> {
  const all = response.headers()
  const mediaType = mediaTypeOf(response)
  const bytes = Number(all['content-length'] ?? Number.NaN)
  const { location, ...others } = all
  return {
    status: response.status(),
    headers: headers({
      ...others,
      ...(location !== undefined && { location: absolute(location, response.url()) }),
    }),
    ...(mediaType !== '' && Number.isFinite(bytes) && { body: { mediaType, bytes } }),
  }
}

/** A redirect's target as the server wrote it, or resolved where it is relative (RFC 9110, 10.2.2). */
export function absolute(location: string, base: string): string {
  return URL.canParse(location) || !URL.canParse(location, base) ? location : new URL(location, base).href
}

function shownBody(request: Request): string[] | undefined {
  const body = request.postData()
  if (body === null) return undefined
  const mediaType = request.headers()['content-type'] ?? ''
  if (!mediaType.startsWith('application/x-www-form-urlencoded')) return [mediaType.split(';', 1)[0] ?? '']
  // Length and digest of a typed value would still tell something about it.
  return [...new URLSearchParams(body)].map(([name, value]) => {
    const shown = parameterValue(name, value)
    return `${name}=${shown === value ? value : '…'}`
  })
}
