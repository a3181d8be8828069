import type { CheckContext } from '../../src/check/fixtures.ts'
import {
  codeOf,
  describeLanding,
  errorOf,
  expectErrorNamed,
  expectRedirect,
  refuseNameless,
} from '../../src/check/landing.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const
const withSecond = { effects: ['login'], needs: ['user', 'secondApplication'] } as const
const interactionErrors = ['login_required', 'interaction_required', 'consent_required']

check(
  'AUTHZ-PROMPT-NONE',
  'prompt=none without a session shows no page',
  login,
  async ({ expect, authorization, once }) => {
    expect.sending('a good request with prompt=none and a fresh cookie jar')
    const landing = await silentStranger({ authorization, once })
    refuseNameless(expectRedirect(expect, landing))
    expect.that(codeOf(landing) === undefined, 'an error', describeLanding(landing))
  },
)

check(
  'AUTHZ-PROMPT-NONE-ERROR',
  'prompt=none without a session is told to be in need of a login',
  login,
  async ({ expect, inconclusive, authorization, once }) => {
    expect.sending('a good request with prompt=none and a fresh cookie jar')
    const landing = await silentStranger({ authorization, once })
    if (errorOf(landing) === undefined)
      return inconclusive(`${describeLanding(landing)}`, { dependsOn: ['AUTHZ-PROMPT-NONE'] })
    expectErrorNamed(expect, landing, ...interactionErrors)
  },
)

check(
  'AUTHZ-PROMPT-NONE-SESSION',
  'prompt=none in a session brings a code without any page',
  login,
  async ({ authorization, expect, notApplicable }) => {
    const { landing: control } = await authorization.repeated()
    expect.sending('a good request with prompt=none in a session that has just brought a code')
    const { landing } = await authorization.authorize('onlooker', { prompt: 'none' })
    const redirect = expectRedirect(expect, landing)
    if (codeOf(control) === undefined) {
      return notApplicable(
        `needs a session without interaction, but without prompt ${describeLanding(control)}`,
        'target',
      )
    }
    expect.that(codeOf(redirect) !== undefined, 'a code', describeLanding(redirect))
  },
)

check(
  'AUTHZ-PROMPT-NONE-CONSENT',
  'prompt=none without consent shows no page',
  withSecond,
  async ({ expect, authorization, once, target, notApplicable }) => {
    const landing = await silentWithoutConsent({ authorization, once, target, expect, notApplicable })
    refuseNameless(expectRedirect(expect, landing))
    expect.that(codeOf(landing) === undefined, 'an error', describeLanding(landing))
  },
)

check(
  'AUTHZ-PROMPT-NONE-CONSENT-ERROR',
  'prompt=none without consent is told to be in need of it',
  withSecond,
  async ({ expect, inconclusive, authorization, once, target, notApplicable }) => {
    const landing = await silentWithoutConsent({ authorization, once, target, expect, notApplicable })
    if (errorOf(landing) === undefined)
      return inconclusive(`${describeLanding(landing)}`, { dependsOn: ['AUTHZ-PROMPT-NONE-CONSENT'] })
    expectErrorNamed(expect, landing, ...interactionErrors)
  },
)

async function silentStranger({ authorization, once }: Pick<CheckContext, 'authorization' | 'once'>) {
  await authorization.firstCode()
  const { landing } = await once('silent stranger', () =>
    authorization.authorize('nobody', { prompt: 'none' }),
  )
  return landing
}

/** Where prompt=none ends for the second application; the same request without prompt shows its consent page. */
async function silentWithoutConsent({
  authorization,
  once,
  target,
  expect,
  notApplicable,
}: Pick<CheckContext, 'authorization' | 'once' | 'target' | 'expect' | 'notApplicable'>) {
  const second = target.secondApplication
  const { landing: control } = await once('second application', () =>
    authorization.authorize('onlooker', {}, second),
  )
  if (control.kind !== 'consent-page')
    return notApplicable(
      `needs a consent page of the second application, but ${describeLanding(control)}`,
      'target',
    )
  expect.sending(
    'a good request of the second application with prompt=none, where a consent page would be shown',
  )
  const { landing } = await once('silent second application', () =>
    authorization.authorize('onlooker', { prompt: 'none' }, second),
  )
  return landing
}
