import {
  type Attachment,
  type HttpExchange,
  type HttpExchangeNameValue,
  Stage,
  Status,
  type StepResult,
} from 'allure-js-commons'
import type { BodyShape, Exchange } from '../../evidence/exchange.ts'
import { exchangeStatus } from '../../results/check-record.ts'

/**
 * A recorded exchange as a step of a check.
 * @param isViolating whether the response violates the requirement
 * @param isEarlier whether the request was sent before the check
 */
export function exchangeStep(
  exchange: Exchange,
  { isViolating, isEarlier }: { readonly isViolating: boolean; readonly isEarlier: boolean },
  attachments: Attachment[],
): StepResult {
  // Not parsed as a URL, which would encode the characters of masked values.
  const withoutOrigin = exchange.request.url.replace(/^\w+:\/\/[^/]+/, '')
  return {
    name: `${exchange.request.method} ${withoutOrigin} → ${exchangeStatus(exchange)}${isViolating ? ': violates the requirement' : ''}${isEarlier ? ' (sent before this check)' : ''}`,
    status: isViolating ? Status.FAILED : exchange.response ? Status.PASSED : Status.BROKEN,
    stage: Stage.FINISHED,
    statusDetails: exchange.failure === undefined ? {} : { message: exchange.failure },
    start: exchange.sentAt,
    stop: exchange.sentAt + exchange.durationMs,
    steps: [],
    parameters: [],
    attachments,
  }
}

/** Explains the variables of a curl command. If a value had a flaw, only the same value repeats the request. */
export function withVariablesNote(curl: string): string {
  return curl.includes('$')
    ? `${curl}\n\n# Set each variable to the value that this request sent. The exchange shows only the length and digest of each value. For a new token:\n# npx plumbline tokens --reveal\n`
    : curl
}

/**
 * A recorded exchange in the format of Allure's HTTP viewer. Its bodies show only the names of form members and the
 * shape of JSON, as the evidence does.
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
      ...(request.body && { body: { contentType: 'text/plain', value: request.body.join('\n') } }),
    },
    ...(response && {
      response: {
        status: response.status,
        headers: pairs(response.headers),
        ...(response.body && { body: { ...shownBody(response.body), size: response.body.bytes } }),
      },
    }),
    ...(failure !== undefined && { error: { name: 'no response', message: failure } }),
    ...(fromMemory && { error: { name: 'no request', message: fromMemoryMessage } }),
  }
}

const fromMemoryMessage = 'the target sent this response to an earlier page of this run'

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
