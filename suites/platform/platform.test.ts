import { describe } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { codeOf, errorOf, landingSentence } from '../../src/check/landing.ts'
import { login } from '../../src/check/options.ts'
import { check } from './requirements.ts'

check(
  'PLATFORM-REDIRECT-MISMATCH',
  'the response to an unregistered redirect URI has status 400 or 302',
  login,
  async ({ expect, inconclusive, authorization }) => {
    const landing = await mismatch({ authorization, expect, inconclusive })
    if (landing.kind !== 'redirect' && landing.kind !== 'page') {
      return inconclusive(`${landingSentence(landing)}, which is neither`)
    }
    // A 302 may lead to an error page of the provider, whose own status is not specified.
    const documented =
      landing.kind === 'redirect' ? landing.status === 302 : landing.status === 400 || landing.redirected
    expect.that(documented, 'status 400, or a 302', `${landingSentence(landing)} (status ${landing.status})`)
  },
)

check(
  'PLATFORM-REDIRECT-MISMATCH-ERROR',
  'a redirect that refuses an unregistered redirect URI has a documented error',
  login,
  async ({ notApplicable, expect, authorization, authorizationErrors, inconclusive }) => {
    const landing = await mismatch({ authorization, expect, inconclusive })
    const error = errorOf(landing)
    if (error === undefined) return notApplicable('the refusal is not a redirect with an error', 'target')
    const names = ['redirect_uri_mismatch', 'invalid_request']
    await authorizationErrors.expectNamed('PLATFORM-REDIRECT-MISMATCH-ERROR', landing, names)
  },
)

check(
  'PLATFORM-MACHINE-TO-MACHINE',
  'the grant `client_credentials` returns no token',
  login,
  async ({ sharedRequests, expect }) => {
    expect.sending('`grant_type=client_credentials` with the credentials of the application')
    const response = await sharedRequests.clientCredentials()
    expect.that(response.object?.access_token === undefined, 'a refusal without a token', describe(response))
  },
)

check(
  'PLATFORM-NOT-FOUND',
  'a request for an address that does not exist returns 404',
  { needs: ['partnerApiUrl', 'partner'] },
  async ({ events }) => {
    const response = await events.responseElsewhere()
    events.rejected(response, 404)
  },
)

/** The landing of the shared request with another host in its redirect URI. */
async function mismatch({
  authorization,
  expect,
  inconclusive,
}: Pick<CheckContext, 'authorization' | 'expect' | 'inconclusive'>) {
  const altered = await authorization.withAlteredRedirectUri('host')
  if (!altered) return inconclusive('the host of REDIRECT_URI cannot be altered', 'configuration')
  expect.sending(`the valid request whose redirect URI is the registered one ${altered.how}`)
  const { landing } = altered
  if (codeOf(landing) !== undefined)
    return inconclusive('a code was issued', { dependsOn: ['AUTHZ-REDIRECT-URI-HOST'] })
  return landing
}
