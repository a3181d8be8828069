import { describe, expect, test } from 'vitest'
import {
  describe as describeAnswer,
  differentValue,
  Expect,
  isTokenRefusal,
  kindOf,
  quotedOrMasked,
} from '../../src/check/expect.ts'
import { type Finding, Violation } from '../../src/check/verdict.ts'
import type { Exchange } from '../../src/evidence/exchange.ts'
import { HttpResponse } from '../../src/http/response.ts'
import { bearerChallenge, expectBearerChallenge } from '../../suites/userinfo/bearer.ts'

function graded() {
  const notes: string[] = []
  return { notes, expect: new Expect((text) => notes.push(text)) }
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): HttpResponse {
  return new HttpResponse(status, { 'content-type': 'application/json', ...headers }, JSON.stringify(body))
}

/** The text of a finding; undefined if there is none. */
function finding(assert: () => void): string | undefined {
  try {
    assert()
    return undefined
  } catch (error) {
    if (error instanceof Violation) return error.message
    throw error
  }
}

/** The finding of an assertion about a response that a run received as its exchange 7. */
function findingAbout(response: HttpResponse, assert: (it: Expect, response: HttpResponse) => void): Finding {
  response.exchange = { number: 7 } as Exchange
  try {
    assert(graded().expect, response)
  } catch (error) {
    if (error instanceof Violation) return error.finding
  }
  throw new Error('there is no finding')
}

test.each<[string, HttpResponse, (it: Expect, response: HttpResponse) => void, string]>([
  ['status', json(200, {}), (it, response) => it.status(response, 400), '200'],
  ['anyRefusal', json(200, {}), (it, response) => it.anyRefusal(response), 'status 200'],
  [
    'refused',
    json(200, { access_token: 'a' }),
    (it, response) => it.refused(response),
    '200 with access_token',
  ],
  [
    'issuesNothing',
    json(400, { id_token: 'a' }),
    (it, response) => it.issuesNothing(response),
    '400 with id_token',
  ],
  [
    'permittedError',
    json(400, { error: 'invalid_grant' }),
    (it, response) => it.permittedError(response, [400, 'invalid_request']),
    '400 invalid_grant',
  ],
  ['object', json(200, []), (it, response) => it.object(response), '200 with JSON that is not an object'],
  ['that', json(403, {}), (it, response) => it.that(false, 'a page', response), '403 with a JSON body'],
])('the finding of %s refers to the exchange of the response', (_, response, assert, actual) => {
  const found = findingAbout(response, assert)
  expect(found).toMatchObject({ request: null, exchange: 7 })
  expect(found.actual).toContain(actual)
})

test.each<[string, HttpResponse, (it: Expect, response: HttpResponse) => void]>([
  ['status', json(400, {}), (it, response) => it.status(response, 400)],
  ['anyRefusal', json(300, {}), (it, response) => it.anyRefusal(response)],
  ['refused', json(400, {}), (it, response) => it.refused(response)],
  ['issuesNothing', json(200, {}), (it, response) => it.issuesNothing(response)],
  [
    'permittedError',
    json(400, { error: 'invalid_grant' }),
    (it, response) => it.permittedError(response, [400, 'invalid_grant']),
  ],
  ['object', json(200, {}), (it, response) => it.object(response)],
  ['that', json(200, {}), (it, response) => it.that(true, 'a page', response)],
])('%s counts once if it holds', (_, response, assert) => {
  const { expect: it } = graded()
  assert(it, response)
  expect(it.count).toBe(1)
})

test('a finding that is not about one response refers to no exchange', () => {
  const found = findingAbout(json(200, {}), (it) => it.that(false, 'a page', 'no page'))
  expect(found).toEqual({ request: null, expected: 'a page', actual: 'no page' })
})

