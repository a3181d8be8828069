import { type CompletedLanding, codeOf } from '../../src/check/authorization/landing-content.ts'
import { expectRedirect, requireContent } from '../../src/check/authorization/landing-expectations.ts'
import { landingPhrase } from '../../src/check/authorization/landing-text.ts'
import { beforeSecondConsent, login } from '../../src/check/check-options.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import { silentWithoutConsent } from './consent.ts'
import { quotedNames, silentLogin } from './flaws.ts'
import { requireInteraction } from './interaction.ts'
import { check } from './requirements.ts'

const withoutSession = 'the valid request with prompt=none and an empty cookie jar'
const silentRequest =
  'the valid request of the second application with prompt=none, without which it shows a consent page'

check(
  'AUTHZ-PROMPT-NONE',
  '`prompt=none` without a session shows no page',
  login,
  async ({ authorization, refusals, expect }) => {
    expect.describeRequest(withoutSession)
    const { landing } = await refusals.landingOf(silentLogin)
    await requireInteraction({ authorization }, landing)
    expectSilentRefusal(expect, landing)
  },
)

check(
  'AUTHZ-PROMPT-NONE-ERROR',
  `\`prompt=none\` without a session is refused with ${quotedNames(silentLogin.errors)}`,
  login,
  async ({ authorization, authorizationErrors, refusals, expect }) => {
    expect.describeRequest(withoutSession)
    const { landing } = await refusals.landingOf(silentLogin)
    await requireInteraction({ authorization }, landing)
    await expectInteractionError({ authorizationErrors }, 'AUTHZ-PROMPT-NONE', landing)
  },
)

check(
  'AUTHZ-PROMPT-NONE-CONSENT',
  '`prompt=none` without consent shows no page',
  beforeSecondConsent,
  async ({ expect, run, authorization, once, target }) => {
    expect.describeRequest(silentRequest)
    expectSilentRefusal(expect, await silentWithoutConsent({ run, authorization, once, target }))
  },
)

check(
  'AUTHZ-PROMPT-NONE-CONSENT-ERROR',
  `\`prompt=none\` without consent is refused with ${quotedNames(silentLogin.errors)}`,
  beforeSecondConsent,
  async ({ expect, run, authorization, authorizationErrors, once, target }) => {
    expect.describeRequest(silentRequest)
    const landing = await silentWithoutConsent({ run, authorization, once, target })
    await expectInteractionError({ authorizationErrors }, 'AUTHZ-PROMPT-NONE-CONSENT', landing)
  },
)

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
  await authorizationErrors.expectRefusedAs(
    { requirement, errorRequirement: `${requirement}-ERROR` },
    landing,
    silentLogin.errors,
  )
}
