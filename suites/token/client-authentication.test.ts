import { randomBytes } from 'node:crypto'
import { turns } from '../../src/check/check-options.ts'
import { describe } from '../../src/check/expect.ts'
import { clientAuthentication } from '../../src/oauth/client-authentication.ts'
import {
  exchangeBy,
  exchangeWithOtherMethod,
  exchangeWithWrongSecret,
  failedAuthentication,
  idInForm,
  noCredentials,
  secondExchangeWithOtherSecret,
  wrongCredentials,
  wrongCredentialsOfSecond,
} from './flawed-exchanges.ts'
import { checkRefusalAndError } from './refusal-checks.ts'
import { check } from './requirements.ts'

checkRefusalAndError('TOKEN-CLIENT-AUTH-METHOD', exchangeWithOtherMethod)

checkRefusalAndError('TOKEN-CLIENT-AUTH-MISSING', {
  options: failedAuthentication,
  requestText: 'an otherwise valid code exchange without client credentials',
  send: exchangeBy(noCredentials),
})

checkRefusalAndError('TOKEN-CLIENT-SECRET-MISSING', {
  options: failedAuthentication,
  requestText: 'an otherwise valid code exchange with `client_id` in the form and no secret',
  send: exchangeBy(idInForm),
})

checkRefusalAndError('TOKEN-CLIENT-UNKNOWN', {
  options: wrongCredentials,
  requestText: 'the valid code exchange by a client that does not exist',
  send: exchangeBy((application) => ({
    ...application,
    id: `plumbline-${randomBytes(8).toString('hex')}`,
    secret: randomBytes(24).toString('hex'),
  })),
})

checkRefusalAndError('TOKEN-CLIENT-SECRET', exchangeWithWrongSecret)

check(
  'TOKEN-CLIENT-SECRET-ERROR',
  'a wrong secret of the second application is refused with the documented status and error',
  { ...wrongCredentialsOfSecond, turn: turns.failingAuthentication },
  async ({ secondClient, tokenErrors, expect, target }) => {
    expect.describeRequest(secondExchangeWithOtherSecret)
    const response = await secondClient.invalidExchange('secret')
    await tokenErrors.expectPermitted('TOKEN-CLIENT-SECRET', response, target.secondApplication)
  },
)

check(
  'TOKEN-CLIENT-AUTH-BOTH',
  'the response to both methods in one request is recorded',
  failedAuthentication,
  async (context) => {
    const send = exchangeBy((application) => ({
      headers: clientAuthentication(application, 'client_secret_basic').headers,
      form: clientAuthentication(application, 'client_secret_post').form,
    }))
    // With these errors, the target may refuse the request even if its code is valid.
    const response = await send(context, ['invalid_client', 'invalid_request'])
    context.observe('token.both-methods', response.status === 200 ? 'accepted' : describe(response))
  },
)
