import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Recorder } from '../../src/evidence/recorder.ts'
import { Budget, throttleLimit } from '../../src/http/budget.ts'
import type { HttpFailure } from '../../src/http/failures.ts'
import { Http } from '../../src/http/http.ts'
import type { HttpRequest } from '../../src/http/request.ts'
import { type Answer, answer, client, inTurn, site } from './site.ts'

const reset: Answer = (response) => response.socket?.resetAndDestroy()

function failureOf(promise: Promise<unknown>): Promise<HttpFailure> {
  return promise.then(
    () => expect.unreachable('it was answered'),
    (error) => error,
  )
}

describe.concurrent('what leaves the machine', () => {
  test('no header but what HTTP needs and what was asked for', async ({ expect }) => {
    const { url, host, log } = await site()
    const { http } = client([host])
    await http.send({ method: 'GET', url: url('/a?b=c'), headers: [['X-One', '1']], retry: 'safe' })
    expect(log).toHaveLength(1)
    expect(log[0]).toMatchObject({ method: 'GET', url: '/a?b=c', body: '' })
    expect(
      log[0]?.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()),
    ).toEqual(expect.arrayContaining(['host', 'x-one']))
    const names = log[0]?.rawHeaders.filter((_, index) => index % 2 === 0) ?? []
    expect(names.filter((name) => !/^(host|connection|x-one)$/i.test(name))).toEqual([])
  })

  test('no request on a connection that was idle for about as long as servers keep one open', async ({
    expect,
  }) => {
    const { url, host, log } = await site()
    const { http } = client([host])
    const post = { method: 'POST', url: url(), form: [['a', 'b']], retry: 'if-unprocessed' } as const
    await http.send(post)
    await sleep(2000)
    await http.send(post)
    const [first, second] = log.map(({ port }) => port)
    expect(second).not.toBe(first)
  })

  test('a form as raw bytes: order, duplicates and odd characters kept', async ({ expect }) => {
    const { url, host, log } = await site()
    const { http } = client([host])
    const form = [
      ['code', 'first'],
      ['code', 'second'],
      ['a b', 'c&d=e+f%'],
      ['ä', '€\n'],
      ['', ''],
    ] as const
    await http.send({ method: 'POST', url: url(), form, retry: 'if-unprocessed' })
    const body = 'code=first&code=second&a+b=c%26d%3De%2Bf%25&%C3%A4=%E2%82%AC%0A&='
    expect(log[0]?.body).toBe(body)
    const headers = log[0]?.rawHeaders.map((text) => text.toLowerCase()) ?? []
    expect(headers).toContain('application/x-www-form-urlencoded')
    expect(headers[headers.indexOf('content-length') + 1]).toBe(String(body.length))
    expect(headers).not.toContain('transfer-encoding')
  })

  test('a raw body byte for byte, and an empty form', async ({ expect }) => {
    const { url, host, log } = await site()
    const { http } = client([host])
    const headers = [['Content-Type', 'application/x-www-form-urlencoded']] as const
    await http.send({ method: 'POST', url: url(), headers, raw: 'a=%zz&&=&b', retry: 'if-unprocessed' })
    await http.send({ method: 'POST', url: url(), form: [], retry: 'if-unprocessed' })
    expect(log.map(({ body }) => body)).toEqual(['a=%zz&&=&b', ''])
    expect(log[0]?.rawHeaders.filter((name) => /content-type/i.test(name))).toHaveLength(1)
  })

  test('a query as it was written', async ({ expect }) => {
    const { url, host, log } = await site()
    const { http } = client([host])
    await http.send({ method: 'GET', url: url('/?from=1%2B02&from=2+x&empty'), retry: 'safe' })
    expect(log[0]?.url).toBe('/?from=1%2B02&from=2+x&empty')
  })

  test('redirects are answers, and cookies are not kept', async ({ expect }) => {
    const { url, host, log } = await site(answer(302, { Location: '/other', 'Set-Cookie': 'a=b' }))
    const { http } = client([host])
    expect((await http.send({ method: 'GET', url: url(), retry: 'safe' })).status).toBe(302)
    await http.send({ method: 'GET', url: url(), retry: 'safe' })
    expect(log.map(({ url }) => url)).toEqual(['/', '/'])
    expect(JSON.stringify(log)).not.toMatch(/cookie/i)
  })

  test('connections of their own are separate from each other and from the shared one', async ({
    expect,
  }) => {
    const { url, host, log } = await site((response) => setTimeout(() => response.end('{}'), 20))
    const { http } = client([host])
    const request = { method: 'GET', url: url(), retry: 'safe' } as const
    await http.send(request)
    await http.send(request)
    await Promise.all([
      http.send({ ...request, ownConnection: true }),
      http.send({ ...request, ownConnection: true }),
    ])
    await http.send({ ...request, ownConnection: true })
    await http.send(request)
    const [a, b, ...others] = log.map(({ port }) => port)
    const own = others.slice(0, 3)
    const shared = new Set([a, b, others[3]])
    expect(new Set(own).size).toBe(3)
    expect(own.filter((port) => shared.has(port))).toEqual([])
  })
})