describe('an assertion', () => {
  test('counts, whether it holds or not, and a note does not', () => {
    const { expect: it, notes } = graded()
    it.that(true, 'a', 'b')
    expect(it.count).toBe(1)
    it.text('a', 'id')
    expect(it.count).toBe(2)
    expect(() => it.violated({ expected: 'a', actual: 'b' })).toThrow(Violation)
    expect([it.count, notes]).toEqual([3, []])
  })

  test('states the expected and the actual value, with the request if the check states it', () => {
    const { expect: it } = graded()
    const violated = () => it.that(false, 'a', 'b')
    expect(violated).toThrow(
      expect.objectContaining({ finding: { request: null, expected: 'a', actual: 'b' } }),
    )
    it.describeRequest('a request without `state`')
    expect(violated).toThrow(
      expect.objectContaining({
        finding: { request: 'a request without `state`', expected: 'a', actual: 'b' },
      }),
    )
  })

  test('of a status allows each of those expected', () => {
    const { expect: it } = graded()
    const status = (actual: number) => finding(() => it.status(json(actual, {}), 200, 302))
    expect([status(200), status(302)]).toEqual([undefined, undefined])
    expect(status(400)).toBe(
      'expected: status 200 or 302; actual: 400 with a JSON body that has no "error" member',
    )
  })

  test('of any refusal allows every status that is not 2xx', () => {
    const { expect: it } = graded()
    const refusal = (status: number) => finding(() => it.anyRefusal(json(status, { error: 'a' })))
    expect([300, 302, 400, 503].map(refusal)).toEqual([undefined, undefined, undefined, undefined])
    expect(refusal(299)).toBe('expected: a refusal with any status; actual: status 299')
  })
})

describe('a refusal', () => {
  test.each([
    [299, {}, false],
    [300, {}, true],
    [400, { error: 'a' }, true],
    [400, { access_token: null, id_token: '' }, true],
    [400, { access_token: null, refresh_token: 'a' }, false],
    [200, { access_token: null }, false],
    [200, { id_token: 'a' }, false],
    [400, [], true],
  ])('%d %j: %s', (status, body, refused) => {
    expect(isTokenRefusal(json(status, body))).toBe(refused)
  })

  test('names tokens that it discloses elsewhere', () => {
    const response = Object.assign(json(400, {}), { disclosedTokens: ['a token of an earlier response'] })
    expect(isTokenRefusal(response)).toBe(false)
    expect(finding(() => graded().expect.refused(response))).toBe(
      'expected: a refusal without tokens; actual: 400 with a token of an earlier response',
    )
  })

  test('is not a 2xx and issues nothing', () => {
    const { expect: it } = graded()
    expect(finding(() => it.refused(json(400, { error: 'invalid_grant' })))).toBeUndefined()
    expect(finding(() => it.refused(json(200, {})))).toMatch(/actual: 200 with a JSON body$/)
    for (const name of ['access_token', 'id_token', 'refresh_token']) {
      const message = finding(() => it.refused(json(400, { [name]: 'canary' })))
      expect(message).toBe(`expected: a refusal without tokens; actual: 400 with ${name}`)
    }
    const all = { refresh_token: 'a', id_token: 'b', access_token: 'c' }
    expect(finding(() => it.refused(json(200, all)))).toBe(
      'expected: a refusal without tokens; actual: 200 with access_token, id_token, refresh_token',
    )
  })

  test.each<[string, HttpResponse, string | undefined]>([
    ['the documented pair', json(401, { error: 'invalid_client' }), undefined],
    [
      'another status',
      json(400, { error: 'invalid_client' }),
      'expected: 401 invalid_client, or 400 invalid_request; actual: 400 invalid_client',
    ],
    [
      'another error',
      json(400, { error: 'invalid_grant' }),
      'expected: 400 invalid_request, or 401 invalid_client; actual: 400 invalid_grant',
    ],
    [
      'an error that is not documented',
      json(401, { error: 'bad_secret' }),
      'expected: 401 invalid_client, or 400 invalid_request; actual: 401 bad_secret',
    ],
    [
      'no error',
      json(403, {}),
      'expected: 401 invalid_client, or 400 invalid_request; actual: 403 with a JSON body that has no "error" member',
    ],
    [
      'a page',
      new HttpResponse(400, { 'content-type': 'text/html' }, '<p>'),
      'expected: 400 invalid_request, or 401 invalid_client; actual: 400 with an HTML page',
    ],
  ])('with %s', (_, response, message) => {
    const { expect: it, notes } = graded()
    const assert = () => it.permittedError(response, [401, 'invalid_client'], [400, 'invalid_request'])
    expect(finding(assert)).toBe(message)
    expect([it.count > 0, notes]).toEqual([true, []])
  })

  test('with an alternative passes with a note', () => {
    const { expect: it, notes } = graded()
    const response = json(400, { error: 'invalid_request' })
    it.permittedError(response, [401, 'invalid_client'], [400, 'invalid_request'])
    expect([it.count, notes]).toEqual([
      1,
      [
        'the error is 400 invalid_request, which is also permitted; the documented error is 401 invalid_client',
      ],
    ])
  })
})

