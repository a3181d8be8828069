import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { answer, siteWithClient } from './site.ts'

describe.concurrent('requests on the wire', () => {
  test('have no headers except those of HTTP and those of the request', async ({ expect }) => {
    const { url, log, http } = await siteWithClient()
    await http.send({ method: 'GET', url: url('/a?b=c'), headers: [['X-One', '1']], retry: 'safe' })
    expect(log).toHaveLength(1)
    expect(log[0]).toMatchObject({ method: 'GET', url: '/a?b=c', body: '' })
    expect(
      log[0]?.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()),
    ).toEqual(expect.arrayContaining(['host', 'x-one']))
    const names = log[0]?.rawHeaders.filter((_, index) => index % 2 === 0) ?? []
    expect(names.filter((name) => !/^(host|connection|x-one)$/i.test(name))).toEqual([])
  })

  test('do not reuse a connection that has been idle for about as long as servers keep one open', async ({
    expect,
  }) => {
    const { url, log, http } = await siteWithClient()
    const post = { method: 'POST', url: url(), form: [['a', 'b']], retry: 'after-429-or-503' } as const
    await http.send(post)
    await sleep(2000)
    await http.send(post)
    const [first, second] = log.map(({ port }) => port)
    expect(second).not.toBe(first)
  })

  test('a form keeps its order, duplicates and odd characters', async ({ expect }) => {
    const { url, log, http } = await siteWithClient()
    const form = [
      ['code', 'first'],
      ['code', 'second'],
      ['a b', 'c&d=e+f%'],
      ['ä', '€\n'],
      ['', ''],
    ] as const
    await http.send({ method: 'POST', url: url(), form, retry: 'after-429-or-503' })
    const body = 'code=first&code=second&a+b=c%26d%3De%2Bf%25&%C3%A4=%E2%82%AC%0A&='
    expect(log[0]?.body).toBe(body)
    const headers = log[0]?.rawHeaders.map((text) => text.toLowerCase()) ?? []
    expect(headers).toContain('application/x-www-form-urlencoded')
    expect(headers[headers.indexOf('content-length') + 1]).toBe(String(body.length))
    expect(headers).not.toContain('transfer-encoding')
  })

  test('a raw body is sent byte for byte, and an empty form as an empty body', async ({ expect }) => {
    const { url, log, http } = await siteWithClient()
    const headers = [['Content-Type', 'application/x-www-form-urlencoded']] as const
    await http.send({ method: 'POST', url: url(), headers, raw: 'a=%zz&&=&b', retry: 'after-429-or-503' })
    await http.send({ method: 'POST', url: url(), form: [], retry: 'after-429-or-503' })
    expect(log.map(({ body }) => body)).toEqual(['a=%zz&&=&b', ''])
    expect(log[0]?.rawHeaders.filter((name) => /content-type/i.test(name))).toHaveLength(1)
  })

  test('a query is sent as it is written', async ({ expect }) => {
    const { log, get } = await siteWithClient()
    await get('/?from=1%2B02&from=2+x&empty')
    expect(log[0]?.url).toBe('/?from=1%2B02&from=2+x&empty')
  })

  test('redirects are responses, and cookies are not kept', async ({ expect }) => {
    const { log, get } = await siteWithClient(answer(302, { Location: '/other', 'Set-Cookie': 'a=b' }))
    expect((await get()).status).toBe(302)
    await get()
    expect(log.map(({ url }) => url)).toEqual(['/', '/'])
    expect(JSON.stringify(log)).not.toMatch(/cookie/i)
  })

  test('separate connections are separate from each other and from the shared one', async ({ expect }) => {
    const { url, log, http } = await siteWithClient((response) => setTimeout(() => response.end('{}'), 20))
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

  test('a JSON body is sent as it is, and recorded by its shape alone', async ({ expect }) => {
    const { url, log, http } = await siteWithClient()
    const json = { secret: 'very secret', event_filters: [], more: 1 }
    const { exchange } = await http.send({ method: 'PATCH', url: url(), json, retry: 'after-429-or-503' })
    expect(log[0]).toMatchObject({ method: 'PATCH', body: JSON.stringify(json) })
    expect(log[0]?.rawHeaders.join(' ')).toMatch(/content-type application\/json/i)
    expect(exchange.request.body?.join()).toContain('"secret":"string(11)"')
    expect(JSON.stringify(exchange)).not.toContain('very secret')
  })
})
