import { randomBytes } from 'node:crypto'
import { describe } from '../../src/check/expect.ts'
import { burning } from '../../src/check/options.ts'
import { clientAuthentication } from '../../src/oauth/client-authentication.ts'
import { exchangeWithOtherMethod, exchangeWithWrongSecret } from './mistaken-exchanges.ts'
import { checkRefusal, expectDocumentedError } from './refusal-checks.ts'
import { check } from './requirements.ts'

const probing = { effects: ['login', 'burns-codes', 'credential-probes'], needs: ['user'] } as const

checkRefusal('TOKEN-CLIENT-AUTH-METHOD', exchangeWithOtherMethod)

checkRefusal('TOKEN-CLIENT-AUTH-MISSING', {
  options: burning,
  sending: 'the valid code exchange without client credentials',
  send: ({ sharedRequests, tokens }, errors) =>
    sharedRequests.refusedExchange(errors, (code) =>
      tokens.alteredExchange(code, {}, { headers: [], form: [] }),
    ),
})

checkRefusal('TOKEN-CLIENT-SECRET-MISSING', {
  options: burning,
  sending: 'the valid code exchange with `client_id` in the form and no secret',
  send: ({ sharedRequests, application, tokens }, errors) => {
    const idOnly = { headers: [], form: [['client_id', application.id]] } as const
    return sharedRequests.refusedExchange(errors, (code) => tokens.alteredExchange(code, {}, idOnly))
  },
})

checkRefusal('TOKEN-CLIENT-UNKNOWN', {
  options: probing,
  sending: 'the valid code exchange by a client that does not exist',
  send: ({ sharedRequests, application, tokens }, errors) => {
    const unknown = {
      ...application,
      id: `plumbline-${randomBytes(8).toString('hex')}`,
      secret: randomBytes(24).toString('hex'),
    }
    return sharedRequests.refusedExchange(errors, (code) => tokens.alteredExchange(code, {}, unknown))
  },
})

checkRefusal('TOKEN-CLIENT-SECRET', exchangeWithWrongSecret)

const ofSecond = { ...probing, needs: ['user', 'secondApplication'] } as const
const ofSecondSending = 'the valid code exchange of the second application with a random secret'

check(
  'TOKEN-CLIENT-SECRET',
  'a wrong secret of the second application is refused',
  ofSecond,
  async ({ sharedRequests, expect }) => {
    expect.sending(ofSecondSending)
    expect.refused(await sharedRequests.secondWithWrongSecret())
  },
)

check(
  'TOKEN-CLIENT-SECRET-ERROR',
  'a wrong secret of the second application is refused with the documented status and error',
  ofSecond,
  async ({
    sharedRequests,
    expect,
    inconclusive,
    note,
    once,
    target: { secondApplication: application },
  }) => {
    expect.sending(ofSecondSending)
    const response = await sharedRequests.secondWithWrongSecret()
    if (application)
      await expectDocumentedError(
        { expect, inconclusive, note, once, application },
        'TOKEN-CLIENT-SECRET',
        response,
      )
  },
)

check(
  'TOKEN-CLIENT-AUTH-BOTH',
  'the response to both methods in one request is recorded',
  burning,
  async ({ sharedRequests, tokens, observe, application }) => {
    const both = {
      headers: clientAuthentication(application, 'client_secret_basic').headers,
      form: clientAuthentication(application, 'client_secret_post').form,
    }
    const errors = ['invalid_client', 'invalid_request']
    const response = await sharedRequests.refusedExchange(errors, (code) =>
      tokens.alteredExchange(code, {}, both),
    )
    observe('token.both-methods', response.status === 200 ? 'accepted' : describe(response))
  },
)
