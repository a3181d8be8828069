import { randomBytes } from 'node:crypto'
import { describe } from '../../src/check/expect.ts'
import { clientAuthentication } from '../../src/oauth/client-authentication.ts'
import { expectNoClient, noClientErrors } from './no-client.ts'
import { check } from './requirements.ts'

const burning = { effects: ['login', 'burns-codes'], needs: ['user'] } as const
const probing = { effects: ['login', 'burns-codes', 'credential-probes'], needs: ['user'] } as const

check(
  'TOKEN-CLIENT-AUTH-METHOD',
  'the method that is not configured is refused',
  burning,
  async ({ sharedRequests, tokens, expect, target: { application } }) => {
    const other =
      application.authMethod === 'client_secret_basic' ? 'client_secret_post' : 'client_secret_basic'
    expect.sending(`a good code exchange with ${other} in place of ${application.authMethod}`)
    const response = await sharedRequests.refusedExchange(['invalid_client'], (code) =>
      tokens.exchange(code, {}, clientAuthentication(application, other)),
    )
    expect.refusedWith(response, 401, 'invalid_client')
  },
)

check(
  'TOKEN-CLIENT-AUTH-MISSING',
  'a code exchange without client credentials is refused',
  burning,
  async ({ sharedRequests, tokens, expect }) => {
    expect.sending('a good code exchange without client credentials')
    const response = await sharedRequests.refusedExchange(noClientErrors, (code) =>
      tokens.exchange(code, {}, { headers: [], form: [] }),
    )
    expectNoClient(expect, response)
  },
)

check(
  'TOKEN-CLIENT-SECRET-MISSING',
  'a client that brings no secret is refused',
  burning,
  async ({ sharedRequests, tokens, expect, target }) => {
    expect.sending('a good code exchange with client_id in the form and no secret')
    const nameOnly = { headers: [], form: [['client_id', target.application.id]] } as const
    const response = await sharedRequests.refusedExchange(noClientErrors, (code) =>
      tokens.exchange(code, {}, nameOnly),
    )
    expectNoClient(expect, response)
  },
)

check(
  'TOKEN-CLIENT-UNKNOWN',
  'a client that does not exist is refused',
  probing,
  async ({ sharedRequests, tokens, expect, target }) => {
    expect.sending('a good code exchange by a client that does not exist')
    const unknown = {
      ...target.application,
      id: `plumbline-${randomBytes(8).toString('hex')}`,
      secret: randomBytes(24).toString('hex'),
    }
    const response = await sharedRequests.refusedExchange(['invalid_client'], (code) =>
      tokens.exchange(code, {}, unknown),
    )
    expect.refusedWith(response, 401, 'invalid_client')
  },
)

check(
  'TOKEN-CLIENT-SECRET',
  'a wrong client secret is refused',
  probing,
  async ({ sharedRequests, tokens, expect, target: { application } }) => {
    expect.sending('a good code exchange with a random secret')
    const wrong = { ...application, secret: randomBytes(24).toString('hex') }
    const response = await sharedRequests.refusedExchange(['invalid_client'], (code) =>
      tokens.exchange(code, {}, wrong),
    )
    expect.refusedWith(response, 401, 'invalid_client')
  },
)

check(
  'TOKEN-CLIENT-AUTH-BOTH',
  'the answer to both methods at once is recorded',
  burning,
  async ({ sharedRequests, tokens, observe, target: { application } }) => {
    const both = {
      headers: clientAuthentication(application, 'client_secret_basic').headers,
      form: clientAuthentication(application, 'client_secret_post').form,
    }
    const response = await sharedRequests.refusedExchange(noClientErrors, (code) =>
      tokens.exchange(code, {}, both),
    )
    observe('token.both-methods', response.status === 200 ? 'accepted' : describe(response))
  },
)
