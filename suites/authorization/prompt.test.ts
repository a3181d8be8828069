import { type CompletedLanding, codeOf } from '../../src/check/authorization/landing-content.ts'
import { expectRedirect, requireContent } from '../../src/check/authorization/landing-expectations.ts'
import { landingPhrase } from '../../src/check/authorization/landing-text.ts'
import { beforeSecondConsent, login } from '../../src/check/check-options.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import { silentWithoutConsent } from './consent.ts'
import { quotedNames, silentLogin } from './flaws.ts'
import { requireInteraction } from './interaction.ts'
import { type AuthorizationContext, check } from './requirements.ts'

const silentRequest =
  'the valid request of the second application with prompt=none; without prompt, the target shows a consent page'

check('AUTHZ-PROMPT-NONE', '`prompt=none` without a session shows no page', login, async (context) => {
  expectSilentRefusal(context.expect, await silentWithoutSession(context))
})

check(
  'AUTHZ-PROMPT-NONE-ERROR',
  `\`prompt=none\` without a session is refused with ${quotedNames(silentLogin.errors)}`,
  login,
  async (context) => {
    await expectInteractionError(context, 'AUTHZ-PROMPT-NONE', await silentWithoutSession(context))
  },
)

check(
  'AUTHZ-PROMPT-NONE-CONSENT',
  '`prompt=none` without consent shows no page',
  beforeSecondConsent,
  async (context) => {
    context.expect.describeRequest(silentRequest)
    expectSilentRefusal(context.expect, await silentWithoutConsent(context))
  },
)

check(
  'AUTHZ-PROMPT-NONE-CONSENT-ERROR',
  `\`prompt=none\` without consent is refused with ${quotedNames(silentLogin.errors)}`,
  beforeSecondConsent,
  async (context) => {
    context.expect.describeRequest(silentRequest)
    await expectInteractionError(context, 'AUTHZ-PROMPT-NONE-CONSENT', await silentWithoutConsent(context))
  },
)

/** The landing of a request with prompt=none and without a session. */
async function silentWithoutSession(context: AuthorizationContext): Promise<CompletedLanding> {
  context.expect.describeRequest('the valid request with prompt=none and an empty cookie jar')
  const landing = await context.refusals.landingOf(silentLogin)
  await requireInteraction(context, landing)
  return landing
}

function expectSilentRefusal(expect: CheckContext['expect'], landing: CompletedLanding): void {
  const redirect = expectRedirect(expect, landing)
  requireContent(redirect)
  expect.that(codeOf(redirect) === undefined, 'a redirect with an error', landingPhrase(redirect))
}

async function expectInteractionError(
  { authorizationErrors }: Pick<CheckContext, 'authorizationErrors'>,
  requirement: 'AUTHZ-PROMPT-NONE' | 'AUTHZ-PROMPT-NONE-CONSENT',
  landing: CompletedLanding,
): Promise<void> {
  if (landing.kind !== 'redirect')
    return inconclusive(`no error to judge: the request ended at ${landingPhrase(landing)}`, [requirement])
  await authorizationErrors.expectRefusedAs(requirement, landing, silentLogin.errors)
}
