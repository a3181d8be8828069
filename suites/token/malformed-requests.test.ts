import { kindOf } from '../../src/check/expect.ts'
import { exchangeForm } from '../../src/check/identity-steps.ts'
import { check } from './requirements.ts'

const burning = { effects: ['login', 'burns-codes'], needs: ['user'] } as const

for (const name of ['grant_type', 'code', 'redirect_uri'] as const) {
  check(
    'TOKEN-MISSING-PARAMETER',
    `a code exchange without ${name} is refused`,
    burning,
    async ({ identity, expect }) => {
      await identity.exchangeControl()
      const code = await identity.code()
      expect.sending(`a good code exchange without ${name}`)
      expect.refusedWith(await identity.exchange(code, { [name]: null }), 400, 'invalid_request')
    },
  )
}

check(
  'TOKEN-DUPLICATE-PARAMETER',
  'a code exchange with grant_type twice is refused',
  burning,
  async ({ identity, expect }) => {
    await identity.exchangeControl()
    const { code, request } = await identity.code()
    expect.sending('a good code exchange that repeats grant_type')
    const form = [...exchangeForm(code, request), ['grant_type', 'authorization_code'] as const]
    expect.refusedWith(await identity.provider.token(form), 400, 'invalid_request')
  },
)

check(
  'TOKEN-GRANT-UNSUPPORTED',
  'the grant client_credentials is refused',
  { effects: ['login'], needs: ['user'] },
  async ({ identity, expect, target }) => {
    await identity.exchangeControl()
    expect.sending('grant_type=client_credentials with the credentials of the application')
    const response = await identity.provider.token([
      ['grant_type', 'client_credentials'],
      ['scope', target.scope],
    ])
    // PLATFORM-MACHINE-TO-MACHINE reports tokens; here it is the form of the refusal.
    expect.refusedWith(response, 400, 'unsupported_grant_type')
  },
)

check(
  'TOKEN-ERROR-BODY',
  'an error is a JSON body with error and error_description',
  { effects: ['login'], needs: ['user'] },
  async ({ identity, expect, inconclusive }) => {
    await identity.exchangeControl()
    expect.sending('a code exchange with a code that was never issued')
    const { request } = await identity.firstCode()
    const response = await identity.exchange({ code: 'plumbline-never-issued', request })
    if (typeof response.object?.access_token === 'string') return inconclusive('the request was not refused')
    const { error, error_description: description } = expect.object(response)
    expect.text(error, 'error')
    expect.that(
      typeof description === 'string',
      'error_description as a string',
      `it was ${kindOf(description)}`,
    )
  },
)
