import { describe, expect, test } from 'vitest'
import { errorName, shownAddress, shownHeaders, shownValue } from '../../src/evidence/allow-list.ts'
import type { Exchange } from '../../src/evidence/exchange.ts'
import { masked } from '../../src/evidence/shape.ts'
import { client, site } from '../http/site.ts'

/** Secrets and personal data in realistic forms. */
const canaries = {
  'a random string': 'q3ZkPvTbWmXcRaLdJ-uY0eHs2nFgK7oIi9BxE_tVw1A',
  'a JWT': 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiI0MjQyIn0.c2lnbmF0dXJlLWNhbmFyeQ',
  'an identifier of 21 characters': 'V1StGXR8_Z5jdHi6B-myT',
  'a UUID': '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  'a hexadecimal string': '9e107d9d372bb6826bd81d3542a419d6',
  'an e-mail address': 'matti.canary@kotiposti.fi',
} as const

/** No part of it either, as truncation would leave it. */
function expectHidden(text: string, canary: string): void {
  expect(text).not.toContain(canary)
  expect(text).not.toContain(encodeURIComponent(canary))
  expect(text).not.toContain(canary.slice(0, 8))
  expect(text).not.toContain(canary.slice(-8))
}

describe.each(Object.entries(canaries))('%s is nowhere in an exchange or its curl command', (_, canary) => {
  const encoded = encodeURIComponent(canary)
  const json = JSON.stringify({
    access_token: canary,
    [canary]: canary,
    nested: [{ [canary]: [canary] }],
    error: canary,
    error_description: `it was ${canary}`,
  })
  const places: Readonly<Record<string, Record<string, string | string[]>>> = {
    'Set-Cookie': { 'Set-Cookie': [`session=${canary}; HttpOnly`, `other=${canary}`] },
    Location: { Location: `https://partner.example.com/cb?code=${encoded}&state=${encoded}&iss=x` },
    'a relative Location': { Location: `/login?session=${encoded}` },
    'the path of Location': { Location: `https://login.example.com/interaction/${encoded}/login` },
    'the fragment of Location': { Location: `https://partner.example.com/cb#access_token=${encoded}` },
    'a bare fragment of Location': { Location: `https://partner.example.com/cb#${encoded}` },
    'a bare query of Location': { Location: `https://partner.example.com/cb?${encoded}` },
    'the user of Location': { Location: `https://${encoded}:${encoded}@partner.example.com/` },
    'Location of a custom scheme': { Location: `com.example.app:/cb?code=${encoded}` },
    'Location without hierarchy': { Location: `urn:token:${encoded}` },
    'the error of Location': { Location: `https://partner.example.com/cb?error=${encoded}` },
    'WWW-Authenticate': {
      'WWW-Authenticate': `Bearer realm="${canary}", error="invalid_token", error_description="${canary}"`,
    },
    'the error of WWW-Authenticate': { 'WWW-Authenticate': `Bearer error="${canary}"` },
    'WWW-Authenticate instead of a scheme': { 'WWW-Authenticate': canary },
    'a header of its own': { 'X-Request-Token': canary },
    'Content-Type': { 'Content-Type': `text/html; boundary=${canary}` },
  }

  async function exchange(answer: Record<string, string | string[]>, body: string, path = '/') {
    const server = await site((response) => response.writeHead(400, answer).end(body))
    const { http, recorder } = client([server.host])
    const exchanges: Exchange[] = []
    await recorder.collectInto(exchanges, () =>
      http.send({
        method: 'POST',
        url: server.url(path),
        headers: [
          ['Authorization', `Bearer ${canary}`],
          ['X-Client-Id', canary],
          ['X-Client-Secret', canary],
          ['Cookie', `session=${canary}`],
          ['X-Other', canary],
        ],
        form: [
          ['code', canary],
          ['client_secret', canary],
          [canary, canary],
        ],
        retry: 'after-429-or-503',
      }),
    )
    expect(exchanges).toHaveLength(1)
    return JSON.stringify(exchanges)
  }

  test('from the request and the body', async () => {
    const text = await exchange(
      { 'Content-Type': 'application/json' },
      json,
      `/a/${encoded}?code=${encoded}&${encoded}`,
    )
    expectHidden(text, canary)
    expect(text).toContain('access_token')
    expect(text).toContain(`string(${canary.length})`)
  })

  test.each(Object.entries(places))('from %s', (_, all) => {
    expectHidden(JSON.stringify(shownHeaders(all)), canary)
  })

  test('from a body that is a string, and from a page', async () => {
    expectHidden(await exchange({}, JSON.stringify(canary)), canary)
    expectHidden(await exchange({}, `<p>${canary}</p>`), canary)
  })

  test('from the Authorization header, whatever its scheme', () => {
    for (const value of [canary, `Bearer ${canary}`, `Token ${canary}`, `${canary} x`]) {
      expectHidden(JSON.stringify(shownHeaders({ authorization: value })), canary)
    }
  })

  test('from a request without a response', async () => {
    const { http, recorder } = client(['127.0.0.1:1'])
    const exchanges: Exchange[] = []
    const url = new URL(`http://127.0.0.1:1/${encoded}?code=${encoded}`)
    const failure = await recorder.collectInto(exchanges, () =>
      http.send({ method: 'GET', url, retry: 'after-429-or-503' }).catch((error) => error),
    )
    expect(exchanges[0]?.failure).toBe(failure.message)
    expectHidden(JSON.stringify(exchanges) + failure.message + failure.stack, canary)
  })
})

