import { randomBytes } from 'node:crypto'
import { unknownToken } from '../../src/check/bad-tokens.ts'
import {
  login,
  loginAndBadCredentials,
  loginAndCredentialProbes,
  loginWithSecond,
} from '../../src/check/check-options.ts'
import { describe, isPermittedError, issuesNothing } from '../../src/check/expect.ts'
import { refusalOf } from '../../src/check/tokens/refused-request.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import { checkRefusalAndError } from './refusal-checks.ts'
import { check } from './requirements.ts'

check(
  'TOKEN-GRANT-CLIENT-CREDENTIALS',
  'the grant `client_credentials` is refused with the documented status and error',
  login,
  async ({ sharedRequests, tokenErrors, expect }) => {
    expect.describeRequest('`grant_type=client_credentials` with the credentials of the application')
    const response = await sharedRequests.clientCredentials()
    if (!issuesNothing(response))
      return inconclusive('the request was not refused', ['PLATFORM-MACHINE-TO-MACHINE'])
    await tokenErrors.expectOneOf('TOKEN-GRANT-CLIENT-CREDENTIALS', response, [
      [400, 'unsupported_grant_type'],
    ])
  },
)

checkRefusalAndError('TOKEN-GRANT-PASSWORD', {
  options: loginAndCredentialProbes,
  requestText: 'grant_type=password with a user and a password that do not exist',
  send: async ({ identityProvider, target, tokens }) => {
    await tokens.control()
    return identityProvider.token([
      ['grant_type', 'password'],
      ['username', `plumbline-${randomBytes(8).toString('hex')}`],
      ['password', randomBytes(16).toString('hex')],
      ['scope', target.scope],
    ])
  },
})

checkRefusalAndError('TOKEN-GRANT-UNKNOWN', {
  options: login,
  requestText: 'a grant type that does not exist, with the credentials of the application',
  send: async ({ identityProvider, tokens }) => {
    await tokens.control()
    return identityProvider.token([['grant_type', 'urn:plumbline:grant:none']])
  },
})

check(
  'TOKEN-GRANT-OTHERS',
  'the response to the grant `jwt-bearer` is recorded',
  loginAndBadCredentials,
  async ({ tokens, identityProvider, observe }) => {
    await tokens.control()
    const response = await identityProvider.token([
      ['grant_type', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
      // In the form of a JWT, without claims.
      ['assertion', `${unknownToken}.e30.none`],
    ])
    observe('token.grant.jwt-bearer', describe(response))
  },
)

check(
  'TOKEN-GRANT-UNAUTHORIZED',
  'a refresh by an application without the refresh grant is refused',
  { ...loginWithSecond, effects: ['login', 'bad-credentials'] },
  async ({ run, tokens, tokenErrors, secondClient, expect, target: { secondApplication } }) => {
    // Control: the target accepts a valid code exchange.
    await tokens.control()
    if ((await secondClient.tokens()).refreshToken !== undefined) {
      return notApplicable(
        'the second application receives refresh tokens; set SECOND_CLIENT_ID to an application that may not refresh',
      )
    }
    expect.describeRequest('a refresh with the credentials of an application without the refresh grant')
    const permitted = [
      [400, 'unauthorized_client'],
      [400, 'invalid_grant'],
    ] as const
    // Sends the refresh again if the refusal may be temporary, such as a lock of the client.
    const response = await refusalOf(
      { run, tokens },
      () => tokens.refresh(unknownToken, secondApplication),
      (refused) => isPermittedError(refused, ...permitted),
      secondApplication,
    )
    expect.refused(response)
    await tokenErrors.expectOneOf('TOKEN-GRANT-UNAUTHORIZED', response, permitted, secondApplication)
  },
)
