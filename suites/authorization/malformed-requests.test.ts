import { expectRefused, expectRefusedAs, landingLabel } from '../../src/check/landing.ts'
import { login, loginWithSecond } from '../../src/check/options.ts'
import { malformedRequests, quotedNames, withoutPkce } from './flaws.ts'
import { check } from './requirements.ts'

for (const cause of malformedRequests) {
  const { refused, named, difference, errors } = cause

  check(refused, `a request ${difference} is refused`, login, async ({ refusals, expect }) => {
    expect.sending(`the valid request ${difference}`)
    expectRefused(expect, (await refusals.of(cause)).landing)
  })

  check(
    named,
    `a request ${difference} is refused with ${quotedNames(errors)}`,
    login,
    async ({ refusals, expect }) => {
      expect.sending(`the valid request ${difference}`)
      expectRefusedAs(expect, (await refusals.of(cause)).landing, refused, ...errors)
    },
  )
}

check(
  'AUTHZ-PKCE-REQUIRED',
  'a request of the second application without PKCE is refused',
  loginWithSecond,
  async ({ authorization, sharedRequests, expect, target: { secondApplication } }) => {
    await sharedRequests.secondTokens()
    expect.sending('the valid request of the second application without PKCE')
    const { landing } = await authorization.authorize('signed-in', withoutPkce, secondApplication)
    expectRefused(expect, landing)
  },
)

check(
  'AUTHZ-MALFORMED',
  'the response to a `code_challenge` that is too short is recorded',
  login,
  async ({ authorization, observe }) => {
    const { landing } = await authorization.authorize('passive', { code_challenge: 'too-short' })
    observe('authorization.malformed-challenge', landingLabel(landing))
  },
)
