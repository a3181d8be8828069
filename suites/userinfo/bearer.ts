import type { Expect } from '../../src/check/expect.ts'
import { requireFirstFinding } from '../../src/check/first-finding.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import { errorName } from '../../src/evidence/allow-list.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { bearerChallenges, type Challenge } from '../../src/oauth/challenge.ts'

/**
 * The Bearer challenge of a response (RFC 9110, 11.6.1); undefined if it has none. If there are several, for example
 * one of a gateway, returns a challenge with the error invalid_token or, if no challenge has it, the first one.
 */
export function bearerChallenge(response: HttpResponse): Challenge | undefined {
  const all = bearerChallenges(response)
  return all.find(({ parameters }) => parameters.error === 'invalid_token') ?? all[0]
}

/**
 * Expects a Bearer challenge in the response to a refused bearer token (section Bearer-token errors; RFC 6750, 3).
 */
export function expectBearerChallenge(expect: Expect, response: HttpResponse): void {
  expect.that(
    bearerChallenge(response) !== undefined,
    'a Bearer challenge in WWW-Authenticate',
    response.header('www-authenticate') === undefined
      ? 'no WWW-Authenticate'
      : 'WWW-Authenticate without a Bearer challenge',
  )
}

/** Expects the error of Bearer challenges to refused access tokens (section Bearer-token errors). */
export function expectInvalidToken(expect: Expect, { parameters }: Challenge): void {
  const error = errorName(parameters.error)
  expect.that(
    parameters.error === 'invalid_token',
    '401 and a Bearer challenge with error=invalid_token',
    error ? `401 and a Bearer challenge with error=${error}` : '401 and a Bearer challenge without error',
  )
}

/** Ids of the requirements to refuse an access token. For each there is a requirement `…-ERROR` on the status. */
type BearerRefusalId =
  `USERINFO-${'MALFORMED-TOKEN' | 'TAMPERED-TOKEN' | 'ALTERED-CLAIMS' | 'UNSIGNED-TOKEN' | 'EXPIRED-TOKEN'}`

/**
 * Expects the refusal of an access token to have the status of invalid_token.
 * @param requirement the requirement to refuse the token
 * @throws {Inconclusive} if the token was not refused, or another requirement has already reported the wrong status
 */
export async function expectInvalidTokenStatus(
  { expect, run }: Pick<CheckContext, 'expect' | 'run'>,
  response: HttpResponse,
  requirement: BearerRefusalId,
): Promise<void> {
  if (response.status < 300) return inconclusive('the token was not refused', [requirement])
  if (response.status !== 401) {
    const finding = `UserInfo refuses a token with ${response.status}`
    requireFirstFinding(run, finding, `${requirement}-ERROR`)
  }
  expect.that(response.status === 401, '401 (invalid_token)', response)
}
