import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  login,
  loginAndBadCredentials,
  loginAndCredentialProbes,
  loginWithSecond,
} from '../../src/check/check-options.ts'
import { expectNoTokenInformation, tokenInformationIn } from '../../src/check/disclosure.ts'
import { describe, kindOf, quotedOrMasked } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { clientAuthentication } from '../../src/oauth/client-authentication.ts'
import { decodeJwt } from '../../src/oauth/jwt.ts'
import { check } from './requirements.ts'

check(
  'INTROSPECTION-UNAVAILABLE',
  'a partner is refused and receives no token information',
  login,
  async (context) => {
    const { resources, expect, note } = context
    expect.describeRequest('an introspection request for a valid access token')
    const response = await resources.introspection()
    if (resources.introspects(response)) {
      return notApplicable(
        'introspection works on this target; other checks compare its responses with the reference section',
        'target',
      )
    }
    expect.that(response.status >= 300, 'a refusal', response)
    await expectNothingRevealed(context, response)
    if (response.status !== 400 || response.mediaType !== 'text/html') {
      note(
        `the refusal is ${describe(response)} as ${quotedOrMasked(response.mediaType)}; UAT returned an HTML page with 400`,
      )
    }
  },
)

check(
  'INTROSPECTION-UNAVAILABLE',
  'a partner receives no information about a refresh token',
  login,
  async (context) => {
    const { resources, expect } = context
    if (resources.introspects(await resources.introspection()))
      return notApplicable('introspection of access tokens works on this target', 'target')
    expect.describeRequest('an introspection request for a valid refresh token')
    const response = await resources.refreshTokenIntrospection()
    expect.that(response.status >= 300, 'a refusal', response)
    await expectNothingRevealed(context, response)
  },
)

check(
  'INTROSPECTION-INACTIVE',
  'an unknown token is reported inactive',
  loginAndBadCredentials,
  async ({ resources, expect }) => {
    expect.describeRequest('the same request with a token that was never issued')
    const response = await resources.introspectionOf('malformed')
    expect.status(response, 200)
    const { active } = expect.object(response)
    expect.that(active === false, 'active false', `active: ${kindOf(active)}`)
  },
)

check(
  'INTROSPECTION-INACTIVE-ALONE',
  'the response for an inactive token has no other member',
  loginAndBadCredentials,
  async ({ resources, expect }) => {
    expect.describeRequest('the same request with a token that was never issued')
    const { object = {} } = await resources.introspectionOf('malformed')
    if (object.active !== false)
      return inconclusive('the response for the unknown token does not have `active: false`', [
        'INTROSPECTION-INACTIVE',
      ])
    const others = Object.keys(object).length - 1
    expect.that(others === 0, 'active and no other member', `${others} more`)
  },
)

check(
  'INTROSPECTION-TAMPERED',
  'an altered token is not active',
  loginAndBadCredentials,
  async ({ resources, expect }) => {
    expect.describeRequest('the same request with one character of the signature altered')
    const response = await resources.introspectionOf('tampered')
    expect.that(response.object?.active !== true, 'an inactive token, or a refusal', 'active true')
  },
)

check(
  'INTROSPECTION-INACTIVE-ALIKE',
  'the responses for an unknown and an altered token are equal',
  loginAndBadCredentials,
  async ({ resources, expect }) => {
    expect.describeRequest('the same request with an unknown token, and with an altered one')
    const unknown = await resources.introspectionOf('malformed')
    const altered = await resources.introspectionOf('tampered')
    if (unknown.object?.active !== false)
      return inconclusive('the response for the unknown token does not have `active: false`', [
        'INTROSPECTION-INACTIVE',
      ])
    if (altered.object?.active === true)
      return inconclusive('the altered token is active', ['INTROSPECTION-TAMPERED'])
    expect.that(
      altered.status === unknown.status && isDeepStrictEqual(altered.object, unknown.object),
      'equal responses',
      `${describe(unknown)} and ${describe(altered)}, with different members`,
    )
  },
)

