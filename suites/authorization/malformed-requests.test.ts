import { errorOf, type Landing } from '../../src/check/authorization/landing-content.ts'
import { expectRefused } from '../../src/check/authorization/landing-expectations.ts'
import { landingLabel } from '../../src/check/authorization/landing-text.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { login, loginWithSecond } from '../../src/check/options.ts'
import type { Changes } from '../../src/oauth/authorization-request.ts'
import { codeVerifier } from '../../src/oauth/pkce.ts'
import { refusedChallenge } from './empty-challenge.ts'
import { malformedRequests, quotedNames, silentLogin, withoutPkce } from './flaws.ts'
import { check } from './requirements.ts'

const secondWithoutPkce = 'the valid request of the second application without PKCE, with prompt=none'
const secondWithPlain =
  'the valid request of the second application with `code_challenge_method=plain` and a verifier as its challenge'

for (const cause of malformedRequests) {
  const { requirement, errorRequirement, difference, errors } = cause

  check(requirement, `a request ${difference} is refused`, login, async ({ refusals, expect }) => {
    expect.sending(`the valid request ${difference}`)
    expectRefused(expect, (await refusals.landingOf(cause)).landing)
  })

  check(
    errorRequirement,
    `a request ${difference} is refused with ${quotedNames(errors)}`,
    login,
    async ({ refusals, authorizationErrors, expect }) => {
      expect.sending(`the valid request ${difference}`)
      const { landing } = await refusals.landingOf(cause)
      await authorizationErrors.expectRefusedAs({ requirement, errorRequirement }, landing, errors)
    },
  )
}

check(
  'AUTHZ-PKCE-REQUIRED',
  'a request of the second application without PKCE is refused',
  loginWithSecond,
  async ({ authorization, secondClient, once, target, expect }) => {
    expect.sending(secondWithoutPkce)
    expectRefused(expect, await refusedWithoutPkce({ authorization, secondClient, once, target }))
  },
)

check(
  'AUTHZ-PKCE-REQUIRED-ERROR',
  'a request of the second application without PKCE is refused with `invalid_request`',
  loginWithSecond,
  async ({ authorization, authorizationErrors, secondClient, once, target, expect }) => {
    expect.sending(secondWithoutPkce)
    const landing = await refusedWithoutPkce({ authorization, secondClient, once, target })
    await authorizationErrors.expectRefusedAs(
      { requirement: 'AUTHZ-PKCE-REQUIRED', errorRequirement: 'AUTHZ-PKCE-REQUIRED-ERROR' },
      landing,
      ['invalid_request'],
    )
  },
)

check(
  'AUTHZ-PKCE-S256-ONLY',
  'a request of the second application with `code_challenge_method=plain` is refused',
  loginWithSecond,
  async ({ authorization, secondClient, once, target, expect }) => {
    expect.sending(secondWithPlain)
    expectRefused(expect, await refusedWithPlain({ authorization, secondClient, once, target }))
  },
)

check(
  'AUTHZ-PKCE-S256-ONLY-ERROR',
  'a request of the second application with `code_challenge_method=plain` is refused with `invalid_request`',
  loginWithSecond,
  async ({ authorization, authorizationErrors, secondClient, once, target, expect }) => {
    expect.sending(secondWithPlain)
    const landing = await refusedWithPlain({ authorization, secondClient, once, target })
    await authorizationErrors.expectRefusedAs(
      { requirement: 'AUTHZ-PKCE-S256-ONLY', errorRequirement: 'AUTHZ-PKCE-S256-ONLY-ERROR' },
      landing,
      ['invalid_request'],
    )
  },
)

check(
  'AUTHZ-CHALLENGE-REQUIRED',
  'a request with an empty `code_challenge` is refused',
  login,
  async ({ authorization, secondClient, once, target, expect }) => {
    const { landing, sending } = await refusedChallenge({ authorization, secondClient, once, target })
    expect.sending(sending)
    expectRefused(expect, landing)
  },
)

check(
  'AUTHZ-CHALLENGE-REQUIRED-ERROR',
  'a request with an empty `code_challenge` is refused with `invalid_request`',
  login,
  async ({ authorization, authorizationErrors, secondClient, once, target, expect }) => {
    const { landing, sending } = await refusedChallenge({ authorization, secondClient, once, target })
    expect.sending(sending)
    await authorizationErrors.expectRefusedAs(
      { requirement: 'AUTHZ-CHALLENGE-REQUIRED', errorRequirement: 'AUTHZ-CHALLENGE-REQUIRED-ERROR' },
      landing,
      ['invalid_request'],
    )
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

type Sending = Pick<CheckContext, 'authorization' | 'secondClient' | 'once' | 'target'>

/**
 * The landing of the request of the second application without PKCE, which is sent once per run: with prompt=none, and
 * without it if the target cannot do without a page.
 */
async function refusedWithoutPkce({ authorization, secondClient, once, target }: Sending): Promise<Landing> {
  const { landing } = await once(secondWithoutPkce, async () => {
    await secondClient.control()
    const send = (changes: Changes, difference: string) =>
      authorization.authorize('signed-in', changes, target.secondApplication, difference)
    const silent = await send({ ...withoutPkce, prompt: 'none' }, 'without PKCE and with prompt=none')
    const error = errorOf(silent.landing)
    const needsPage = silentLogin.errors.some((name) => name === error)
    return needsPage ? send(withoutPkce, 'without PKCE') : silent
  })
  return landing
}

/** The landing of the request of the second application with the method plain, which is sent once per run. */
async function refusedWithPlain({ authorization, secondClient, once, target }: Sending): Promise<Landing> {
  const { landing } = await once(secondWithPlain, async () => {
    await secondClient.control()
    const changes = { code_challenge: codeVerifier(), code_challenge_method: 'plain' }
    return authorization.authorize('signed-in', changes, target.secondApplication, 'with the method plain')
  })
  return landing
}
