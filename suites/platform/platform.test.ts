import { describe, kindOf } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { codeOf, describeLanding, errorOf, expectErrorNamed } from '../../src/check/landing.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

check(
  'PLATFORM-REDIRECT-MISMATCH',
  'an unregistered redirect URI is answered 400 or 302',
  login,
  async ({ expect, inconclusive, authorization }) => {
    const landing = await mismatch({ authorization, expect, inconclusive })
    if (landing.kind !== 'redirect' && landing.kind !== 'page') {
      return inconclusive(`${describeLanding(landing)}, which does not tell`)
    }
    // A 302 may lead to an error page of the provider, whose own status is then its business.
    const documented =
      landing.kind === 'redirect' ? landing.status === 302 : landing.status === 400 || landing.redirected
    expect.that(documented, 'status 400, or a 302', `${describeLanding(landing)} (status ${landing.status})`)
  },
)

check(
  'PLATFORM-REDIRECT-MISMATCH-ERROR',
  'an unregistered redirect URI, where it is refused by a redirect, is named as such',
  login,
  async ({ notApplicable, expect, authorization, inconclusive }) => {
    const landing = await mismatch({ authorization, expect, inconclusive })
    const error = errorOf(landing)
    if (error === undefined) return notApplicable('the refusal is no redirect with an error', 'target')
    expectErrorNamed(expect, landing, 'redirect_uri_mismatch', 'invalid_request')
  },
)

check(
  'PLATFORM-MACHINE-TO-MACHINE',
  'client_credentials brings no token',
  login,
  async ({ sharedRequests, expect }) => {
    expect.sending('grant_type=client_credentials with the credentials of the application')
    const response = await sharedRequests.clientCredentials()
    expect.that(
      response.object?.access_token === undefined,
      'a refusal without a token',
      `it was answered ${describe(response)}`,
    )
  },
)

check('PLATFORM-NOT-FOUND', 'an address that does not exist is answered 404', async ({ events, expect }) => {
  const response = await events.answerElsewhere()
  expect.status(response, 404)
  events.disclosesNoEvent(response)
})

check(
  'PLATFORM-FEATURE-DISABLED',
  'FEATURE_DISABLED comes with status 403',
  { needs: ['unentitledPartner'] },
  async ({ expect, events, target, notApplicable }) => {
    expect.status(await featureDisabled({ events, target, notApplicable }), 403)
  },
)

check(
  'PLATFORM-FEATURE-DISABLED-MESSAGE',
  'FEATURE_DISABLED comes with a message',
  { needs: ['unentitledPartner'] },
  async ({ expect, events, target, notApplicable }) => {
    const { message } = expect.object(await featureDisabled({ events, target, notApplicable }))
    expect.that(typeof message === 'string', 'message as a string', `it was ${kindOf(message)}`)
  },
)

/** Where the shared request with another host in its redirect URI ends. */
async function mismatch({
  authorization,
  expect,
  inconclusive,
}: Pick<CheckContext, 'authorization' | 'expect' | 'inconclusive'>) {
  const altered = await authorization.withAlteredRedirectUri('host')
  if (!altered) return inconclusive('the host of REDIRECT_URI cannot be altered', 'configuration')
  expect.sending('a good request whose redirect URI has another host')
  const { landing } = altered
  if (codeOf(landing) !== undefined)
    return inconclusive('a code was issued', { dependsOn: ['AUTHZ-REDIRECT-URI-HOST'] })
  return landing
}

/** The shared answer to a partner without the Event Hub, where it names FEATURE_DISABLED. */
async function featureDisabled({
  events,
  target,
  notApplicable,
}: Pick<CheckContext, 'events' | 'target' | 'notApplicable'>) {
  const { unentitledPartner } = target
  if (!unentitledPartner) return notApplicable('needs a partner without the Event Hub')
  const response = await events.answerToUnentitled(unentitledPartner)
  if (response.object?.type !== 'FEATURE_DISABLED')
    return notApplicable('the refusal of the unentitled partner does not name FEATURE_DISABLED', 'target')
  return response
}
