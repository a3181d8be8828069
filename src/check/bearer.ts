import type { HttpResponse } from '../http/response.ts'
import { challenges } from '../oauth/challenge.ts'
import { describe, type Expect } from './expect.ts'

/** A refused bearer token (section Bearer-token errors; RFC 6750, 3): 401 with a Bearer challenge that names invalid_token. */
export function expectInvalidToken(expect: Expect, response: HttpResponse): void {
  expect.that(response.status === 401, 'status 401', `it was answered ${describe(response)}`)
  const header = response.header('www-authenticate')
  const bearer =
    header === undefined ? undefined : challenges(header)?.find(({ scheme }) => scheme === 'bearer')
  expect.that(
    bearer !== undefined,
    'a Bearer challenge in WWW-Authenticate',
    header === undefined ? 'there was no WWW-Authenticate' : 'WWW-Authenticate held none',
  )
  const error = bearer?.parameters.error
  expect.that(error !== undefined, 'error="invalid_token" in the challenge', 'the challenge named no error')
  expect.errorNamed(error, 'invalid_token')
}