check(
  'INTROSPECTION-REFRESH-TOKEN',
  'a refresh token is reported active',
  login,
  async ({ resources, expect }) => {
    if ((await resources.availableIntrospection()).object?.active !== true)
      return inconclusive('the access token is not active', ['INTROSPECTION-ACTIVE'])
    expect.describeRequest('the same request with the newest refresh token')
    const response = await resources.refreshTokenIntrospection()
    expect.status(response, 200)
    expect.that(
      response.object?.active === true,
      'active true',
      `active: ${response.object?.active === false ? 'false' : kindOf(response.object?.active)}`,
    )
  },
)

check(
  'INTROSPECTION-HINT-IGNORED',
  'a wrong `token_type_hint` is ignored',
  login,
  async ({ resources, expect }) => {
    const valid = await resources.availableIntrospection()
    if (valid.object?.active !== true)
      return inconclusive('the token is not active', ['INTROSPECTION-ACTIVE'])
    for (const hint of ['refresh_token', 'plumbline']) {
      expect.describeRequest(`the same request with token_type_hint=${hint}`)
      const response = await resources.introspect({ token_type_hint: hint })
      // A token that has expired is inactive without a hint, too.
      if (response.object?.active !== true && (await resources.introspect()).object?.active !== true)
        return inconclusive('the token is no longer active, with or without a hint')
      expect.that(
        response.status === 200 && response.object?.active === true,
        'the response without a hint: active true',
        response,
      )
    }
  },
)

check(
  'INTROSPECTION-TOKEN-REQUIRED',
  'a request without `token` is refused',
  login,
  async ({ resources, expect }) => {
    await resources.availableIntrospection()
    expect.describeRequest('the same request without `token`')
    const response = await resources.introspect({ token: null })
    expect.permittedError(response, [400, 'invalid_request'])
  },
)

check(
  'INTROSPECTION-CLIENT-AUTH',
  'a request without client credentials is refused',
  loginAndBadCredentials,
  async (context) => {
    const { resources, expect } = context
    await resources.availableIntrospection()
    expect.describeRequest('the same request without client credentials')
    const response = await resources.introspect({}, { headers: [], form: [] })
    await expectNothingRevealed(context, response, true)
    expect.permittedError(response, [401, 'invalid_client'])
  },
)

check(
  'INTROSPECTION-CLIENT-SECRET',
  'a request with a wrong secret is refused',
  loginAndCredentialProbes,
  async (context) => {
    const { resources, expect, application } = context
    await resources.availableIntrospection()
    expect.describeRequest('the same request with a random secret')
    const wrong = clientAuthentication({ ...application, secret: randomBytes(24).toString('hex') })
    const response = await resources.introspect({}, wrong)
    await expectNothingRevealed(context, response, true)
    expect.permittedError(response, [401, 'invalid_client'])
  },
)

check(
  'INTROSPECTION-OTHER-CLIENT',
  'the response to another client is recorded',
  loginWithSecond,
  async ({ resources, observe, target: { secondApplication } }) => {
    await resources.availableIntrospection()
    if (!secondApplication) return
    const response = await resources.introspect({}, clientAuthentication(secondApplication))
    observe(
      'introspection.other-client',
      resources.introspects(response) ? `active ${response.object?.active === true}` : describe(response),
    )
  },
)

/**
 * Expects a refusal to reveal nothing about the token. If a refusal seems to reveal something, compares it with the
 * response to a request that names no existing token.
 * @param isAnonymous whether the refused request had no valid client credentials
 */
async function expectNothingRevealed(
  { resources, tokens, target, expect }: CheckContext,
  refusal: HttpResponse,
  isAnonymous = false,
): Promise<void> {
  // Values of the newest access token and its user, which a refusal would not contain by accident.
  const { sub, jti } = decodeJwt((await tokens.keeper()).accessToken)?.claims ?? {}
  const values = [sub, jti, target.user?.name]
  const isSuspect = tokenInformationIn({ refusal, values }).length > 0
  const tokenlessResponse = isSuspect ? await resources.introspectionOfUnknownToken(isAnonymous) : undefined
  expectNoTokenInformation(expect, { refusal, values, tokenlessResponse })
}
