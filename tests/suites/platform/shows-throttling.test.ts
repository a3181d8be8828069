import { describe, expect, test } from 'vitest'
import { HttpResponse } from '../../../src/http/response.ts'
import { showsThrottling } from '../../../suites/platform/shows-throttling.ts'

const error = 'temporarily_unavailable'

function response(status: number, description?: unknown): HttpResponse {
  return new HttpResponse(status, {}, JSON.stringify({ error, error_description: description }))
}

describe('a response with the error of a throttled request', () => {
  test.each([200, 400, 403, 429])('shows with %i that the request was throttled', (status) => {
    expect(showsThrottling(response(status), [])).toBe(true)
  })

  test.each([
    ['Too many requests. Try again later.', true],
    ['The rate limit of the client is exceeded.', true],
    ['Rate-limited', true],
    ['Request was throttled.', true],
    ['Monthly quota reached.', true],
    ['Maintenance. Try again.', false],
    ['The service has too many users.', false],
    ['A separate limit', false],
    [['Too many requests'], false],
    [undefined, false],
  ])('and the description %j shows it with 503: %s', (description, isThrottled) => {
    const sent = response(503, description)
    expect(showsThrottling(sent, [sent])).toBe(isThrottled)
  })

  test('shows it with 503 if a 429 has the same description', () => {
    expect(showsThrottling(response(503, 'Slow down.'), [response(429, 'Slow down.')])).toBe(true)
    expect(showsThrottling(response(503, 'Slow down.'), [response(429, 'Wait.')])).toBe(false)
    expect(showsThrottling(response(503, 'Slow down.'), [response(400, 'Slow down.')])).toBe(false)
    expect(showsThrottling(response(503), [response(429)])).toBe(false)
  })
})
