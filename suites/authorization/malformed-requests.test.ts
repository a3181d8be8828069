import { expectRefused } from '../../src/check/authorization/landing-expectations.ts'
import { landingLabel } from '../../src/check/authorization/landing-text.ts'
import { login, loginWithSecond } from '../../src/check/check-options.ts'
import { malformedRequests, quotedNames } from './flaws.ts'
import { check } from './requirements.ts'
import {
  sendWithEmptyChallenge,
  sendWithMethodPlain,
  sendWithoutPkce,
} from './second-application-requests.ts'

for (const flaw of malformedRequests) {
  const { requirement, errorRequirement, difference, errors } = flaw

  check(requirement, `a request ${difference} is refused`, login, async ({ refusals, expect }) => {
    expect.describeRequest(`the valid request ${difference}`)
    expectRefused(expect, (await refusals.landingOf(flaw)).landing)
  })

  check(
    errorRequirement,
    `a request ${difference} is refused with ${quotedNames(errors)}`,
    login,
    async ({ refusals, authorizationErrors, expect }) => {
      expect.describeRequest(`the valid request ${difference}`)
      const { landing } = await refusals.landingOf(flaw)
      await authorizationErrors.expectRefusedAs({ requirement, errorRequirement }, landing, errors)
    },
  )
}

for (const [id, request, options, send] of [
  [
    'AUTHZ-PKCE-REQUIRED',
    'a request of the second application without PKCE',
    loginWithSecond,
    sendWithoutPkce,
  ],
  [
    'AUTHZ-PKCE-S256-ONLY',
    'a request of the second application with `code_challenge_method=plain`',
    loginWithSecond,
    sendWithMethodPlain,
  ],
  ['AUTHZ-CHALLENGE-REQUIRED', 'a request with an empty `code_challenge`', login, sendWithEmptyChallenge],
] as const) {
  check(
    id,
    `${request} is refused`,
    options,
    async ({ authorization, secondClient, once, target, expect }) => {
      const { landing, requestText } = await send({ authorization, secondClient, once, target })
      expect.describeRequest(requestText)
      expectRefused(expect, landing)
    },
  )

  check(
    `${id}-ERROR`,
    `${request} is refused with \`invalid_request\``,
    options,
    async ({ authorization, authorizationErrors, secondClient, once, target, expect }) => {
      const { landing, requestText } = await send({ authorization, secondClient, once, target })
      expect.describeRequest(requestText)
      await authorizationErrors.expectRefusedAs(
        { requirement: id, errorRequirement: `${id}-ERROR` },
        landing,
        ['invalid_request'],
      )
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