describe.concurrent('the budget', () => {
  test('equals what the server counted, through throttling, retries and the end of the budget', async ({
    expect,
  }) => {
    const { url, host, log } = await site(
      inTurn(answer(200), answer(429, { 'Retry-After': '1' }), answer(500), answer(200)),
    )
    const { http, budget } = client([host], {
      requestBudget: 6,
    })
    budget.admitAtOnce()
    const request = { method: 'GET', url: url(), retry: 'safe' } as const
    await http.send(request)
    expect((await failureOf(http.send(request))).kind).toBe('unavailable')
    await http.send(request)
    await http.send(request)
    expect(await failureOf(http.send(request))).toMatchObject({
      kind: 'budget-spent',
      variables: ['REQUEST_BUDGET'],
      advice: expect.stringContaining('REQUEST_BUDGET'),
    })
    expect(log).toHaveLength(5)
    expect(budget.requests).toBe(6)
    expect(budget.throttled).toBe(1)
  })

  test('is exact when many want the rest of it at once', async ({ expect }) => {
    const { url, host, log } = await site()
    const { http, budget } = client([host], { requestBudget: 7 })
    const all = await Promise.allSettled(
      Array.from({ length: 30 }, () => http.send({ method: 'GET', url: url(), retry: 'safe' })),
    )
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(7)
    expect(log).toHaveLength(7)
    expect(budget.requests).toBe(7)
  })

  test('counts what the browser sends as well', ({ expect }) => {
    const { budget } = client([], { requestBudget: 2 })
    budget.admitAtOnce()
    budget.admitAtOnce()
    expect(() => budget.admitAtOnce()).toThrow(expect.objectContaining({ kind: 'budget-spent' }))
    expect(budget.requests).toBe(2)
    budget.login()
    expect(() => budget.login()).toThrow(expect.objectContaining({ kind: 'budget-spent' }))
  })

  test('requests leave at an even pace', async ({ expect }) => {
    const { url, host, log } = await site()
    const { http } = client([host], { requestsPerSecond: 20 })
    const started = Date.now()
    await Promise.all(
      Array.from({ length: 6 }, () => http.send({ method: 'GET', url: url(), retry: 'safe' })),
    )
    expect((log.at(-1)?.at ?? 0) - started).toBeGreaterThanOrEqual(240)
  })

  test('requests sent together leave at once, over connections of their own, and the pace waits for both', async ({
    expect,
  }) => {
    const { url, host, log } = await site((response) => setTimeout(() => response.end('{}'), 100))
    const { http, budget } = client([host], { requestsPerSecond: 4 })
    const request = { method: 'POST', url: url(), form: [], retry: 'if-unprocessed' } as const
    const started = Date.now()
    const together = await http.sendTogether(request, 2)
    expect(together).toMatchObject([{ value: { status: 200 } }, { value: { status: 200 } }])
    await http.send(request)
    const [first, second, next] = log.map(({ at }) => at) as [number, number, number]
    expect(Math.abs(second - first)).toBeLessThan(200)
    expect(next - started).toBeGreaterThanOrEqual(490)
    expect(new Set(log.map(({ port }) => port)).size).toBe(3)
    expect(budget.requests).toBe(3)
  })

  test('of requests sent together, the response of one is kept when another fails', async ({ expect }) => {
    let requests = 0
    const { url, host } = await site((response) => {
      requests += 1
      if (requests === 1) response.destroy()
      else setTimeout(() => response.end('{}'), 50)
    })
    const { http } = client([host])
    const together = await http.sendTogether({ method: 'POST', url: url(), form: [], retry: 'never' }, 2)
    expect(together.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('admits requests that are sent together only as a whole', async ({ expect }) => {
    const { url, host, log } = await site()
    const { http, budget } = client([host], { requestBudget: 3 })
    const request = { method: 'POST', url: url(), form: [], retry: 'if-unprocessed' } as const
    await http.sendTogether(request, 2)
    expect((await failureOf(http.sendTogether(request, 2))).kind).toBe('budget-spent')
    expect([log.length, budget.requests]).toEqual([2, 2])
    await http.send(request)
    expect(log).toHaveLength(3)
  })
})

describe.concurrent('a host that is not configured', () => {
  test.each([
    ['another port', '127.0.0.1:1'],
    ['none', ''],
  ])('is sent nothing: %s', async (_, allowed) => {
    const { url, log } = await site()
    const { http, budget } = client([allowed])
    const failure = await failureOf(http.send({ method: 'GET', url: url(), retry: 'safe' }))
    expect(failure).toMatchObject({ name: 'HttpFailure', kind: 'host-refused' })
    expect(log).toEqual([])
    expect(budget.requests).toBe(0)
  })

  test('a configured host is not asked in clear unless it is this machine', ({ expect }) => {
    const { budget } = client(['login.example.com', '127.0.0.1:8080'])
    expect(budget.allowsHost(new URL('https://login.example.com/'))).toBe(true)
    expect(budget.allowsHost(new URL('https://LOGIN.example.com:443/'))).toBe(true)
    expect(budget.allowsHost(new URL('http://127.0.0.1:8080/'))).toBe(true)
    expect(budget.allowsHost(new URL('http://login.example.com/'))).toBe(false)
    expect(budget.allowsHost(new URL('https://login.example.com:8443/'))).toBe(false)
    expect(budget.allowsHost(new URL('https://login.example.com./'))).toBe(false)
    expect(budget.allowsHost(new URL('ftp://127.0.0.1:8080/'))).toBe(false)
  })
})

describe.concurrent('a throttled target', () => {
  test('gets no request before Retry-After (in seconds) has elapsed, and then not all at once', async ({
    expect,
  }) => {
    const { url, host, log } = await site(inTurn(answer(429, { 'Retry-After': '1' }), answer(200)))
    const { http, budget } = client([host], { requestsPerSecond: 25 })
    const request = { method: 'GET', url: url(), retry: 'safe' } as const
    const first = http.send(request)
    while (budget.throttled === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await Promise.all([first, http.send(request), http.send(request)])
    const [refused, ...later] = log.map(({ at }) => at)
    expect(later).toHaveLength(3)
    expect(Math.min(...later) - (refused ?? 0)).toBeGreaterThanOrEqual(1000)
    expect(Math.max(...later) - Math.min(...later)).toBeGreaterThanOrEqual(60)
    expect(budget.throttledResponses).toHaveLength(1)
  })

  test('is never asked before an HTTP-date, whatever its clock says', async ({ expect }) => {
    const date = 'Fri, 01 Jan 1999 00:00:00 GMT'
    const later = 'Fri, 01 Jan 1999 00:00:01 GMT'
    const { url, host, log } = await site(
      inTurn(answer(429, { Date: date, 'Retry-After': later }), answer(200)),
    )
    const { http } = client([host])
    await http.send({ method: 'POST', url: url(), form: [], retry: 'if-unprocessed' })
    expect((log[1]?.at ?? 0) - (log[0]?.at ?? 0)).toBeGreaterThanOrEqual(1000)
    expect((log[1]?.at ?? 0) - (log[0]?.at ?? 0)).toBeLessThan(3000)
  })

  test.each(['0', 'Fri, 01 Jan 1999 00:00:00 GMT', 'soon', ''])(
    'is not asked in a tight loop: Retry-After %j',
    async (value) => {
      const { url, host, log } = await site(inTurn(answer(429, { 'Retry-After': value }), answer(200)))
      const { http } = client([host])
      await http.send({ method: 'GET', url: url(), retry: 'safe' })
      expect((log[1]?.at ?? 0) - (log[0]?.at ?? 0)).toBeGreaterThanOrEqual(500)
    },
  )

  test.each(['3600', '99999999999999999999', 'Fri, 01 Jan 2999 00:00:00 GMT'])(
    'that asks for %s is given up without waiting',
    async (value) => {
      const { url, host, log } = await site(answer(429, { 'Retry-After': value }))
      const { http, budget } = client([host])
      const started = Date.now()
      const request = { method: 'GET', url: url(), retry: 'safe' } as const
      expect((await failureOf(http.send(request))).kind).toBe('throttled')
      expect((await failureOf(http.send(request))).kind).toBe('throttled')
      expect(Date.now() - started).toBeLessThan(1000)
      expect(log).toHaveLength(1)
      expect(budget.requests).toBe(1)
    },
  )

  test.each([503, 403])('is recognised by its error with status %i, too', async (status) => {
    const throttled = answer(status, { 'Retry-After': '1' }, '{"error":"temporarily_unavailable"}')
    const { url, host, log } = await site(inTurn(throttled, answer(200)))
    const { http, budget } = client([host])
    const response = await http.send({ method: 'GET', url: url(), retry: 'safe' })
    expect(response.status).toBe(200)
    expect((log[1]?.at ?? 0) - (log[0]?.at ?? 0)).toBeGreaterThanOrEqual(1000)
    expect(budget.throttledResponses.map((one) => one.status)).toEqual([status])
  })

  test('that asks for an absurd wait releases those who are waiting already', async ({ expect }) => {
    const { host, url, log } = await site()
    const { budget, http } = client([host])
    budget.pauseFor(300)
    const waiting = failureOf(http.send({ method: 'GET', url: url(), retry: 'safe' }))
    budget.throttle(3_600_000)
    expect((await waiting).kind).toBe('throttled')
    expect(log).toEqual([])
  })

  test('is sent nothing any more after so many refusals, waiting requests included', async ({ expect }) => {
    const { host, url, log } = await site()
    const { budget, http } = client([host])
    budget.pauseFor(200)
    const waiting = failureOf(http.send({ method: 'GET', url: url(), retry: 'safe' }))
    for (let count = 0; count < throttleLimit; count += 1) budget.throttle(0)
    expect((await waiting).kind).toBe('throttled')
    expect((await failureOf(http.send({ method: 'GET', url: url(), retry: 'safe' }))).kind).toBe('throttled')
    expect(() => budget.admitAtOnce()).toThrow(expect.objectContaining({ kind: 'throttled' }))
    expect(log).toEqual([])
    expect(budget.requests).toBe(0)
  })
})

describe.concurrent('a request is repeated', () => {
  const cases: readonly (readonly [HttpRequest['retry'], string, Answer, boolean])[] = [
    ['if-unprocessed', '429', answer(429, { 'Retry-After': '1' }), true],
    ['if-unprocessed', '503', answer(503, { 'Retry-After': '1' }), true],
    ['if-unprocessed', '500', answer(500), false],
    ['if-unprocessed', '502', answer(502), false],
    ['if-unprocessed', 'a reset', reset, false],
    ['safe', '429', answer(429, { 'Retry-After': '1' }), true],
    ['safe', '503', answer(503), true],
    ['safe', '500', answer(500), true],
    ['safe', 'a reset', reset, true],
  ]
  test.each(cases)('%s after %s: %s', async (retry, _, first, repeated) => {
    const { host, url, log } = await site(inTurn(first, answer(200)))
    const { http, budget } = client([host])
    const outcome = await http.send({ method: 'POST', url: url(), form: [], retry }).catch((error) => error)
    expect(log).toHaveLength(repeated ? 2 : 1)
    expect(budget.requests).toBe(log.length)
    expect(outcome).toMatchObject(repeated ? { status: 200 } : { name: 'HttpFailure' })
  })

  test.each([
    ['500', answer(500), 'unavailable'],
    ['a reset', reset, 'unreachable'],
  ] as const)('once only after %s', async (_, always, kind) => {
    const { host, url, log } = await site(always)
    const { http } = client([host])
    expect((await failureOf(http.send({ method: 'GET', url: url(), retry: 'safe' }))).kind).toBe(kind)
    expect(log).toHaveLength(2)
  })

  test.each([400, 401, 403, 404])('a refusal is not repeated: %i', async (status) => {
    const { host, url, log } = await site(answer(status))
    const { http } = client([host])
    for (const retry of ['if-unprocessed', 'safe'] as const)
      expect(await http.send({ method: 'POST', url: url(), form: [], retry })).toMatchObject({ status })
    expect(log).toHaveLength(2)
  })

  test('four times at most', async ({ expect }) => {
    const { host, url, log } = await site(answer(503, { 'Retry-After': '1' }))
    const { http } = client([host])
    expect((await failureOf(http.send({ method: 'GET', url: url(), retry: 'safe' }))).kind).toBe(
      'unavailable',
    )
    expect(log).toHaveLength(5)
  })

  test.each([400, 401, 403, 404, 302])('never after %s', async (status) => {
    const { host, url, log } = await site(answer(status))
    const { http } = client([host])
    expect((await http.send({ method: 'GET', url: url(), retry: 'safe' })).status).toBe(status)
    expect(log).toHaveLength(1)
  })
})

describe.concurrent('an answer that cannot be read', () => {
  test('is larger than anything lawful', async ({ expect }) => {
    const { host, url } = await site((response) => response.end(Buffer.alloc(9 * 1024 * 1024, 'a')))
    const { http, recorder } = client([host])
    const exchanges: unknown[] = []
    const failure = await recorder.during(
      () => failureOf(http.send({ method: 'GET', url: url(), retry: 'if-unprocessed' })),
      exchanges as never[],
    )
    expect(failure).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('larger than') })
    expect(exchanges).toEqual([expect.objectContaining({ failure: failure.message })])
  })

  test.each<readonly [string, Answer]>([
    [
      'breaks off',
      (response) => {
        response.writeHead(200, { 'Content-Length': 100 }).write('half')
        setTimeout(() => response.socket?.destroy(), 20)
      },
    ],
    ['is not HTTP', (response) => response.socket?.end('SSH-2.0-canary\r\n\r\n')],
    ['is cut by a reset', reset],
  ])('%s', async (_, broken) => {
    const { host, url } = await site(broken)
    const { http } = client([host])
    const failure = await failureOf(
      http.send({ method: 'GET', url: url('/?code=canary'), retry: 'if-unprocessed' }),
    )
    expect(failure).toMatchObject({ name: 'HttpFailure', kind: 'unreachable' })
    expect(failure.message).not.toContain('canary')
  })

  test.each<readonly [string, Answer]>([
    ['never begins', () => undefined],
    ['stops', (response) => void response.writeHead(200).write('half')],
    [
      'comes in drops',
      (response) => {
        response.writeHead(200)
        const drops = setInterval(() => response.write('.'), 100)
        response.on('close', () => clearInterval(drops))
      },
    ],
  ])('%s', async (_, slow) => {
    const { host, url } = await site(slow)
    const { http } = client([host], {}, { timeoutMs: 400 })
    const failure = await failureOf(
      http.send({ method: 'GET', url: url('/?code=canary'), retry: 'if-unprocessed' }),
    )
    expect(failure.kind).toBe('timed-out')
    expect(failure.message).not.toContain('canary')
  })

  test('of a closed port, without secrets in the message', async ({ expect }) => {
    const { http } = client(['127.0.0.1:1'])
    const failure = await failureOf(
      http.send({
        method: 'POST',
        url: new URL('http://127.0.0.1:1/token?code=canary-query'),
        headers: [['Authorization', 'Bearer canary-header']],
        form: [['code', 'canary-form']],
        retry: 'if-unprocessed',
      }),
    )
    expect(failure).toMatchObject({ kind: 'unreachable', message: expect.stringContaining('ECONNREFUSED') })
    expect(failure.message).not.toContain('canary')
  })
})

describe.concurrent('an answer', () => {
  test('is given with its headers, media type and JSON, and measures the clock', async ({ expect }) => {
    const ahead = new Date(Date.now() + 3_600_000).toUTCString()
    const { host, url } = await site((response) =>
      response
        .writeHead(200, {
          'Content-Type': 'Application/JSON; charset=utf-8',
          Date: ahead,
          'X-Two': ['a', 'b'],
        })
        .end('{"a":1}'),
    )
    const { http } = client([host])
    expect(http.clockOffsetMs).toBeUndefined()
    const response = await http.send({ method: 'GET', url: url(), retry: 'safe' })
    expect(response).toMatchObject({ status: 200, mediaType: 'application/json', object: { a: 1 } })
    expect(response.header('X-TWO')).toBe('a, b')
    expect(response.header('absent')).toBeUndefined()
    expect(Math.abs((http.clockOffsetMs ?? 0) - 3_600_000)).toBeLessThan(1500)
  })

  test.each([
    ['', undefined, undefined],
    ['null', null, undefined],
    ['[1]', [1], undefined],
    ['"text"', 'text', undefined],
    ['{', undefined, undefined],
    ['{}', {}, {}],
  ])('with the body %j', async (body, json, object) => {
    const { host, url } = await site((response) => response.end(body))
    const { http } = client([host])
    const response = await http.send({ method: 'GET', url: url(), retry: 'safe' })
    expect({ json: response.json, object: response.object }).toEqual({ json, object })
    expect(response.mediaType).toBe('')
  })
})

describe.concurrent('a proxy', () => {
  async function proxied(bypass: string) {
    const target = await site()
    const tunnels: string[] = []
    const proxy = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', (data) => {
        tunnels.push(data.toString('latin1').split('\r\n', 1)[0] ?? '')
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n"proxy"')
      })
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void proxy.close())
    const address = proxy.address() as { port: number }
    const { budget } = client([target.host])
    const http = new Http(budget, new Recorder(), { url: `http://127.0.0.1:${address.port}`, bypass })
    onTestFinished(() => http.close())
    const response = await http.send({ method: 'GET', url: target.url('/x'), retry: 'if-unprocessed' })
    return { target, tunnels, text: response.text }
  }

  test('is used for http addresses too', async ({ expect }) => {
    const { target, tunnels, text } = await proxied('')
    expect(text).toBe('"proxy"')
    expect(tunnels).toEqual([`GET http://${target.host}/x HTTP/1.1`])
    expect(target.log).toEqual([])
  })

  test.each(['127.0.0.1', 'example.com, 127.0.0.1', '*'])('is passed by for NO_PROXY=%s', async (bypass) => {
    const { target, tunnels } = await proxied(bypass)
    expect(tunnels).toEqual([])
    expect(target.log).toHaveLength(1)
  })

  test('that is unreachable is reported without its password', async ({ expect }) => {
    const { budget } = client(['127.0.0.1:2'])
    const http = new Http(budget, new Recorder(), { url: 'http://user:canary@127.0.0.1:1', bypass: '' })
    onTestFinished(() => http.close())
    const failure = await failureOf(
      http.send({ method: 'GET', url: new URL('http://127.0.0.1:2/'), retry: 'if-unprocessed' }),
    )
    expect(failure.kind).toBe('unreachable')
    expect(failure.message).not.toContain('canary')
  })
})

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
] as const)('a body in the unrequested coding %s is read, even of an error', async (coding, encode) => {
  const { host, url } = await site((response, { url: path }) => {
    response.writeHead(path === '/bad' ? 400 : 200, { 'content-encoding': coding })
    response.end(encode('{"said":"plainly"}'))
  })
  const { http } = client([host])
  for (const path of ['/good', '/bad']) {
    const answer = await http.send({ method: 'GET', url: url(path), retry: 'safe' })
    expect(answer.object).toEqual({ said: 'plainly' })
  }
})

