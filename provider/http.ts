import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'

/** A request, as the provider reads it. */
export interface HttpRequest {
  /** Arrival, in milliseconds since the epoch. */
  at: number
  method: string
  /** Path without query. */
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  /** Source IP address. */
  address: string
  /** The body as bytes and as text; unset for GET and HEAD. */
  body?: Buffer
  text?: string
  /** The body as a form, if that is its content type. */
  form?: URLSearchParams
  /** Client id in the request, not authenticated. */
  client?: string
}

/** A response. Text or bytes are sent unchanged, any other body as JSON. Header names are lower-case. */
export interface HttpResponse {
  status: number
  headers: Record<string, string | string[]>
  body?: unknown
}

/** Maximum size of a request body, in bytes. */
export const BODY_LIMIT = 64 * 1024

export function jsonResponse(status: number, body: unknown): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    body,
  }
}

export function htmlResponse(status: number, html: string): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
    body: html,
  }
}

/** The members of a JSON object body; undefined for any other body. */
export function fieldsOf(response: HttpResponse): Record<string, unknown> | undefined {
  return typeof response.body === 'object' && response.body !== null
    ? (response.body as Record<string, unknown>)
    : undefined
}

/** The value of a header; the first value if the header is repeated. */
export function headerValue(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** A request without its body. */
export function parseHead(incoming: IncomingMessage): HttpRequest {
  const [path = '/', query = ''] = (incoming.url ?? '/').split(/\?(.*)/s)
  return {
    at: Date.now(),
    method: incoming.method ?? 'GET',
    path,
    query: new URLSearchParams(query),
    headers: incoming.headers,
    address: incoming.socket.remoteAddress ?? '',
  }
}

/**
 * Reads the body of a message into its request.
 * @returns false for a body larger than `BODY_LIMIT`
 */
export async function readBody(incoming: IncomingMessage, request: HttpRequest): Promise<boolean> {
  if (request.method === 'GET' || request.method === 'HEAD') return true
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming) {
    length += chunk.length
    if (length > BODY_LIMIT) return false
    chunks.push(chunk)
  }
  request.body = Buffer.concat(chunks)
  request.text = request.body.toString()
  if (/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? ''))
    request.form = new URLSearchParams(request.text)
  return true
}

export function send(outgoing: ServerResponse, { status, headers, body }: HttpResponse): void {
  const isSentAsIs = body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
  const text = isSentAsIs ? body : JSON.stringify(body)
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text ?? '') })
  outgoing.end(text)
}

/** The message with `body` as its body: a body can be read only once, and a handler reads it again. */
export function withBody(incoming: IncomingMessage, body: Buffer): IncomingMessage {
  const headers: IncomingHttpHeaders = { ...incoming.headers, 'content-length': String(body.length) }
  delete headers['transfer-encoding']
  return Object.create(incoming, {
    headers: { value: headers },
    readable: { value: true },
    iterator: { value: () => [body] },
  })
}
