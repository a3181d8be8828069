import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { client, site } from './site.ts'

describe.concurrent('a response', () => {
  test('has headers, a media type and JSON, and shows the clock of the target', async ({ expect }) => {
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
    ['latin1', undefined],
    ['utf8', { city: 'Jyväskylä' }],
  ] as const)('in %s has the JSON %j', async (encoding, json) => {
    const body = Buffer.from('{"city":"Jyväskylä"}', encoding)
    const { host, url } = await site((response) => response.end(body))
    const { http } = client([host])
    const response = await http.send({ method: 'GET', url: url(), retry: 'safe' })
    expect(response.json).toEqual(json)
    expect(response.text).toContain('{"city":"Jyv')
  })

  test('of a cache does not show the clock of the target', async ({ expect }) => {
    const past = new Date(Date.now() - 7_200_000).toUTCString()
    const { host, url } = await site((response, { url: path }) =>
      response.writeHead(200, { Date: past, Age: path.slice(1) }).end('{}'),
    )
    const { http } = client([host])
    await http.send({ method: 'GET', url: url('/7200'), retry: 'safe' })
    expect(http.clockOffsetMs).toBeUndefined()
    await http.send({ method: 'GET', url: url('/0'), retry: 'safe' })
    expect(Math.abs((http.clockOffsetMs ?? 0) + 7_200_000)).toBeLessThan(1500)
  })

  test.each([
    ['', undefined, undefined],
    ['null', null, undefined],
    ['[1]', [1], undefined],
    ['"text"', 'text', undefined],
    ['{', undefined, undefined],
    ['{}', {}, {}],
  ])('has the JSON of the body %j', async (body, json, object) => {
    const { host, url } = await site((response) => response.end(body))
    const { http } = client([host])
    const response = await http.send({ method: 'GET', url: url(), retry: 'safe' })
    expect({ json: response.json, object: response.object }).toEqual({ json, object })
    expect(response.mediaType).toBe('')
  })

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('is decoded from the unrequested coding %s, even that of an error', async (coding, encode) => {
    const { host, url } = await site((response, { url: path }) => {
      response.writeHead(path === '/bad' ? 400 : 200, { 'content-encoding': coding })
      response.end(encode('{"said":"plainly"}'))
    })
    const { http } = client([host])
    for (const path of ['/good', '/bad']) {
      const response = await http.send({ method: 'GET', url: url(path), retry: 'safe' })
      expect(response.object).toEqual({ said: 'plainly' })
    }
  })

  test('may have an empty body in an unrequested coding', async ({ expect }) => {
    const { host, url } = await site((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(''),
    )
    const { http } = client([host])
    expect((await http.send({ method: 'GET', url: url(), retry: 'after-429-or-503' })).text).toBe('')
  })
})
