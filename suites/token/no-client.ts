import type { Expect } from '../../src/check/expect.ts'
import type { HttpResponse } from '../../src/http/response.ts'

/** Errors for a request without client credentials. */
export const noClientErrors = ['invalid_client', 'invalid_request']

/** No client authenticated: 401 invalid_client, or 400 invalid_request for what is missing. */
export function expectNoClient(expect: Expect, response: HttpResponse): void {
  expect.refused(response)
  expect.status(response, 401, 400)
  expect.errorNamed(response.object?.error, response.status === 401 ? 'invalid_client' : 'invalid_request')
}