test('a small body that is too large when decoded is not read, and an empty one is empty', async () => {
  const { host, url } = await site((response, { url: path }) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    response.end(path === '/empty' ? '' : gzipSync(Buffer.alloc(9 * 1024 * 1024)))
  })
  const { http } = client([host])
  const failure = await failureOf(http.send({ method: 'GET', url: url(), retry: 'if-unprocessed' }))
  expect(failure).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('larger than') })
  expect((await http.send({ method: 'GET', url: url('/empty'), retry: 'if-unprocessed' })).text).toBe('')
})

describe('a request whose sender waits by itself', () => {
  test.each([429, 500, 503])(
    'is sent once if the response is %i, and reports how long to wait',
    async (status) => {
      const server = await site(answer(status, { 'Retry-After': '7' }))
      const { http } = client([server.host])
      const failure = await http
        .send({ method: 'GET', url: server.url(), retry: 'never' })
        .catch((error) => error)
      expect(failure).toMatchObject({
        kind: status === 429 ? 'throttled' : 'unavailable',
        retryAfterMs: 7000,
      })
      expect(server.log).toHaveLength(1)
    },
  )

  test('is sent once where the connection breaks', async () => {
    const server = await site((response) => response.destroy())
    const { http } = client([server.host])
    const failure = await http
      .send({ method: 'GET', url: server.url(), retry: 'never' })
      .catch((error) => error)
    expect(failure).toMatchObject({ kind: 'unreachable', retryAfterMs: undefined })
    expect(server.log).toHaveLength(1)
  })
})

