import {
  errorName,
  shownAddress,
  shownHeaders,
  shownMediaType,
  shownParameter,
} from '../evidence/allow-list.ts'
import { curlCommand } from '../evidence/curl.ts'
import type { BodyShape, Exchange } from '../evidence/exchange.ts'
import { shapeOf } from '../evidence/shape.ts'
import type { HttpRequest } from './request.ts'
import type { HttpResponse } from './response.ts'

/** A request as evidence: its permitted parts, and a command that repeats it. */
export function shownRequest(
  request: Omit<HttpRequest, 'retry' | 'ownConnection'>,
): Pick<Exchange, 'request' | 'curl'> {
  const { method, url, headers = [], form, json, raw } = request
  const body =
    raw === undefined
      ? (form?.map(([name, value]) => shownParameter(name, value)) ??
        (json && [JSON.stringify(shapeOf(json))]))
      : [`${Buffer.byteLength(raw)} bytes, not a well-formed form`]
  return {
    request: {
      method,
      url: shownAddress(url),
      headers: shownHeaders(Object.fromEntries(headers)),
      ...(body && { body }),
    },
    curl: curlCommand({ method, url, headers, form, json }),
  }
}

/**
 * A response as evidence: its status, the permitted headers, and the shape of its body.
 * @param withShape false to omit the shape of a JSON body, because computing it takes time
 */
export function shownResponse(response: HttpResponse, withShape = true): NonNullable<Exchange['response']> {
  const { status, headers } = response
  return { status, headers: shownHeaders(headers), body: bodyShape(response, withShape) }
}

function bodyShape(response: HttpResponse, withShape: boolean): BodyShape {
  const json = withShape ? response.json : undefined
  const error =
    json !== null && typeof json === 'object' ? errorName((json as { error?: unknown }).error) : undefined
  return {
    mediaType: shownMediaType(response.mediaType),
    bytes: Buffer.byteLength(response.text),
    ...(json !== undefined && { json: shapeOf(json) }),
    ...(error !== undefined && { error }),
  }
}
