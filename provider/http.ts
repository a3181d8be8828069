import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'

/** One request as the provider sees it before anybody handles it. */
export interface Received {
  /** Milliseconds since the epoch. */
  at: number
  method: string
  /** Path without query. */
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  /** Source address. */
  address: string
  /** The body as it came, when there is one. */
  text?: string
  /** The form body, when there is one. */
  form?: URLSearchParams
  /** Client id claimed by the request: not authenticated. */
  client?: string
}

/** An answer on its way out. An object body is sent as JSON. Header names are lower-case. */
export interface Answer {
  status: number
  headers: Record<string, string | string[]>
  body?: unknown
}

/** Most bytes a request body may have. */
export const BODY_LIMIT = 64 * 1024

export function jsonAnswer(status: number, body: unknown): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    body,
  }
}

export function htmlAnswer(status: number, html: string): Answer {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
    body: html,
  }
}

/** The members of a JSON object body; undefined for any other body. */
export function fieldsOf(answer: Answer): Record<string, unknown> | undefined {
  return typeof answer.body === 'object' && answer.body !== null
    ? (answer.body as Record<string, unknown>)
    : undefined
}

/** Value of a header that may be repeated: the first one. */
export function headerValue(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Reads a request body. Undefined when it is larger than `BODY_LIMIT`. */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > BODY_LIMIT) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export function send(response: ServerResponse, answer: Answer): void {
  const body =
    answer.body === undefined || typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
  response.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(body ?? '') })
  response.end(body)
}

/**
 * The same request with a body that was already read (and perhaps edited), for a handler that wants to read it.
 */
export function withBody(request: IncomingMessage, body: Buffer): IncomingMessage {
  const headers: IncomingHttpHeaders = { ...request.headers, 'content-length': String(body.length) }
  delete headers['transfer-encoding']
  return Object.create(request, {
    headers: { value: headers },
    readable: { value: true },
    iterator: { value: () => [body] },
  })
}
