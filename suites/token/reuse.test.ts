import { describe, isTokenRefusal } from '../../src/check/expect.ts'
import { checkRefusal, expectDocumentedError } from './refusal-checks.ts'
import { check } from './requirements.ts'

// Reuse makes providers revoke whole families of tokens: it comes after everything else, on the second login. What
// certainly ends a family comes last, so that the others share one.
const ownLogin = { effects: ['login', 'token-destruction'], needs: ['user'] } as const

checkRefusal('TOKEN-REFRESH-CLIENT-AUTH', {
  options: ownLogin,
  sending: 'the valid refresh without client credentials',
  send: async ({ provider, tokens }) =>
    provider.token(
      [
        ['grant_type', 'refresh_token'],
        ['refresh_token', await tokens.ownRefreshToken()],
      ],
      { headers: [], form: [] },
    ),
})

checkRefusal('TOKEN-REFRESH-SECRET-MISSING', {
  options: ownLogin,
  sending: 'the valid refresh with client_id in the form and no secret',
  send: async ({ provider, target, tokens }) =>
    provider.token(
      [
        ['grant_type', 'refresh_token'],
        ['refresh_token', await tokens.ownRefreshToken()],
      ],
      { headers: [], form: [['client_id', target.application.id]] },
    ),
})

checkRefusal('TOKEN-DUPLICATE-REFRESH-TOKEN', {
  options: ownLogin,
  sending: 'the valid refresh with refresh_token twice, with the same value',
  send: async ({ provider, tokens }) => {
    const refreshToken = await tokens.ownRefreshToken()
    return provider.token([
      ['grant_type', 'refresh_token'],
      ['refresh_token', refreshToken],
      ['refresh_token', refreshToken],
    ])
  },
})

check(
  'TOKEN-REFRESH-OTHER-CLIENT',
  "another application's refresh token is refused",
  { ...ownLogin, needs: ['user', 'secondApplication'] },
  async ({ tokens, provider, sharedRequests, expect, note, target: { secondApplication } }) => {
    // The control of its credentials. The rule holds whether or not it may refresh.
    await sharedRequests.secondTokens()
    const refreshToken = await tokens.ownRefreshToken()
    expect.sending('the valid refresh with the credentials of the second application')
    const response = await provider.token(
      [
        ['grant_type', 'refresh_token'],
        ['refresh_token', refreshToken],
      ],
      secondApplication,
    )
    expect.refused(response)
    note(`the response to the refresh token of another application is ${describe(response)}`)
  },
)

check(
  'TOKEN-REFRESH-RACE',
  'each of two concurrent refreshes returns tokens or is refused',
  ownLogin,
  async ({ sharedRequests, expect, observe, basis }) => {
    expect.sending('two refreshes with the same token over two connections at the same time')
    const responses = await sharedRequests.refreshRace()
    for (const response of responses) {
      // The status of a refresh that succeeds is judged by TOKEN-REFRESH.
      if (response.status < 300) expect.text(response.object?.access_token, 'access_token')
      else expect.refused(response)
    }
    observe('token.refresh-race.winners', responses.filter(({ status }) => status < 300).length)
    basis({
      'concurrent refreshes': responses.length,
      'ms between the requests': spread(responses.map(({ exchange }) => exchange.sentAt)),
      'ms between the responses': spread(
        responses.map(({ exchange }) => exchange.sentAt + exchange.durationMs),
      ),
    })
  },
)

check(
  'TOKEN-REFRESH-RACE-ERROR',
  'a refresh that loses the race is refused with the documented status and error',
  ownLogin,
  async ({ sharedRequests, expect, inconclusive, note, notApplicable, once, target, basis }) => {
    expect.sending('two refreshes with the same token over two connections at the same time')
    const responses = await sharedRequests.refreshRace()
    const losers = responses.filter(isTokenRefusal)
    if (losers.length === 0) return notApplicable('no concurrent refresh was refused', 'target')
    for (const loser of losers)
      await expectDocumentedError({ expect, inconclusive, note, once, target }, 'TOKEN-REFRESH-RACE', loser)
    basis({ 'concurrent refreshes': responses.length, refused: losers.length })
  },
)

checkRefusal('TOKEN-CODE-SINGLE-USE', {
  options: ownLogin,
  sending: 'the same code exchange a second time',
  send: async ({ authorization, tokens }) => {
    const code = await authorization.ownLogin()
    tokens.of(await tokens.exchange(code), code.request)
    return tokens.exchange(code)
  },
})

function spread(times: readonly number[]): number {
  return Math.max(...times) - Math.min(...times)
}
