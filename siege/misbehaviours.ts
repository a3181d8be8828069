import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'

/** Answers a request wrongly, in place of the provider. */
export type Misbehave = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

const json = { 'content-type': 'application/json' }

function status(code: number, headers: Readonly<Record<string, string>> = {}): Misbehave {
  return (_, response) =>
    void response.writeHead(code, { ...json, ...headers }).end('{"error":"temporarily_unavailable"}')
}

async function drip(response: ServerResponse, part: string, everyMs: number): Promise<void> {
  response.writeHead(200, json)
  while (!response.destroyed) {
    response.write(part)
    await sleep(everyMs)
  }
}

/** What a broken or hostile target does with a request. */
export const misbehaviours: Readonly<Record<string, Misbehave>> = {
  'never answers': () => {},
  'answers in drops': (_, response) => drip(response, ' ', 500),
  'resets the connection': (request) => void request.socket.resetAndDestroy(),
  'resets the connection in the body': (request, response) => {
    response.writeHead(200, { ...json, 'content-length': '1000' })
    response.write('{', () => request.socket.resetAndDestroy())
  },
  'never stops answering': (_, response) => drip(response, 'x'.repeat(1 << 20), 1),
  'answers with a compressed bomb': (_, response) =>
    void response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5e8))),
  'answers with deep JSON': (_, response) => void response.writeHead(200, json).end('[{"a":'.repeat(1e6)),
  'answers with much JSON': (_, response) =>
    void response.writeHead(200, json).end(JSON.stringify(Array.from({ length: 1e6 }, (_each, n) => n))),
  'answers with bytes that are no text': (_, response) =>
    void response.writeHead(200, json).end(Buffer.from([0xff, 0xfe, 0, 0x80, 0x7b])),
  'answers with HTML': (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<script>alert(1)</script>'),
  'answers with nothing': (_, response) => void response.writeHead(200).end(),
  'redirects in a circle': (request, response) =>
    void response.writeHead(302, { location: request.url ?? '/' }).end(),
  'redirects to another host': (_, response) =>
    void response.writeHead(302, { location: 'https://elsewhere.invalid/' }).end(),
  'sends 500': status(500),
  'sends 503': status(503),
  'sends 429 for an hour': status(429, { 'retry-after': '3600' }),
  'sends 429 with nonsense': status(429, { 'retry-after': 'soon' }),
}
