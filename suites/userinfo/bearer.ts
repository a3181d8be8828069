import type { Expect } from '../../src/check/expect.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { bearerChallenges, type Challenge } from '../../src/oauth/challenge.ts'

/** The Bearer challenge of an answer (RFC 9110, 11.6.1); undefined where WWW-Authenticate holds none. */
export function bearerChallenge(response: HttpResponse): Challenge | undefined {
  return bearerChallenges(response)[0]
}

/** A refused bearer token is answered with a Bearer challenge (section Bearer-token errors; RFC 6750, 3). */
export function expectBearerChallenge(expect: Expect, response: HttpResponse): void {
  expect.that(
    bearerChallenge(response) !== undefined,
    'a Bearer challenge in WWW-Authenticate',
    response.header('www-authenticate') === undefined
      ? 'there was no WWW-Authenticate'
      : 'WWW-Authenticate held none',
  )
}
