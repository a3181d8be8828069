import { describe, expect, test } from 'vitest'
import {
  failedBy,
  isAuthorizationResponse,
  JourneyFailure,
  parseDestination,
} from '../../src/browser/landing.ts'
import { HttpFailure } from '../../src/http/failures.ts'

test.each([
  ['https://partner.example/cb', [], []],
  ['https://partner.example/cb?code=a&state=b', ['code=a', 'state=b'], []],
  ['https://partner.example/cb#id_token=a&state=b', [], ['id_token=a', 'state=b']],
  ['https://partner.example/cb?code=a#state=b', ['code=a'], ['state=b']],
  ['https://partner.example/cb?next=/a?b&code=c', ['next=/a?b', 'code=c'], []],
  ['https://partner.example/cb#code=a?b#c', [], ['code=a?b#c']],
  ['partner.app:callback?code=a', ['code=a'], []],
  ['https://[/?code=a', ['code=a'], []],
  ['?code=a', ['code=a'], []],
  ['#code=a', [], ['code=a']],
])('the parts of the redirect to %s', (location, query, fragment) => {
  const parts = parseDestination(location)
  const pairs = (part: URLSearchParams) => [...part].map((pair) => pair.join('='))
  expect(parts.location).toBe(location)
  expect([pairs(parts.query), pairs(parts.fragment)]).toEqual([query, fragment])
})

describe('an authorization response', () => {
  const none = { query: new URLSearchParams(), fragment: new URLSearchParams() }

  test.each([
    ['code', true],
    ['error', true],
    ['state', true],
    ['access_token', true],
    ['id_token', true],
    ['iss', false],
    ['error_description', false],
  ])('is a redirect with %s in any part: %s', (name, expected) => {
    const part = new URLSearchParams([[name, 'a']])
    for (const place of ['query', 'fragment', 'form'])
      expect(isAuthorizationResponse({ ...none, [place]: part })).toBe(expected)
  })

  test('has parameters', () => {
    expect(isAuthorizationResponse(none)).toBe(false)
  })
})

test('a journey that fails ends with its reason, cause and advice', () => {
  const failure = new JourneyFailure('configuration', 'the page has no form', {
    variables: ['LOGIN_RECIPE'],
    advice: 'write a login recipe',
  })
  expect(failure).toMatchObject({ name: 'JourneyFailure', message: 'the page has no form' })
  expect(failure.landing).toEqual({
    kind: 'failed',
    cause: 'configuration',
    reason: 'the page has no form',
    variables: ['LOGIN_RECIPE'],
    advice: 'write a login recipe',
  })
  expect(new JourneyFailure('environment', 'a').landing).toEqual({
    kind: 'failed',
    cause: 'environment',
    reason: 'a',
  })
})

test('a journey without a response ends with the kind, cause and advice of the failure', () => {
  const failure = new HttpFailure('host-refused', 'the host is not allowed', {
    variables: ['IDP_BASE_URL'],
    advice: 'correct IDP_BASE_URL',
  })
  expect(failedBy(failure)).toEqual({
    kind: 'failed',
    failure: 'host-refused',
    cause: 'configuration',
    reason: 'the host is not allowed',
    variables: ['IDP_BASE_URL'],
    advice: 'correct IDP_BASE_URL',
  })
  expect(failedBy(new HttpFailure('throttled', 'the target throttles'))).not.toHaveProperty('advice')
})
