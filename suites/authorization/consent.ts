import type { CheckContext } from '../../src/check/fixtures.ts'
import { landingPhrase } from '../../src/check/landing.ts'

/**
 * Requires that a request of the second application shows a consent page, in the session of the signed-in user.
 * @throws {NotApplicable} if it does not
 */
export async function requireConsentPage({
  authorization,
  once,
  target,
  notApplicable,
}: Pick<CheckContext, 'authorization' | 'once' | 'target' | 'notApplicable'>): Promise<void> {
  const { landing } = await once('second application', () =>
    authorization.authorize('passive', {}, target.secondApplication),
  )
  if (landing.kind !== 'consent-page')
    notApplicable(
      `needs a consent page of the second application, but its request ended at ${landingPhrase(landing)}`,
      'target',
    )
}
