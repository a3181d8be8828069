import { expectRefused, expectRefusedAs, landingLabel } from '../../src/check/landing.ts'
import { login } from '../../src/check/options.ts'
import { malformedRequests, quotedNames } from './causes.ts'
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
  'AUTHZ-MALFORMED',
  'the response to a `code_challenge` that is too short is recorded',
  login,
  async ({ authorization, observe }) => {
    const { landing } = await authorization.authorize('passive', { code_challenge: 'too-short' })
    observe('authorization.malformed-challenge', landingLabel(landing))
  },
)
