import type { CheckContext } from '../../src/check/fixtures.ts'
import { exchangeForm } from '../../src/check/token-steps.ts'
import { clientAuthentication } from '../../src/oauth/client-authentication.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const
const burning = { effects: ['login', 'burns-codes'], needs: ['user'] } as const

for (const [id, name] of [
  ['TOKEN-MISSING-GRANT-TYPE', 'grant_type'],
  ['TOKEN-MISSING-CODE', 'code'],
  ['TOKEN-MISSING-REDIRECT-URI', 'redirect_uri'],
] as const) {
  check(
    id,
    `a code exchange without ${name} is refused`,
    burning,
    async ({ sharedRequests, tokens, expect }) => {
      expect.sending(`a good code exchange without ${name}`)
      const response = await sharedRequests.refusedExchange(['invalid_request'], (code) =>
        tokens.exchange(code, { [name]: null }),
      )
      expect.refusedWith(response, 400, 'invalid_request')
    },
  )
}

check(
  'TOKEN-MISSING-CODE-VERIFIER',
  'a missing code_verifier is named',
  burning,
  async ({ sharedRequests, expect, inconclusive }) => {
    expect.sending('a good code exchange without code_verifier')
    const response = await sharedRequests.withoutVerifier()
    if (response.status < 300)
      return inconclusive('it was not refused', { dependsOn: ['TOKEN-VERIFIER-MISSING'] })
    expect.refusedWith(response, 400, 'invalid_request', 'invalid_grant')
  },
)

check(
  'TOKEN-MISSING-REFRESH-TOKEN',
  'a refresh without refresh_token is refused',
  login,
  async ({ tokens, provider, expect }) => {
    tokens.ofRefresh((await tokens.firstRefresh()).response)
    expect.sending('a good refresh without refresh_token')
    const response = await provider.token([['grant_type', 'refresh_token']])
    expect.refusedWith(response, 400, 'invalid_request')
  },
)

for (const [id, name] of [
  ['TOKEN-DUPLICATE-GRANT-TYPE', 'grant_type'],
  ['TOKEN-DUPLICATE-CODE', 'code'],
  ['TOKEN-DUPLICATE-REDIRECT-URI', 'redirect_uri'],
  ['TOKEN-DUPLICATE-CODE-VERIFIER', 'code_verifier'],
] as const) {
  check(
    id,
    `a code exchange with ${name} twice is refused`,
    burning,
    async ({ sharedRequests, provider, expect }) => {
      expect.sending(`a good code exchange that repeats ${name} with the same value`)
      const response = await sharedRequests.refusedExchange(['invalid_request'], ({ code, request }) => {
        const form = exchangeForm(code, request)
        return provider.token([...form, ...form.filter(([member]) => member === name)])
      })
      expect.refusedWith(response, 400, 'invalid_request')
    },
  )
}

check(
  'TOKEN-BODY-JSON',
  'a JSON body is refused',
  burning,
  async ({ sharedRequests, provider, expect, target, note }) => {
    const client = clientAuthentication(target.application)
    expect.sending('a good code exchange as JSON in place of a form')
    const response = await sharedRequests.refusedExchange(['invalid_request'], ({ code, request }) => {
      const members = Object.fromEntries([...exchangeForm(code, request), ...client.form])
      return provider.tokenBody('application/json', JSON.stringify(members), client)
    })
    if (response.status === 415) {
      expect.refused(response)
      return note('a JSON body is answered 415 (RFC 9110, 15.5.16)')
    }
    expectMalformed({ expect, target }, response)
  },
)

check(
  'TOKEN-BODY-MALFORMED',
  'a body that is no form is refused',
  login,
  async ({ tokens, provider, expect, target }) => {
    await tokens.control()
    const client = clientAuthentication(target.application)
    expect.sending('broken percent-encoding under the media type of a form')
    const raw = '%%%=%ZZ&=&%E0%A4%A=%'
    const response = await provider.tokenBody('application/x-www-form-urlencoded', raw, client)
    expectMalformed({ expect, target }, response)
  },
)

/** Without a form there are no credentials in it either, which may be what is reported. */
function expectMalformed(
  { expect, target }: Pick<CheckContext, 'expect' | 'target'>,
  response: Parameters<CheckContext['expect']['refused']>[0],
): void {
  expect.refused(response)
  if (target.application.authMethod === 'client_secret_post') {
    expect.status(response, 400, 401)
    expect.errorNamed(response.object?.error, 'invalid_request', 'invalid_client')
  } else {
    expect.status(response, 400)
    expect.errorNamed(response.object?.error, 'invalid_request')
  }
}
