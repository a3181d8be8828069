import { type CompletedLanding, codeInQuery, errorOf } from '../../src/check/authorization/landing-content.ts'
import { landingPhrase } from '../../src/check/authorization/landing-text.ts'
import { reservedState } from '../../src/check/authorization/long-state.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { Inconclusive, NotApplicable, notApplicable } from '../../src/check/verdict.ts'

/** The fixtures for requests that need the user's consent. */
type BeforeConsent = Pick<CheckContext, 'run' | 'authorization' | 'once' | 'target'>

/**
 * Sends a request of the second application once per run. The user refuses consent. The state has reserved characters,
 * for AUTHZ-ERROR-STATE.
 * @throws {NotApplicable} if the request shows no consent page, or if the user may have consented earlier in the run
 */
export function refusedConsent(context: BeforeConsent): Promise<CompletedLanding> {
  const { run, authorization, once, target } = context
  const difference = 'for which the user refuses consent'
  return once(refusedConsent, async () => {
    requireNoConsent(context)
    const changes = { state: reservedState() }
    const sent = await authorization.authorize('denying', changes, target.secondApplication, difference)
    const cancelledAt = run.browser.cancelledAt.get(sent.request)
    if (cancelledAt !== 'consent-page')
      noConsentPage(cancelledAt === undefined ? sent.landing : { kind: cancelledAt })
    return sent.landing
  })
}

/**
 * Sends a request of the second application with `prompt=none` once per run, before the user has given consent.
 * @throws {NotApplicable} as `refusedConsent` does
 */
export function silentWithoutConsent(context: BeforeConsent): Promise<CompletedLanding> {
  const { authorization, once, target } = context
  const difference = 'with prompt=none and without consent'
  return once(silentWithoutConsent, async () => {
    requireNoConsent(context)
    await requireConsentPage(context)
    const changes = { prompt: 'none' }
    const sent = await authorization.authorize('passive', changes, target.secondApplication, difference)
    // The target may remember that the user has just refused consent.
    if (errorOf(sent.landing) === 'access_denied') await requireConsentPageNow(context)
    return sent.landing
  })
}

function requireNoConsent({ run, target }: BeforeConsent): void {
  if (run.authorizationLog.mayHaveConsentedTo.has(target.secondApplication?.id ?? ''))
    notApplicable(
      'needs a user who has not consented to the second application, but an earlier check gave consent',
      'environment',
    )
}

/** Requires that the target shows a consent page. Sends the request of `refusedConsent` first. */
async function requireConsentPage(context: BeforeConsent): Promise<void> {
  try {
    await refusedConsent(context)
  } catch (error) {
    if (error instanceof NotApplicable || !(error instanceof Inconclusive)) throw error
    // A consent page need not offer a way to refuse consent.
    await requireConsentPageNow(context)
  }
}

async function requireConsentPageNow(context: BeforeConsent): Promise<void> {
  const { authorization, target } = context
  const { landing } = await authorization.authorize('passive', {}, target.secondApplication)
  if (landing.kind !== 'consent-page') noConsentPage(landing)
}

function noConsentPage(landing: CompletedLanding): never {
  const isGiven = codeInQuery(landing) !== undefined
  const ended = `needs a consent page of the second application, but its request ended at ${landingPhrase(landing)}`
  if (isGiven)
    notApplicable(
      `${ended}: the provider needs no consent, or remembers the consent that an earlier run gave; withdraw the consent at the provider to check this`,
      'environment',
    )
  return notApplicable(ended, 'target')
}
