import { type CompletedLanding, errorOf } from '../../src/check/authorization/landing-content.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { Changes } from '../../src/oauth/authorization-request.ts'
import { codeVerifier } from '../../src/oauth/pkce.ts'
import { applicationOf } from '../../src/target/parts.ts'
import { silentLogin, withoutPkce } from './flaws.ts'

// Requests of the second application with a flaw in PKCE, each sent once per run: PKCE may be required of the first
// application alone.

type Sending = Pick<CheckContext, 'authorization' | 'secondClient' | 'once' | 'target'>

/** A landing, and the request as findings state it. */
interface Sent {
  readonly landing: CompletedLanding
  readonly requestText: string
}

/** Without PKCE: with prompt=none, and without it if the target cannot do without a page. */
export async function sendWithoutPkce({ authorization, secondClient, once, target }: Sending): Promise<Sent> {
  const requestText = 'the valid request of the second application without PKCE, with prompt=none'
  const { landing } = await once(sendWithoutPkce, async () => {
    await secondClient.control()
    const send = (changes: Changes, difference: string) =>
      authorization.authorize('signed-in', changes, target.secondApplication, difference)
    const silent = await send({ ...withoutPkce, prompt: 'none' }, 'without PKCE and with prompt=none')
    const error = errorOf(silent.landing)
    const needsPage = silentLogin.errors.some((name) => name === error)
    return needsPage ? send(withoutPkce, 'without PKCE') : silent
  })
  return { landing, requestText }
}

/** With the challenge method `plain`. */
export async function sendWithMethodPlain(steps: Sending): Promise<Sent> {
  const { authorization, secondClient, once, target } = steps
  const requestText =
    'the valid request of the second application with `code_challenge_method=plain` and a verifier as its challenge'
  const { landing } = await once(sendWithMethodPlain, async () => {
    await secondClient.control()
    const changes = { code_challenge: codeVerifier(), code_challenge_method: 'plain' }
    return authorization.authorize('signed-in', changes, target.secondApplication, 'with the method plain')
  })
  return { landing, requestText }
}

/** With an empty `code_challenge`; of the first application if there is no second one. */
export async function sendWithEmptyChallenge(steps: Sending): Promise<Sent> {
  const { authorization, secondClient, once, target } = steps
  const difference = 'with an empty `code_challenge`'
  const isOfSecond = target.secondApplication !== undefined
  const application = target.secondApplication ?? applicationOf(target)
  const { landing } = await once(sendWithEmptyChallenge, async () => {
    if (isOfSecond) await secondClient.control()
    return authorization.authorize('signed-in', { code_challenge: '' }, application, difference)
  })
  const requestText = `the valid request${isOfSecond ? ' of the second application' : ''} ${difference}`
  return { landing, requestText }
}
