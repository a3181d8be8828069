import { describe, type Expect } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { RequirementId } from '../../src/check/requirement.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { bearerChallenges, type Challenge } from '../../src/oauth/challenge.ts'

/** The Bearer challenge of a response (RFC 9110, 11.6.1); undefined where WWW-Authenticate has none. */
export function bearerChallenge(response: HttpResponse): Challenge | undefined {
  return bearerChallenges(response)[0]
}

/** The response to a refused bearer token has a Bearer challenge (section Bearer-token errors; RFC 6750, 3). */
export function expectBearerChallenge(expect: Expect, response: HttpResponse): void {
  expect.that(
    bearerChallenge(response) !== undefined,
    'a Bearer challenge in WWW-Authenticate',
    response.header('www-authenticate') === undefined
      ? 'no WWW-Authenticate'
      : 'WWW-Authenticate without a Bearer challenge',
  )
}

/**
 * The refusal of an access token has the status of invalid_token.
 * @param refusal the requirement that it is refused
 * @throws {Inconclusive} where it was not refused
 */
export function expectInvalidTokenStatus(
  { expect, inconclusive }: Pick<CheckContext, 'expect' | 'inconclusive'>,
  response: HttpResponse,
  refusal: RequirementId,
): void {
  if (response.status < 300) inconclusive('the token was not refused', { dependsOn: [refusal] })
  expect.that(response.status === 401, '401 (invalid_token)', describe(response))
}
