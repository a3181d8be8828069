import { codeOf, errorOf } from '../../src/check/authorization/landing-content.ts'
import { landingSentence } from '../../src/check/authorization/landing-text.ts'
import { login } from '../../src/check/check-options.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import { expectMismatchError, expectMismatchStatus, type Mismatch, mismatchIn } from './redirect-mismatch.ts'
import { check } from './requirements.ts'

check(
  'PLATFORM-REDIRECT-MISMATCH',
  'the response to an unregistered redirect URI has status 400 or 302',
  login,
  async ({ expect, authorization }) => {
    expectMismatchStatus(expect, await addressMismatch(authorization))
  },
)

check(
  'PLATFORM-REDIRECT-MISMATCH-ERROR',
  'a redirect that refuses an unregistered redirect URI has a documented error',
  login,
  async (context) => {
    const mismatch = await addressMismatch(context.authorization)
    if (errorOf(mismatch.landing) === undefined)
      return notApplicable(
        'concerns only a redirect with an error name; the target refused in another way, which is permitted',
        'target',
      )
    await expectMismatchError(context, mismatch)
  },
)

check(
  'PLATFORM-MACHINE-TO-MACHINE',
  'the grant `client_credentials` returns no token',
  login,
  async ({ sharedRequests, expect }) => {
    expect.describeRequest('`grant_type=client_credentials` with the credentials of the application')
    const response = await sharedRequests.clientCredentials()
    expect.issuesNothing(response)
  },
)

check(
  'PLATFORM-NOT-FOUND',
  'a request for an address that does not exist returns 404',
  { needs: ['partnerApiUrl', 'partner'] },
  async ({ events }) => {
    const response = await events.searchUnknownPath()
    events.expectRefusal(response, 404)
  },
)

/**
 * The refusal of a redirect URI that differs from the registered one in its host, or in its path if it has no host.
 * @throws {Inconclusive} if the altered redirect URI is not refused
 */
async function addressMismatch(authorization: CheckContext['authorization']): Promise<Mismatch> {
  const altered =
    (await authorization.withAlteredRedirectUri('host')) ??
    (await authorization.withAlteredRedirectUri('path'))
  if (!altered) return inconclusive('REDIRECT_URI cannot be altered', { variables: ['REDIRECT_URI'] })
  const mismatch = mismatchIn(altered)
  if (mismatch) return mismatch
  return codeOf(altered.landing) === undefined
    ? inconclusive(`${landingSentence(altered.landing)}, which is neither a refusal nor a code`)
    : inconclusive('a code was issued', ['AUTHZ-REDIRECT-URI-HOST', 'AUTHZ-REDIRECT-URI-PATH'])
}
