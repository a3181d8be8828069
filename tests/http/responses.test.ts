import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { siteWithClient } from './site.ts'

describe.concurrent('a response', () => {
  test('has headers, a media type and JSON, and shows the clock of the target', async ({ expect }) => {
    const ahead = new Date(Date.now() + 3_600_000).toUTCString()
    const { http, get } = await siteWithClient((response) =>
      response
        .writeHead(200, {
          'Content-Type': 'Application/JSON; charset=utf-8',
          Date: ahead,
          'X-Two': ['a', 'b'],
        })
        .end('{"a":1}'),
    )
    expect(http.clockOffsetMs).toBeUndefined()
    const response = await get()
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
    const { get } = await siteWithClient((response) => response.end(body))
    const response = await get()
    expect(response.json).toEqual(json)
    expect(response.text).toContain('{"city":"Jyv')
  })

  test('of a cache does not show the clock of the target', async ({ expect }) => {
    const past = new Date(Date.now() - 7_200_000).toUTCString()
    const { http, get } = await siteWithClient((response, { url: path }) =>
      response.writeHead(200, { Date: past, Age: path.slice(1) }).end('{}'),
    )
    await get('/7200')
    expect(http.clockOffsetMs).toBeUndefined()
    await get('/0')
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
    const { get } = await siteWithClient((response) => response.end(body))
    const response = await get()
    expect({ json: response.json, object: response.object }).toEqual({ json, object })
    expect(response.mediaType).toBe('')
  })

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('is decoded from the unrequested coding %s, even that of an error', async (coding, encode) => {
    const { get } = await siteWithClient((response, { url: path }) => {
      response.writeHead(path === '/bad' ? 400 : 200, { 'content-encoding': coding })
      response.end(encode('{"said":"plainly"}'))
    })
    for (const path of ['/good', '/bad']) {
      const response = await get(path)
      expect(response.object).toEqual({ said: 'plainly' })
    }
  })

  test('may have an empty body in an unrequested coding', async ({ expect }) => {
    const { get } = await siteWithClient((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(''),
    )
    expect((await get('/', 'after-429-or-503')).text).toBe('')
  })
})
