import { type CompletedLanding, errorOf } from '../../src/check/authorization/landing-content.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { Changes } from '../../src/oauth/authorization-request.ts'
import { applicationOf } from '../../src/target/parts.ts'
import { methodPlain, pkceOmitted, silentLogin } from './flaws.ts'

// Requests of the second application with a flaw in PKCE, because a target may require PKCE only of the first
// application. Each request is sent once per run.

type Sending = Pick<CheckContext, 'authorization' | 'secondClient' | 'once' | 'target' | 'expect'>

/** A request with its landing. */
interface Sent {
  readonly landing: CompletedLanding
  /** Follows the word "request". */
  readonly difference: string
}

/** Sends a request without PKCE: first with prompt=none, then without prompt if the target needs to show a page. */
export async function sendWithoutPkce(steps: Sending): Promise<CompletedLanding> {
  const sent = await steps.once(sendWithoutPkce, async () => {
    const silentChanges = { ...pkceOmitted, prompt: 'none' }
    const silent = await send(steps, silentChanges, 'without PKCE and with prompt=none')
    const error = errorOf(silent.landing)
    const needsPage = silentLogin.errors.some((name) => name === error)
    return needsPage ? send(steps, pkceOmitted, 'without PKCE') : silent
  })
  return described(steps, sent)
}

/** Sends a request with the challenge method `plain`. */
export async function sendWithMethodPlain(steps: Sending): Promise<CompletedLanding> {
  const sent = await steps.once(sendWithMethodPlain, () =>
    send(steps, methodPlain.changes(), methodPlain.difference),
  )
  return described(steps, sent)
}

/** Sends a request with an empty `code_challenge`. */
export async function sendWithEmptyChallenge(steps: Sending): Promise<CompletedLanding> {
  const sent = await steps.once(sendWithEmptyChallenge, () =>
    send(steps, { code_challenge: '' }, 'with an empty `code_challenge`'),
  )
  return described(steps, sent)
}

/** Sends a request of the second application, or of the first application if there is no second one. */
async function send(
  { authorization, secondClient, target }: Sending,
  changes: Changes,
  flaw: string,
): Promise<Sent> {
  const { secondApplication } = target
  if (secondApplication) await secondClient.control()
  const difference = secondApplication ? `of the second application ${flaw}` : flaw
  const application = secondApplication ?? applicationOf(target)
  const { landing } = await authorization.authorize('signed-in', changes, application, difference)
  return { landing, difference }
}

/** Describes the request for findings. @returns the landing */
function described({ expect }: Sending, { landing, difference }: Sent): CompletedLanding {
  expect.describeRequest(`the valid request ${difference}`)
  return landing
}
