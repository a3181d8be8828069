import { randomBytes } from 'node:crypto'
import { clientAuthentication } from '../../src/oauth/client-authentication.ts'
import { check } from './requirements.ts'

check(
  'TOKEN-CLIENT-AUTH-METHOD',
  'the method that is not configured is refused',
  { effects: ['login', 'burns-codes'], needs: ['user'] },
  async ({ identity, expect, target: { application } }) => {
    await identity.exchangeControl()
    const other =
      application.authMethod === 'client_secret_basic' ? 'client_secret_post' : 'client_secret_basic'
    const code = await identity.code()
    expect.sending(`a good code exchange with ${other} in place of ${application.authMethod}`)
    const response = await identity.exchange(code, {}, clientAuthentication(application, other))
    expect.refusedWith(response, 401, 'invalid_client')
  },
)

check(
  'TOKEN-CLIENT-SECRET',
  'a wrong client secret is refused',
  { effects: ['login', 'burns-codes', 'credential-probes'], needs: ['user'] },
  async ({ identity, expect, target: { application } }) => {
    await identity.exchangeControl()
    const code = await identity.code()
    expect.sending('a good code exchange with a random secret')
    const wrong = { ...application, secret: randomBytes(24).toString('hex') }
    expect.refusedWith(await identity.exchange(code, {}, wrong), 401, 'invalid_client')
  },
)

check(
  'TOKEN-GRANT-UNAUTHORIZED',
  'a refresh by an application without that grant is refused',
  { effects: ['login'], needs: ['user', 'secondApplication'] },
  async ({ identity, expect, target: { secondApplication }, notApplicable }) => {
    if (!secondApplication) return
    const { refreshToken } = await identity.tokens()
    const code = await identity.code(secondApplication)
    const second = identity.tokensOf(await identity.exchange(code), code.request)
    if (second.refreshToken !== undefined) {
      return notApplicable(
        'the second application may refresh; SECOND_CLIENT_ID has to name one that may not',
      )
    }
    expect.sending('a refresh with the credentials of an application that has no refresh grant')
    const form = [
      ['grant_type', 'refresh_token'],
      ['refresh_token', refreshToken ?? 'plumbline-never-issued'],
    ] as const
    expect.refusedWith(
      await identity.provider.token(form, secondApplication),
      400,
      'unauthorized_client',
      'invalid_grant',
    )
  },
)
