import { landingLabel } from '../../src/check/authorization/landing-text.ts'
import { login, loginWithSecond } from '../../src/check/check-options.ts'
import { malformedRequests } from './flaws.ts'
import { checkRefusalAndError } from './refusal-checks.ts'
import { check } from './requirements.ts'
import {
  sendWithEmptyChallenge,
  sendWithMethodPlain,
  sendWithoutPkce,
} from './second-application-requests.ts'

for (const flaw of malformedRequests) {
  const { requirement, difference, errors } = flaw
  checkRefusalAndError(
    requirement,
    `a request ${difference}`,
    login,
    errors,
    async ({ refusals, expect }) => {
      expect.describeRequest(`the valid request ${difference}`)
      return refusals.landingOf(flaw)
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
  checkRefusalAndError(id, request, options, ['invalid_request'], send)
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