describe('harmless values are shown', () => {
  test.each([
    [
      'https://login.example.com/mga/sps/oauth/oauth20/authorize?response_type=code&prompt=none&scope=openid+email',
      'https://login.example.com/mga/sps/oauth/oauth20/authorize?response_type=code&prompt=none&scope=openid email',
    ],
    ['https://login.example.com/.well-known/openid-configuration', undefined],
    ['http://127.0.0.1:4000/Partner-API-V2/events/search?from=2026-03-02T00:00:00.000&page=0', undefined],
    ['com.example.app:/cb', undefined],
    ['myapp://callback/cb', undefined],
    ['https://partner.example.com/cb#state=x&code=y', 'https://partner.example.com/cb#state=…&code=…'],
    ['https://partner.example.com/cb?error=access_denied', undefined],
  ])('of %s', (url, shown) => {
    expect(shownAddress(url)).toBe(shown ?? url)
  })

  test('harmless headers, names of all', () => {
    expect(
      shownHeaders({
        'Content-Type': 'application/json; charset=utf-8',
        Accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
        'Content-Length': '123456',
        'RateLimit-Reset': '1772884800',
        'Cache-Control': 'no-store, max-age=0',
        'Retry-After': '7',
        Date: 'Sat, 07 Mar 2026 12:00:00 GMT',
        'WWW-Authenticate': 'Bearer realm="x", error="invalid_token"',
        Authorization: 'Basic YTpi',
        'X-Powered-By': 'a',
        absent: undefined,
      }),
    ).toEqual({
      'content-type': 'application/json; charset=utf-8',
      accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
      'content-length': '123456',
      'ratelimit-reset': '1772884800',
      'cache-control': 'no-store, max-age=0',
      'retry-after': '7',
      date: 'Sat, 07 Mar 2026 12:00:00 GMT',
      'www-authenticate': 'Bearer error="invalid_token" …',
      authorization: expect.stringMatching(/^Basic <4 characters, #[\w-]{8}>$/),
      'x-powered-by': expect.stringMatching(/^<1 characters, #[\w-]{8}>$/),
    })
  })

  test('error names in words, and plain parameters as long as they are tame', () => {
    expect(errorName('invalid_grant')).toBe('invalid_grant')
    expect(['unauthorized', 'Not Found', 'BAD_REQUEST'].map(errorName)).toEqual([
      'unauthorized',
      'Not Found',
      'BAD_REQUEST',
    ])
    expect(errorName('something_else')).toBe('something_else')
    for (const value of ['', 'x'.repeat(41), 'a@b.example', 'user 4f2a91c07', 'was "x"'])
      expect(errorName(value)).toBe(masked(value))
    expect(errorName(5)).toBeUndefined()
    expect(shownValue('grant_type', 'refresh_token')).toBe('refresh_token')
    expect(shownValue('grant_type', '<script>')).toMatch(/^<8 characters/)
    expect(shownValue('code', 'a')).toMatch(/^<1 characters/)
    expect(shownValue('error', 'login_required')).toBe('login_required')
  })
})
