import type { CheckContext } from '../../src/check/fixtures.ts'
import { type Landing, landingPhrase } from '../../src/check/landing.ts'
import type { User } from '../../src/check/users.ts'
import type { Changes } from '../../src/oauth/authorization-request.ts'

/** What a check needs to send a request that needs the user's consent. */
export type BeforeConsent = Pick<CheckContext, 'run' | 'authorization' | 'once' | 'target' | 'notApplicable'>

/**
 * The landing of a request of the second application, to which the user has not consented; sent once per run.
 * @param difference follows the word "request"
 * @throws {NotApplicable} if the request without changes shows no consent page, or if the user may have consented
 * earlier in the run
 */
export function withoutConsent(
  context: BeforeConsent,
  user: User,
  difference: string,
  changes: Changes = {},
): Promise<Landing> {
  const { authorization, once, target } = context
  return once(`request ${difference}`, async () => {
    await requireConsentPage(context)
    return (await authorization.authorize(user, changes, target.secondApplication, difference)).landing
  })
}

async function requireConsentPage(context: BeforeConsent): Promise<void> {
  const { run, authorization, once, target, notApplicable } = context
  if (run.mayHaveConsentedTo.has(target.secondApplication?.id ?? ''))
    notApplicable(
      'needs a user who has not consented to the second application, but an earlier check gave that consent',
      'environment',
    )
  const { landing } = await once('second application', () =>
    authorization.authorize('passive', {}, target.secondApplication),
  )
  if (landing.kind === 'consent-page') return
  const isGiven = landing.kind === 'redirect' && landing.query.has('code')
  const ended = `needs a consent page of the second application, but its request ended at ${landingPhrase(landing)}`
  if (isGiven)
    notApplicable(
      `${ended}: the provider needs no consent, or remembers the one that an earlier run gave; withdraw it at the provider to check this`,
      'environment',
    )
  notApplicable(ended, 'target')
}
