import { type AddressInfo, createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { Engine } from '../../load/engine/engine.ts'
import type { LoadGuard } from '../../load/engine/guard.ts'
import { paced } from '../../load/engine/pacer.ts'
import { get, guardWith, repeated, type Site, startSite } from './site.ts'

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

function engineFor(caps: Partial<LoadGuard['caps']> = {}, timeoutMs = 1000): Engine {
  const { guard, now } = guardWith(caps)
  const engine = new Engine({ guard, now, signal: new AbortController().signal, timeoutMs })
  open.push(engine)
  return engine
}

async function siteThat(answer: Site['answer']): Promise<Site> {
  const site = await startSite(answer)
  open.push(site)
  return site
}

/** A server below HTTP: what it writes is what is sent. */
async function rawSite(answer: (socket: Socket, index: number) => void) {
  const seen = { requests: 0, connections: 0 }
  const server = createServer((socket) => {
    seen.connections += 1
    socket.on('error', () => undefined)
    socket.on('data', () => answer(socket, seen.requests++))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push({ close: () => new Promise((resolve) => server.close(resolve)) })
  return { seen, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`) }
}

const one = { intendedAt: 0, patient: true }

describe('a Retry-After counts from the moment it is read', () => {
  const throttled = { 'retry-after': '2', 'content-length': '100000' }
  test.for<[string, Site['answer']]>([
    [
      'breaks off',
      (request, response) => {
        response.writeHead(429, throttled).write('{')
        setTimeout(() => request.socket.resetAndDestroy(), 20)
      },
    ],
    ['never ends', (_, response) => void response.writeHead(429, throttled).write('{')],
    [
      'is too large',
      (_, response) => void response.writeHead(429, { 'retry-after': '2' }).end(Buffer.alloc(5_000_000)),
    ],
  ])('also where the body of a 429 %s', async ([, answer]) => {
    const site = await siteThat((request, response, index) =>
      index === 0 ? answer(request, response, index) : response.end(),
    )
    const engine = engineFor()
    await engine.send(get(site), one)
    await engine.send(get(site), one)
    const [first = 0, second = 0] = site.arrivals
    expect(second - first).toBeGreaterThanOrEqual(2000)
  })

  test('also for a schedule, while the body of a 429 still comes', async () => {
    const site = await siteThat((_, response, index) => {
      if (index !== 3) return response.end()
      response.writeHead(429, { 'retry-after': '2' }).write('{')
      setTimeout(() => response.end('}'), 700)
    })
    const engine = engineFor()
    await paced(
      engine,
      { ratePerSecond: 20, count: 30 },
      repeated(site),
      () => true,
      new AbortController().signal,
    )
    expect(site.arrivals.length).toBeLessThanOrEqual(5)
  })
})

test.for([
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}'],
  ['a body that ends with its connection', 'HTTP/1.1 200 OK\r\n\r\n{}'],
] as const)('connections that end by %s are counted', async ([, text]) => {
  const { seen, url } = await rawSite((socket) => socket.end(text))
  const engine = engineFor({ maxRequests: 20 })
  while (await engine.send(get({ url }), one)) {
    // Until the guard refuses.
  }
  expect(seen.requests + seen.connections - 1).toBe(engine.guard.spent)
})

describe('a body with a content coding', () => {
  test('is read', async () => {
    const site = await siteThat((_, response) =>
      response
        .writeHead(429, { 'content-encoding': 'gzip' })
        .end(gzipSync('{"error":"temporarily_unavailable"}')),
    )
    const sent = await engineFor().send(get(site), one)
    expect(sent?.response?.text).toBe('{"error":"temporarily_unavailable"}')
  })

  test('is not blown up', async () => {
    const site = await siteThat((_, response) =>
      response
        .writeHead(429, { 'content-encoding': 'gzip', 'retry-after': '1' })
        .end(gzipSync(Buffer.alloc(50_000_000))),
    )
    const sent = await engineFor().send(get(site), one)
    expect(sent?.response?.text ?? '').toHaveLength(0)
  })
})
