import type { Authorization } from '../../src/check/authorization-steps.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { codeOf, describeLanding, errorOf, expectErrorNamed, outcomeOf } from '../../src/check/landing.ts'
import { Unfinished } from '../../src/check/transient.ts'
import { Inconclusive } from '../../src/check/verdict.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const
const withLevel = { effects: ['login'], needs: ['user', 'requiredAcr'] } as const
const unknownLevel = 'urn:plumbline:no-such-level'

check(
  'AUTHZ-ACR-VALUES',
  'what becomes of an unknown value is recorded',
  login,
  async ({ observe, authorization, once }) => {
    observe(
      'authorization.acr-values-unknown',
      outcomeOf((await withUnknownAcr({ authorization, once })).landing),
    )
  },
)

check(
  'AUTHZ-AUTH-LEVEL',
  'what becomes of an unknown level is recorded',
  login,
  async ({ authorization, observe }) => {
    const { landing } = await authorization.authorize('passive', {
      acr_values: null,
      auth_level: unknownLevel,
    })
    observe('authorization.auth-level-unknown', outcomeOf(landing))
  },
)

check(
  'AUTHZ-AUTH-LEVEL',
  'what becomes of the required level is recorded',
  withLevel,
  async ({ authorization, target, observe }) => {
    const { landing } = await authorization.authorize('passive', {
      acr_values: null,
      auth_level: target.requiredAcr ?? null,
    })
    observe('authorization.auth-level-required', outcomeOf(landing))
  },
)

check(
  'AUTHZ-ACR-UNMET',
  'an unknown value, where it is refused, is refused as unmet',
  login,
  async ({ expect, note, notApplicable, authorization, once }) => {
    expect.sending('a good request with acr_values that nobody knows')
    const { landing } = await withUnknownAcr({ authorization, once })
    const error = errorOf(landing)
    if (error === undefined) return notApplicable('unknown acr_values are not refused here', 'target')
    expectErrorNamed(expect, landing, 'unmet_authentication_requirements', 'access_denied', 'invalid_request')
    if (error !== 'unmet_authentication_requirements')
      note(`unknown acr_values come to ${outcomeOf(landing)}`)
  },
)

for (const { id, parameter, refusal, other } of [
  {
    id: 'AUTHZ-ACR-UNMET',
    parameter: 'acr_values',
    refusal: 'unmet_authentication_requirements',
    other: 'access_denied',
  },
  {
    id: 'AUTHZ-AUTH-LEVEL-UNMET',
    parameter: 'auth_level',
    refusal: 'access_denied',
    other: 'unmet_authentication_requirements',
  },
] as const) {
  check(
    id,
    `the highest ${parameter}, where the user cannot reach it, is refused`,
    withLevel,
    async ({ expect, note, authorization, target, notApplicable }) => {
      const landing = await refusalOfHighest({ authorization, target, expect, notApplicable }, parameter)
      expectErrorNamed(expect, landing, refusal, other)
      if (errorOf(landing) === other) note(`${parameter} that cannot be met is refused as ${other}`)
    },
  )
}

check(
  'AUTHZ-LEVEL-OPTIONAL',
  'a request without a level brings a code',
  withLevel,
  async ({ authorization, expect, inconclusive }) => {
    expect.sending('a good request without acr_values and auth_level')
    const { landing } = await authorization.authorize('signed-in', { acr_values: null })
    if (landing.kind !== 'redirect') return inconclusive(`${describeLanding(landing)}, which does not tell`)
    expect.that(codeOf(landing) !== undefined, 'a code', describeLanding(landing))
  },
)

function withUnknownAcr({ authorization, once }: Pick<CheckContext, 'authorization' | 'once'>) {
  return once('unknown acr_values', () => authorization.authorize('passive', { acr_values: unknownLevel }))
}

/** The refusal of the highest level of ACR_ORDER to a user who signs in anew. */
async function refusalOfHighest(
  {
    authorization,
    target,
    expect,
    notApplicable,
  }: Pick<CheckContext, 'authorization' | 'target' | 'expect' | 'notApplicable'>,
  parameter: 'acr_values' | 'auth_level',
): Promise<Authorization['landing']> {
  const highest = target.acrOrder?.at(-1)
  if (highest === undefined || highest === target.requiredAcr)
    return notApplicable('needs ACR_ORDER with a level above REQUIRED_ACR')
  await authorization.firstCode()
  expect.sending(`a good request with ${parameter} set to the highest level of ACR_ORDER`)
  try {
    const { landing } = await authorization.authorize('new-login', { acr_values: null, [parameter]: highest })
    if (errorOf(landing) !== undefined) return landing
    return notApplicable(`needs a user whom the highest level is refused, but ${describeLanding(landing)}`)
  } catch (error) {
    // A page that offers another factor is a right answer too, and nobody has described it in a login recipe.
    const isPage = error instanceof Inconclusive && !(error instanceof Unfinished && error.failure)
    if (isPage && error.cause === 'configuration')
      return notApplicable(`needs a user whom the highest level is refused, but ${error.message}`)
    throw error
  }
}
