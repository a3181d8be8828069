import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'

/** Sends a wrong response in place of the provider. */
export type Misbehave = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

const json = { 'content-type': 'application/json' }

/** An error of the provider's platform. */
export function status(code: number, headers: Readonly<Record<string, string>> = {}): Misbehave {
  const error = code === 429 ? 'temporarily_unavailable' : 'server_error'
  return (_, response) =>
    void response
      .writeHead(code, { ...json, ...headers })
      .end(JSON.stringify({ error, error_description: 'Try again later.' }))
}

async function drip(response: ServerResponse, part: string, everyMs: number): Promise<void> {
  response.writeHead(200, json)
  while (!response.destroyed) {
    response.write(part)
    await sleep(everyMs)
  }
}

/** Sends a body that is shorter or longer than its Content-Length. */
function announced(length: number, body: string): Misbehave {
  return ({ socket }) =>
    void socket.end(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`,
    )
}

/** Sends more headers than a parser accepts. The socket has no limit, unlike Node's server. */
function manyHeaders({ socket }: IncomingMessage): void {
  socket.on('error', () => undefined)
  socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n')
  for (let sent = 0; sent < 100; sent += 1)
    socket.write(Array.from({ length: 1000 }, (_, n) => `X-${sent}-${n}: 1\r\n`).join(''))
  socket.end('\r\n{}')
}

function redirect(to: string | ((request: IncomingMessage) => string)): Misbehave {
  return (request, response) =>
    void response.writeHead(302, { location: typeof to === 'string' ? to : to(request) }).end()
}

/** Permanent misbehaviours of a broken or hostile endpoint. */
export const misbehaviours = {
  'never responds': () => {},
  'sends one space every 500 ms': (_, response) => drip(response, ' ', 500),
  'resets the connection': ({ socket }) => void socket.resetAndDestroy(),
  'resets the connection in the body': ({ socket }, response) => {
    response.writeHead(200, { ...json, 'content-length': '1000' })
    response.write('{', () => socket.resetAndDestroy())
  },
  'sends less than Content-Length announces': announced(1000, '{}'),
  'sends more than Content-Length announces': announced(1, '{"keys":[]}'),
  'sends truncated JSON': (_, response) => void response.writeHead(200, json).end('{"keys":[{"kid":"1"'),
  'sends an endless body': (_, response) => drip(response, 'x'.repeat(1 << 20), 1),
  'sends a decompression bomb': (_, response) =>
    void response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5e8))),
  'sends deeply nested JSON': (_, response) => void response.writeHead(200, json).end('[{"a":'.repeat(1e6)),
  'sends a huge JSON array': (_, response) =>
    void response.writeHead(200, json).end(JSON.stringify(Array.from({ length: 1e6 }, (_each, n) => n))),
  'sends bytes that are not text': (_, response) =>
    void response.writeHead(200, json).end(Buffer.from([0xff, 0xfe, 0, 0x80, 0x7b])),
  'sends another charset': (_, response) =>
    void response
      .writeHead(200, { 'content-type': 'application/json; charset=utf-16' })
      .end(Buffer.from('{"keys":[]}', 'utf16le')),
  'sends 100,000 headers': manyHeaders,
  'sends HTML': (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<script>alert(1)</script>'),
  'sends nothing': (_, response) => void response.writeHead(200).end(),
  'redirects in a loop': redirect(({ url }) => url ?? '/'),
  'redirects to another host': redirect('https://elsewhere.invalid/'),
  'redirects to another port': redirect('http://127.0.0.1:9/'),
  'redirects to another scheme': redirect('file:///etc/passwd'),
  'sends 500': status(500),
  'sends 502': status(502),
  'sends 503': status(503),
  'sends 504': status(504),
  'sends 500 with the error of throttling': (_, response) =>
    void response.writeHead(500, json).end('{"error":"temporarily_unavailable"}'),
  'sends 429': status(429, { 'retry-after': '1' }),
  'sends 429 for an hour': status(429, { 'retry-after': '3600' }),
  'sends 429 until a date in a year': status(429, {
    'retry-after': new Date(Date.now() + 3e10).toUTCString(),
  }),
} satisfies Readonly<Record<string, Misbehave>>

/** Failures of single requests: the first, or every fourth. */
export const transients = {
  '500': status(500),
  '502': status(502),
  '503': status(503),
  '504': status(504),
  '503 with Retry-After': status(503, { 'retry-after': '1' }),
  '429 with seconds': status(429, { 'retry-after': '1' }),
  '429 with zero seconds': status(429, { 'retry-after': '0' }),
  '429 without Retry-After': status(429),
  '429 with a word': status(429, { 'retry-after': 'soon' }),
  '429 with a negative number': status(429, { 'retry-after': '-5' }),
  '429 with a fraction': status(429, { 'retry-after': '0.5' }),
  '429 with two values': status(429, { 'retry-after': '1, 2' }),
  '429 with a past date': status(429, { 'retry-after': 'Fri, 01 Jan 1999 00:00:00 GMT' }),
  '429 with a date': (request, response) =>
    status(429, { 'retry-after': new Date(Date.now() + 2000).toUTCString() })(request, response),
  '429 with a date of RFC 850': (request, response) =>
    status(429, { 'retry-after': rfc850(Date.now() + 2000) })(request, response),
} satisfies Readonly<Record<string, Misbehave>>

function rfc850(at: number): string {
  const [weekday = '', day, month, year = '', time] = new Date(at).toUTCString().replace(',', '').split(' ')
  const full = { Sun: '', Mon: '', Tue: 's', Wed: 'nes', Thu: 'rs', Fri: '', Sat: 'ur' }[weekday]
  return `${weekday}${full}day, ${day}-${month}-${year.slice(2)} ${time} GMT`
}
