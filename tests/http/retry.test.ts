import { describe, expect, test } from 'vitest'
import type { HttpRequest } from '../../src/http/request.ts'
import { HttpResponse } from '../../src/http/response.ts'
import { isTransientStatus, mayRetry, mayRetryWithoutResponse } from '../../src/http/retry.ts'

const throttled = '{"error":"temporarily_unavailable"}'

describe('a response throttles', () => {
  test.each([
    [429, '', true],
    [400, throttled, true],
    [403, throttled, true],
    [499, throttled, true],
    [503, throttled, true],
    [503, '', false],
    [503, '{"error":"server_error"}', false],
    [399, throttled, false],
    [300, throttled, false],
    [299, throttled, true],
    [200, throttled, true],
    [200, '{"error":"server_error"}', false],
    [199, throttled, false],
    [500, throttled, false],
    [502, throttled, false],
    [403, '["temporarily_unavailable"]', false],
    [503, '{"message":"Rate limit exceeded"}', true],
    [400, '{"message":"Rate limit exceeded"}', true],
    [400, '{"error":"invalid_request","message":"Rate limit exceeded"}', false],
    [403, '{"type":"FEATURE_DISABLED","message":"Not part of your quota"}', false],
    [400, '{"message":"Search quota exceeded: at most 24 hours"}', false],
    [500, '{"message":"Rate limit exceeded"}', false],
    [200, '{"message":"Rate limit exceeded"}', false],
    [503, '{"message":"Maintenance"}', false],
  ])('with status %d and the body %j: %s', (status, body, expected) => {
    expect(new HttpResponse(status, {}, body).throttles).toBe(expected)
  })

  test.each([
    [403, true],
    [400, false],
    [401, false],
    [200, false],
  ])('with status %d and Retry-After: %s', (status, expected) => {
    expect(new HttpResponse(status, { 'retry-after': '30' }, '').throttles).toBe(expected)
    expect(new HttpResponse(status, {}, '').throttles).toBe(false)
  })
})

describe('a text states a limit', () => {
  /** Whether a text throttles a request: with 503, and with a refusal. */
  test.each([
    ['Too many requests. Try again later.', true, true],
    ['The rate limit of the client is exceeded.', true, true],
    ['Rate-limited', true, true],
    ['RateLimit reached', true, true],
    ['rate limits', true, false],
    ['Mind the rate limits. The window is exceeded.', true, false],
    ['Request was throttled.', true, true],
    ['Repeated failures are throttled.', true, false],
    ['throttl', true, false],
    ['Monthly quota reached.', true, false],
    ['The window quota is 24 hours.', true, false],
    ['quotas', true, false],
    ['See https://developer.service.invalid/search#rate-limit-exceeded', false, false],
    ['A separate limit', false, false],
    ['iterate limit', false, false],
    ['quotation', false, false],
    ['The service has too many users.', false, false],
  ])('%j: with 503 %s, with 400 %s', (text, unavailable, refused) => {
    const throttles = (status: number, body: unknown) =>
      new HttpResponse(status, {}, JSON.stringify(body)).throttles
    expect(throttles(503, { message: text })).toBe(unavailable)
    expect(throttles(503, { code: 5, message: text })).toBe(unavailable)
    expect(throttles(503, { message: [text] })).toBe(false)
    expect(throttles(503, text)).toBe(false)
    expect(throttles(400, { message: text })).toBe(refused)
  })
})

/** How often a request is sent that always has the same response. */
function attempts(retry: HttpRequest['retry'], status: number, body: string): number {
  const response = new HttpResponse(status, {}, body)
  let attempt = 0
  while (mayRetry({ retry }, response, attempt)) attempt += 1
  return attempt + 1
}

describe('a request is sent again', () => {
  test.each<[HttpRequest['retry'], number, string, number]>([
    ['never', 429, '', 1],
    ['never', 503, '', 1],
    ['never', 500, '', 1],
    ['never', 408, '', 1],
    ['after-429-or-503', 429, '', 5],
    ['after-429-or-503', 503, '', 5],
    ['after-429-or-503', 403, throttled, 1],
    ['after-429-or-503', 200, throttled, 1],
    ['after-429-or-503', 500, '', 1],
    ['after-429-or-503', 408, '', 1],
    ['safe', 429, '', 5],
    ['safe', 503, '', 5],
    ['safe', 403, throttled, 5],
    ['safe', 200, throttled, 5],
    ['safe', 500, '', 2],
    ['safe', 408, '', 2],
  ])('%s after %d %s: it is sent %d times', (retry, status, body, times) => {
    expect(attempts(retry, status, body)).toBe(times)
  })

  test.each<[HttpRequest['retry'], readonly boolean[]]>([
    ['never', [false, false]],
    ['after-429-or-503', [false, false]],
    ['safe', [true, false]],
  ])('%s without a response: %j', (retry, expected) => {
    expect([0, 1].map((attempt) => mayRetryWithoutResponse({ retry }, attempt))).toEqual(expected)
  })
})

test.each([408, 421, 425, 500, 501, 502, 503, 504])('status %d is a transient failure', (status) => {
  expect(isTransientStatus(status)).toBe(true)
})

test('status 501 can be judged at an endpoint that may be missing, unlike other failures', () => {
  const isTransient = (status: number) => isTransientStatus(status, { mayBeMissing: true })
  expect([501, 500, 503, 408].map(isTransient)).toEqual([false, true, true, true])
})

test.each([200, 302, 400, 401, 404, 409, 422, 426, 499])('status %d can be judged', (status) => {
  expect(isTransientStatus(status)).toBe(false)
})

describe('a response', () => {
  const response = new HttpResponse(
    200,
    { 'x-two': ['a', 'bc'], 'content-type': ' Text/HTML ; charset=a;b' },
    '',
  )

  test('has headers without case, several of one name joined', () => {
    expect(['X-TWO', 'x-two', 'x-three'].map((name) => response.header(name))).toEqual([
      'a, bc',
      'a, bc',
      undefined,
    ])
  })

  test('has a media type in lower case without parameters', () => {
    expect([response.mediaType, new HttpResponse(200, {}, '').mediaType]).toEqual(['text/html', ''])
  })

  test.each([
    ['null', null, undefined],
    ['[1]', [1], undefined],
    ['{"a":1}', { a: 1 }, { a: 1 }],
    ['{', undefined, undefined],
    ['', undefined, undefined],
  ])('with the body %j', (body, json, object) => {
    const { json: first, object: second, json: again } = new HttpResponse(200, {}, body)
    expect([first, second]).toEqual([json, object])
    expect(again).toBe(first)
  })

  test('that is not UTF-8 has no JSON', () => {
    expect(new HttpResponse(200, {}, '{"a":1}', false).json).toBeUndefined()
  })

  test('has a body that was read and that discloses no token, unless the caller states otherwise', () => {
    expect(response).toMatchObject({ hasUnknownBody: false, disclosedTokens: [] })
  })

  test('holds a text in its body or in any header', () => {
    const found = new HttpResponse(200, { a: 'one two', b: ['three', 'four'], c: undefined }, 'five six')
    expect(['two', 'our', 'ive'].map((text) => found.contains(text))).toEqual([true, true, true])
    expect(found.contains('seven')).toBe(false)
  })
})
