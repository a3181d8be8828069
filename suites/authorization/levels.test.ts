import { codeOf, errorOf, isFinalPage } from '../../src/check/authorization/landing-content.ts'
import { landingLabel, landingPhrase } from '../../src/check/authorization/landing-text.ts'
import { requireLevelOrder } from '../../src/check/authorization/level-order.ts'
import { login, loginWithLevel } from '../../src/check/check-options.ts'
import { kindOf } from '../../src/check/expect.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import { reachesLevel } from '../../src/oauth/id-token.ts'
import { unknownLevel } from './level-steps.ts'
import { check } from './requirements.ts'

for (const { id, key, parameter } of [
  { id: 'AUTHZ-ACR-VALUES', key: 'authorization.acr-values-unknown', parameter: 'acr_values' },
  { id: 'AUTHZ-AUTH-LEVEL', key: 'authorization.auth-level-unknown', parameter: 'auth_level' },
] as const) {
  check(id, `the response to an unknown \`${parameter}\` is recorded`, login, async ({ levels, observe }) => {
    observe(key, landingLabel((await levels.unknown(parameter)).landing))
  })

  check(
    'AUTHZ-LEVEL-CLAIMED',
    `an ID token does not claim an unknown \`${parameter}\``,
    login,
    async ({ levels, expect }) => {
      expect.describeRequest(`the valid request with ${parameter}=${unknownLevel}`)
      const authorization = await levels.unknown(parameter)
      if (!levels.issued(authorization))
        return notApplicable(
          `applies only if the target issues a code despite an unknown value of ${parameter}; it issued none, which is permitted`,
          'target',
        )
      const { acr } = await levels.claims(authorization)
      expect.that(
        acr !== unknownLevel,
        'an ID token with a different acr, or a refusal',
        `acr=${unknownLevel}`,
      )
    },
  )
}

check(
  'AUTHZ-AUTH-LEVEL',
  'the response to the required `auth_level` is recorded',
  loginWithLevel,
  async ({ authorization, observe }) => {
    const { landing } = await authorization.unusual('auth_level in place of acr_values')
    observe('authorization.auth-level-response', landingLabel(landing))
  },
)

check(
  'AUTHZ-AUTH-LEVEL',
  'the `acr` that the highest `auth_level` returns is recorded',
  loginWithLevel,
  async ({ levels, target: { acrOrder }, observe }) => {
    const highest = await levels.highest('auth_level')
    const reached = levels.issued(highest.authorization)
      ? reachesLevel(await levels.claims(highest.authorization), highest.level, acrOrder)
      : landingLabel(highest.authorization.landing)
    observe('authorization.auth-level-highest', reached)
  },
)

check(
  'AUTHZ-ACR-UNMET',
  'the refusal of unknown `acr_values` has a documented error',
  login,
  async ({ levels, authorizationErrors, expect, note }) => {
    expect.describeRequest(`the valid request with acr_values=${unknownLevel}`)
    const { landing } = await levels.unknown('acr_values')
    const error = errorOf(landing)
    if (error === undefined && !isFinalPage(landing))
      return notApplicable(
        'needs a refusal of unknown acr_values, which is optional; the target accepts or ignores them',
        'target',
      )
    const names = ['unmet_authentication_requirements', 'access_denied', 'invalid_request']
    await authorizationErrors.expectNamed('AUTHZ-ACR-UNMET', landing, names)
    if (error !== 'unmet_authentication_requirements')
      note(`the outcome of unknown acr_values is ${landingLabel(landing)}`)
  },
)

for (const { id, parameter, error, other } of [
  {
    id: 'AUTHZ-ACR-UNMET',
    parameter: 'acr_values',
    error: 'unmet_authentication_requirements',
    other: 'access_denied',
  },
  {
    id: 'AUTHZ-AUTH-LEVEL-UNMET',
    parameter: 'auth_level',
    error: 'access_denied',
    other: 'unmet_authentication_requirements',
  },
] as const) {
  check(
    id,
    `a refusal of the highest \`${parameter}\`, which the user cannot reach, has a documented error`,
    loginWithLevel,
    async ({ levels, authorizationErrors, expect, note }) => {
      expect.describeRequest(`the valid request with ${parameter} set to the highest level of ACR_ORDER`)
      const { landing } = (await levels.highest(parameter)).authorization
      if (errorOf(landing) === undefined && !isFinalPage(landing))
        return notApplicable(
          `needs a user who cannot reach the highest level, but the request ended at ${landingPhrase(landing)}`,
        )
      const names = [error, other]
      if (!names.some((name) => name === errorOf(landing))) await levels.requireLogin()
      await authorizationErrors.expectNamed(id, landing, names)
      if (errorOf(landing) === other) note(`a ${parameter} that cannot be met is refused with ${other}`)
    },
  )
}

check(
  'AUTHZ-ACR-LOWERED',
  'a code for the highest `acr_values` returns an ID token of that level',
  loginWithLevel,
  async (context) => {
    const { levels, target, expect, note } = context
    expect.describeRequest('the valid request with `acr_values` set to the highest level of ACR_ORDER')
    const { level, authorization } = await levels.highest('acr_values')
    if (!levels.issued(authorization))
      return notApplicable(
        'applies only if the target issues a code for acr_values with the highest level of ACR_ORDER; it issued none, which is permitted',
        'target',
      )
    const claims = await levels.claims(authorization)
    const reached = reachesLevel(claims, level, target.acrOrder)
    if (reached === 'unknown') return notApplicable('needs ACR_ORDER to contain the acr of the ID token')
    if (reached === 'below') await requireLevelOrder(context.run, context.authorization)
    if (reached === 'reached') note('the login of TEST_USER reaches the highest level of ACR_ORDER')
    expect.that(
      reached === 'reached',
      'a refusal, or an ID token whose acr is not below acr_values',
      typeof claims.acr === 'string'
        ? 'an ID token of a weaker level'
        : `an ID token whose acr is ${kindOf(claims.acr)}`,
    )
  },
)

check(
  'AUTHZ-LEVEL-OPTIONAL',
  'a request without a level returns a code',
  loginWithLevel,
  async ({ authorization, expect }) => {
    expect.describeRequest('the valid request without `acr_values` and `auth_level`')
    const { landing } = await authorization.unusual('no acr_values')
    if (landing.kind !== 'redirect')
      return inconclusive(`the request ended at ${landingPhrase(landing)}, which may ask for a level`)
    expect.that(codeOf(landing) !== undefined, 'a redirect with a code', landingPhrase(landing))
  },
)
