import { describe } from '../../src/check/expect.ts'
import type { Application } from '../../src/target/target.ts'
import { expectNoClient } from './no-client.ts'
import { check } from './requirements.ts'

// Reuse makes providers revoke whole families of tokens: on the second login, after everything else. What ends a
// family for certain comes last, so that the others share one.
const ownLogin = { effects: ['login', 'token-destruction'], needs: ['user'] } as const

for (const [id, name, sent, form] of [
  ['TOKEN-REFRESH-CLIENT-AUTH', 'client credentials', 'without client credentials', () => []],
  [
    'TOKEN-REFRESH-SECRET-MISSING',
    'a client secret',
    'with client_id in the form and no secret',
    ({ id }: Application) => [['client_id', id] as const],
  ],
] as const) {
  check(
    id,
    `a refresh without ${name} is refused`,
    ownLogin,
    async ({ tokens, provider, expect, target }) => {
      const refreshToken = await tokens.ownRefreshToken()
      expect.sending(`a good refresh ${sent}`)
      const response = await provider.token(
        [
          ['grant_type', 'refresh_token'],
          ['refresh_token', refreshToken],
        ],
        { headers: [], form: form(target.application) },
      )
      expectNoClient(expect, response)
    },
  )
}

check(
  'TOKEN-DUPLICATE-REFRESH-TOKEN',
  'a refresh with refresh_token twice is refused',
  ownLogin,
  async ({ tokens, provider, expect }) => {
    const refreshToken = await tokens.ownRefreshToken()
    expect.sending('a good refresh that repeats refresh_token with the same value')
    const response = await provider.token([
      ['grant_type', 'refresh_token'],
      ['refresh_token', refreshToken],
      ['refresh_token', refreshToken],
    ])
    expect.refusedWith(response, 400, 'invalid_request')
  },
)

check(
  'TOKEN-REFRESH-OTHER-CLIENT',
  "another application's refresh token is refused",
  { ...ownLogin, needs: ['user', 'secondApplication'] },
  async ({ tokens, provider, sharedRequests, expect, target: { secondApplication } }) => {
    // Its credentials are good. Whether it may refresh at all makes no difference to the rule.
    await sharedRequests.secondTokens()
    const refreshToken = await tokens.ownRefreshToken()
    expect.sending('a good refresh with the credentials of the second application')
    const response = await provider.token(
      [
        ['grant_type', 'refresh_token'],
        ['refresh_token', refreshToken],
      ],
      secondApplication,
    )
    expect.refused(response)
  },
)

check(
  'TOKEN-REFRESH-RACE',
  'refreshes at the same time have a winner or invalid_grant',
  ownLogin,
  async ({ tokens, expect, observe, basis }) => {
    const refreshToken = await tokens.ownRefreshToken()
    expect.sending('two refreshes with the same token over two connections at the same time')
    const answers = await Promise.all([1, 2].map(() => tokens.refresh(refreshToken, { ownConnection: true })))
    for (const response of answers) {
      // The status of a refresh that succeeds is for TOKEN-REFRESH.
      if (response.status < 300) expect.text(response.object?.access_token, 'access_token')
      else expect.refusedWith(response, 400, 'invalid_grant')
    }
    observe('token.refresh-race.winners', answers.filter(({ status }) => status < 300).length)
    basis({ 'concurrent refreshes': answers.length })
  },
)

check(
  'TOKEN-CODE-SINGLE-USE',
  'a used code is refused',
  { effects: ['login', 'token-destruction'], needs: ['user'] },
  async ({ authorization, tokens, expect, inconclusive }) => {
    const code = await authorization.ownLogin()
    const first = await tokens.exchange(code)
    if (first.status !== 200) return inconclusive(`the first exchange was refused (${describe(first)})`)
    expect.sending('the same code exchange a second time')
    expect.refusedWith(await tokens.exchange(code), 400, 'invalid_grant')
  },
)
