import { randomBytes } from 'node:crypto'
import { describe, isRefusal } from '../../src/check/expect.ts'
import { clientAuthentication, otherMethod } from '../../src/oauth/client-authentication.ts'
import { refreshForm } from '../../src/oauth/token-forms.ts'
import { exchangeWithOtherMethod, exchangeWithWrongSecret } from './mistaken-exchanges.ts'
import { checkRefusal, expectDocumentedError } from './refusal-checks.ts'
import { check } from './requirements.ts'

// Reuse makes providers revoke whole families of tokens: it comes after everything else, on the second login. What
// certainly ends a family comes last, so that the others share one.
const ownLogin = { effects: ['login', 'token-destruction'], needs: ['user'] } as const
const probing = {
  effects: ['login', 'burns-codes', 'token-destruction', 'credential-probes'],
  needs: ['user'],
} as const

checkRefusal('TOKEN-REFRESH-CLIENT-AUTH', {
  options: ownLogin,
  sending: 'the valid refresh without client credentials',
  send: ({ sharedRequests, tokens }, errors) =>
    sharedRequests.refusedRefresh(errors, (token) => tokens.refresh(token, { headers: [], form: [] })),
})

checkRefusal('TOKEN-REFRESH-SECRET-MISSING', {
  options: ownLogin,
  sending: 'the valid refresh with client_id in the form and no secret',
  send: ({ sharedRequests, target, tokens }, errors) => {
    const idOnly = { headers: [], form: [['client_id', target.application.id]] } as const
    return sharedRequests.refusedRefresh(errors, (token) => tokens.refresh(token, idOnly))
  },
})

checkRefusal('TOKEN-REFRESH-AUTH-METHOD', {
  options: { ...ownLogin, effects: ['login', 'burns-codes', 'token-destruction'] },
  sending: ({ application }) =>
    `the valid refresh with ${otherMethod(application)} in place of ${application.authMethod}`,
  send: ({ sharedRequests, target: { application }, tokens }, errors) => {
    const other = clientAuthentication(application, otherMethod(application))
    return sharedRequests.refusedRefresh(errors, (token) => tokens.refresh(token, other))
  },
  twin: ['TOKEN-CLIENT-AUTH-METHOD', exchangeWithOtherMethod],
})

checkRefusal('TOKEN-REFRESH-CLIENT-SECRET', {
  options: probing,
  sending: 'the valid refresh with a random secret',
  send: ({ sharedRequests, target, tokens }, errors) => {
    const wrong = { ...target.application, secret: randomBytes(24).toString('hex') }
    return sharedRequests.refusedRefresh(errors, (token) => tokens.refresh(token, wrong))
  },
  twin: ['TOKEN-CLIENT-SECRET', exchangeWithWrongSecret],
})

checkRefusal('TOKEN-DUPLICATE-REFRESH-TOKEN', {
  options: ownLogin,
  sending: 'the valid refresh with refresh_token twice, with the same value',
  send: ({ provider, sharedRequests }, errors) =>
    sharedRequests.refusedRefresh(errors, (token) =>
      provider.token([...refreshForm(token), ['refresh_token', token]]),
    ),
})

check(
  'TOKEN-REFRESH-OTHER-CLIENT',
  "another application's refresh token is refused",
  { ...ownLogin, needs: ['user', 'secondApplication'] },
  async ({ tokens, sharedRequests, expect, note, target: { secondApplication } }) => {
    // The control of its credentials. The rule holds whether or not it may refresh.
    await sharedRequests.secondTokens()
    const refreshToken = await tokens.ownRefreshToken()
    expect.sending('the valid refresh with the credentials of the second application')
    const response = await tokens.refresh(refreshToken, secondApplication)
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
    const losers = responses.filter(isRefusal)
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
    return tokens.alteredExchange(code)
  },
})

function spread(times: readonly number[]): number {
  return Math.max(...times) - Math.min(...times)
}