describe('a budget of what runs on', () => {
  const options = {
    hosts: [],
    requestsPerSecond: 1000,
    requestBudget: Number.POSITIVE_INFINITY,
    loginBudget: 0,
  }

  test('goes on after any number of throttled answers, and finds back to its pace', () => {
    const budget = new Budget({ ...options, throttleLimit: Number.POSITIVE_INFINITY })
    for (let answered = 0; answered < 50; answered += 1) budget.throttle(0)
    expect(() => budget.admitAtOnce()).not.toThrow()
    expect(budget.used.pace).toBe(0.25)
    budget.recover()
    expect(budget.used).not.toHaveProperty('pace')
  })
})

test('a JSON object, kept by its shape alone', async () => {
  const { url, host, log } = await site()
  const { http } = client([host])
  const json = { secret: 'very secret', event_filters: [], more: 1 }
  const { exchange } = await http.send({ method: 'PATCH', url: url(), json, retry: 'if-unprocessed' })
  expect(log[0]).toMatchObject({ method: 'PATCH', body: JSON.stringify(json) })
  expect(log[0]?.rawHeaders.join(' ')).toMatch(/content-type application\/json/i)
  expect(exchange.request.body?.join()).toContain('"secret":"string(11)"')
  expect(JSON.stringify(exchange)).not.toContain('very secret')
})