describe('the challenge to a refused bearer token', () => {
  test.each<[string | undefined, string | undefined, string | undefined]>([
    ['Bearer error="invalid_token"', undefined, 'invalid_token'],
    ['Basic realm="a", bearer realm="b", ERROR=invalid_token', undefined, 'invalid_token'],
    ['Bearer realm="a, Bearer error=x", error="invalid_token"', undefined, 'invalid_token'],
    ['Bearer realm="error=invalid_token"', undefined, undefined],
    ['Bearer realm="a", Bearer realm="b", error="invalid_token"', undefined, 'invalid_token'],
    ['Bearer error="invalid_request", Bearer realm="b"', undefined, 'invalid_request'],
    [undefined, 'no WWW-Authenticate', undefined],
    ['Basic realm="x"', 'WWW-Authenticate without a Bearer challenge', undefined],
    ['Basic realm="Bearer error=invalid_token"', 'WWW-Authenticate without a Bearer challenge', undefined],
  ])('%s', (header, message, error) => {
    const { expect: it } = graded()
    const response = new HttpResponse(401, { 'www-authenticate': header }, '')
    const found = finding(() => expectBearerChallenge(it, response))
    if (message === undefined) expect(found).toBeUndefined()
    else expect(found).toContain(message)
    expect(bearerChallenge(response)?.parameters.error).toBe(error)
  })
})

test('texts and objects', () => {
  const { expect: it } = graded()
  expect(it.text('a', 'id')).toBe('a')
  expect(finding(() => it.text(' \t', 'id'))).toMatch(/id: an empty string$/)
  expect(finding(() => it.text('', 'id'))).toBe(
    'expected: id as a non-empty string; actual: id: an empty string',
  )
  expect(finding(() => it.text(undefined, 'id'))).toMatch(/id: absent$/)
  expect(it.object(json(200, { a: 1 }))).toEqual({ a: 1 })
  expect(finding(() => it.object(json(200, [1])))).toBe(
    'expected: a JSON object; actual: 200 with JSON that is not an object',
  )
  expect(finding(() => it.text(5, 'id'))).toBe('expected: id as a non-empty string; actual: id: a number')
})

test('descriptions of responses and values contain none of their content', () => {
  const page = new HttpResponse(400, { 'content-type': 'text/html;charset=utf-8' }, '<p>canary</p>')
  expect(describeAnswer(page)).toBe('400 with an HTML page')
  expect(describeAnswer(new HttpResponse(204, {}, ''))).toBe('204 without a body')
  const noPage = new HttpResponse(200, { 'content-type': 'text/html' }, '{}')
  expect(describeAnswer(noPage)).toBe('200 with a JSON body')
  expect(describeAnswer(new HttpResponse(200, {}, 'canary'))).toBe('200 with a body that is not JSON')
  expect(describeAnswer(new HttpResponse(200, {}, '{}', false))).toBe(
    '200 with a body that is not UTF-8, thus not JSON',
  )
  expect(describeAnswer(json(400, { error: 'canary@example.com' }))).not.toContain('canary')
  expect(describeAnswer(json(400, { error: 7 }))).toBe('400 with a JSON body whose "error" is a number')
  expect(describeAnswer(json(400, { error: 'token_rotated' }))).toBe('400 with error=token_rotated')
  expect([null, undefined, '', 'a', 1, true, [1, 2], {}].map(kindOf)).toEqual([
    'null',
    'absent',
    'an empty string',
    'a string',
    'a number',
    'a boolean',
    'an array with 2 elements',
    'an object',
  ])
  expect([undefined, 'a', '', null, 1].map((value) => differentValue('nonce', value))).toEqual([
    'no nonce',
    'a different nonce',
    'nonce: an empty string',
    'nonce: null',
    'nonce: a number',
  ])
  expect(quotedOrMasked('https://login.example.com')).toBe('"https://login.example.com"')
  expect(quotedOrMasked('a_B 1.:/+-')).toBe('"a_B 1.:/+-"')
  expect(quotedOrMasked('a'.repeat(100))).toBe(`"${'a'.repeat(100)}"`)
  for (const hidden of ['a@b', '@ab', 'ab@']) expect(quotedOrMasked(hidden)).toMatch(/^<3 characters/)
  expect(quotedOrMasked('a'.repeat(101))).toMatch(/^<101 characters/)
  expect(quotedOrMasked('')).toMatch(/^</)
  expect(quotedOrMasked(5)).toBe('a number')
})
