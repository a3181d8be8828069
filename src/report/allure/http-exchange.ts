import type { HttpExchange, HttpExchangeNameValue } from 'allure-js-commons'
import type { BodyShape, Exchange } from '../../evidence/exchange.ts'

/**
 * A recorded exchange in the format of Allure's viewer of HTTP exchanges. Bodies are those of the evidence: names of
 * form members, shape of JSON.
 */
export function httpExchange(exchange: Exchange): HttpExchange {
  const { request, response, failure, fromMemory, sentAt, durationMs } = exchange
  return {
    schemaVersion: 1,
    start: sentAt,
    stop: sentAt + durationMs,
    request: {
      method: request.method,
      url: request.url,
      headers: pairs(request.headers),
      ...(request.body ? { body: { contentType: 'text/plain', value: request.body.join('\n') } } : {}),
    },
    ...(response
      ? {
          response: {
            status: response.status,
            headers: pairs(response.headers),
            ...(response.body ? { body: { ...shownBody(response.body), size: response.body.bytes } } : {}),
          },
        }
      : {}),
    ...(failure === undefined ? {} : { error: { name: 'no response', message: failure } }),
    ...(fromMemory && { error: { name: 'no request', message: fromMemoryMessage } }),
  }
}

const fromMemoryMessage = 'the response is one that the target sent to an earlier page of this run'

function shownBody(body: BodyShape): { contentType: string; value: string } {
  if (body.json === undefined) return { contentType: 'text/plain', value: bodyInWords(body) }
  return { contentType: 'application/json', value: JSON.stringify(body.json, null, 2) }
}

/** `text/html, 512 bytes`, and the error in a body. */
function bodyInWords({ mediaType, bytes, error }: BodyShape): string {
  return `${mediaType || 'no media type'}, ${bytes} bytes${error === undefined ? '' : `, error ${error}`}`
}

function pairs(headers: Readonly<Record<string, string>>): HttpExchangeNameValue[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }))
}
