import { type CompletedLanding, errorOf } from '../../src/check/authorization/landing-content.ts'
import { expectNothingIssued } from '../../src/check/authorization/landing-expectations.ts'
import { landingLabel, landingPhrase } from '../../src/check/authorization/landing-text.ts'
import { login, loginAndBadCredentials } from '../../src/check/check-options.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { notApplicable } from '../../src/check/verdict.ts'
import { randomValue } from '../../src/oauth/pkce.ts'
import { quotedNames } from './flaws.ts'
import { check } from './requirements.ts'

for (const [id, parameter, errors] of [
  ['AUTHZ-CLIENT-ID-REQUIRED', 'client_id', ['invalid_request']],
  ['AUTHZ-REDIRECT-URI-REQUIRED', 'redirect_uri', ['invalid_request', 'redirect_uri_mismatch']],
] as const) {
  const request = `a request without \`${parameter}\``

  check(id, `${request} is refused`, login, async (context) => {
    expectNothingIssued(context.expect, await landingWithout(parameter, context))
  })

  check(
    `${id}-ERROR`,
    `a redirect that refuses ${request} has the error ${quotedNames(errors)}`,
    login,
    async (context) => {
      const landing = await landingWithout(parameter, context)
      if (errorOf(landing) === undefined)
        return notApplicable(
          `concerns only a redirect with an error name; ${request} ended at ${landingPhrase(landing)}, which is permitted`,
          'target',
        )
      await context.authorizationErrors.expectNamed(`${id}-ERROR`, landing, errors)
    },
  )
}

/** The landing of the valid request without a parameter. */
async function landingWithout(
  parameter: 'client_id' | 'redirect_uri',
  { authorization, once, expect }: Pick<CheckContext, 'authorization' | 'once' | 'expect'>,
): Promise<CompletedLanding> {
  expect.describeRequest(`the valid request without \`${parameter}\``)
  const send = async () => (await authorization.authorize('signed-in', { [parameter]: null })).landing
  return once([landingWithout, parameter], send)
}

check(
  'AUTHZ-CLIENT-ID-UNKNOWN',
  'a request with an unknown `client_id` is refused',
  loginAndBadCredentials,
  async ({ authorization, expect, note }) => {
    expect.describeRequest('the valid request with a `client_id` that belongs to no application')
    const { landing } = await authorization.authorize('signed-in', {
      client_id: `plumbline-${randomValue()}`,
    })
    expectNothingIssued(expect, landing)
    if (errorOf(landing) !== undefined)
      note(
        `an unknown client_id is refused by a redirect to an unverified redirect URI (${landingLabel(landing)})`,
      )
  },
)
