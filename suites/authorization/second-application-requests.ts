import { type CompletedLanding, errorOf } from '../../src/check/authorization/landing-content.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { Changes } from '../../src/oauth/authorization-request.ts'
import { codeVerifier } from '../../src/oauth/pkce.ts'
import { applicationOf } from '../../src/target/parts.ts'
import { silentLogin, withoutPkce } from './flaws.ts'

// Requests of the second application with a flaw in PKCE, each sent once per run: PKCE may be required of the first
// application alone.

type Sending = Pick<CheckContext, 'authorization' | 'secondClient' | 'once' | 'target' | 'expect'>

/** Without PKCE: with prompt=none, and without it if the target cannot do without a page. */
export function sendWithoutPkce(steps: Sending): Promise<CompletedLanding> {
  const { authorization, secondClient, once, target, expect } = steps
  expect.describeRequest('the valid request of the second application without PKCE, with prompt=none')
  return once(sendWithoutPkce, async () => {
    await secondClient.control()
    const send = (changes: Changes, difference: string) =>
      authorization.authorize('signed-in', changes, target.secondApplication, difference)
    const silent = await send({ ...withoutPkce, prompt: 'none' }, 'without PKCE and with prompt=none')
    const error = errorOf(silent.landing)
    const needsPage = silentLogin.errors.some((name) => name === error)
    return (needsPage ? await send(withoutPkce, 'without PKCE') : silent).landing
  })
}

/** With the challenge method `plain`. */
export function sendWithMethodPlain(steps: Sending): Promise<CompletedLanding> {
  const { authorization, secondClient, once, target, expect } = steps
  const difference = 'with the method plain'
  expect.describeRequest(
    'the valid request of the second application with `code_challenge_method=plain` and a verifier as its challenge',
  )
  return once(sendWithMethodPlain, async () => {
    await secondClient.control()
    const changes = { code_challenge: codeVerifier(), code_challenge_method: 'plain' }
    return (await authorization.authorize('signed-in', changes, target.secondApplication, difference)).landing
  })
}

/** With an empty `code_challenge`; of the first application if there is no second one. */
export function sendWithEmptyChallenge(steps: Sending): Promise<CompletedLanding> {
  const { authorization, secondClient, once, target, expect } = steps
  const difference = 'with an empty `code_challenge`'
  const isOfSecond = target.secondApplication !== undefined
  const application = target.secondApplication ?? applicationOf(target)
  expect.describeRequest(`the valid request${isOfSecond ? ' of the second application' : ''} ${difference}`)
  return once(sendWithEmptyChallenge, async () => {
    if (isOfSecond) await secondClient.control()
    const changes = { code_challenge: '' }
    return (await authorization.authorize('signed-in', changes, application, difference)).landing
  })
}
