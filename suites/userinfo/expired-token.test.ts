import { loginUntilExpiry } from '../../src/check/check-options.ts'
import { disclosesClaims, expectNoClaims } from '../../src/check/disclosure.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { acceptsToken } from '../../src/check/userinfo-response.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import {
  bearerChallenge,
  expectBearerChallenge,
  expectInvalidToken,
  expectInvalidTokenStatus,
} from './bearer.ts'
import { check } from './requirements.ts'

check('USERINFO-EXPIRED-TOKEN', 'an expired token is refused', loginUntilExpiry, async (context) => {
  const response = await responseAfterExpiry(context)
  context.expect.that(response.status >= 300, 'a refusal', response)
})

check(
  'USERINFO-EXPIRED-TOKEN-ERROR',
  'an expired token is refused with status 401',
  loginUntilExpiry,
  async (context) => {
    const response = await responseAfterExpiry(context)
    await expectInvalidTokenStatus(context, response, 'USERINFO-EXPIRED-TOKEN')
  },
)

check(
  'USERINFO-CHALLENGE',
  'an expired token receives a Bearer challenge',
  loginUntilExpiry,
  async (context) => {
    expectBearerChallenge(context.expect, await refusalAfterExpiry(context))
  },
)

check(
  'USERINFO-CHALLENGE-ERROR',
  'the challenge to an expired token has the error `invalid_token`',
  loginUntilExpiry,
  async (context) => {
    const challenge = bearerChallenge(await refusalAfterExpiry(context))
    if (!challenge) return inconclusive('there is no Bearer challenge', ['USERINFO-CHALLENGE'])
    expectInvalidToken(context.expect, challenge)
  },
)

check(
  'USERINFO-REFUSED-CLAIMS',
  'the refusal of an expired token contains no claims',
  loginUntilExpiry,
  async (context) => {
    const { identityProvider, resources, expect } = context
    const response = await responseAfterExpiry(context)
    if (response.status < 300) return inconclusive(...notRefused)
    const validResponse = await resources.userinfo()
    const bearer = identityProvider.log.bearerOf(response)
    // If the refusal seems to contain claims, it is compared with the refusal of a request without a token.
    const anonymousRefusal = disclosesClaims({ refusal: response, validResponse, bearer })
      ? await resources.userinfoWithoutToken()
      : undefined
    expectNoClaims(expect, { refusal: response, validResponse, anonymousRefusal, bearer })
  },
)

const notRefused = ['the token was not refused', ['USERINFO-EXPIRED-TOKEN']] as const

/** The refusal of an expired token. @throws {Inconclusive} if its status is not 401, or the token is accepted */
async function refusalAfterExpiry(context: CheckContext): Promise<HttpResponse> {
  const response = await responseAfterExpiry(context)
  if (response.status < 300) return inconclusive(...notRefused)
  if (response.status !== 401)
    return inconclusive(`the status is ${response.status}`, ['USERINFO-EXPIRED-TOKEN-ERROR'])
  return response
}

/** Describes the request, and sends it once per run. @returns the response to an expired access token */
function responseAfterExpiry(context: CheckContext): Promise<HttpResponse> {
  const { expect, expiry, once, identityProvider } = context
  expect.describeRequest('a GET of UserInfo with an access token after it has expired')
  return once(responseAfterExpiry, () =>
    expiry.responseAfter({
      send: (accessToken) => identityProvider.userinfo(accessToken),
      accepts: acceptsToken,
      control: 'USERINFO-BEARER',
    }),
  )
}
