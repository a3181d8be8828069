import { loginAndSpendCode } from '../../src/check/check-options.ts'
import { isTokenRefusal } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { unlessUndecided } from '../../src/check/obstacle.ts'
import { requireNoLock } from '../../src/check/tokens/refused-client.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { tokenErrorNames } from '../../src/oauth/errors.ts'
import { refreshForm } from '../../src/oauth/form.ts'
import { decodeJwt } from '../../src/oauth/jwt.ts'
import { issuedAccessToken } from '../../src/oauth/token-keeper.ts'
import { checkAlteredRedirectUri } from './altered-redirect-uri.ts'
import {
  byOtherMethod,
  exchangeBy,
  exchangeWithOtherMethod,
  exchangeWithWrongSecret,
  idInForm,
  methodAdvice,
  noCredentials,
  refreshBy,
  withOtherMethod,
  withWrongSecret,
} from './flawed-exchanges.ts'
import { checkRefusalAndError, noteOtherError } from './refusal-checks.ts'
import { check } from './requirements.ts'

// A target may revoke all tokens of a login if a refresh token or code is reused. So this file runs after all
// ordinary files, and with a second login. Its checks that reuse a refresh token or code come last, so that the
// checks before them can share the tokens of that login.
const secondLogin = { effects: ['login', 'token-destruction'], needs: ['user'] } as const
/** For checks that also send a code exchange with the flaw of their refresh. */
const secondLoginAndExchange = {
  ...secondLogin,
  effects: ['login', 'burns-codes', 'token-destruction'],
} as const
const ofBothApplications = { ...secondLogin, needs: ['user', 'secondApplication'] } as const

checkRefusalAndError('TOKEN-REFRESH-CLIENT-AUTH', {
  options: secondLogin,
  requestText: 'an otherwise valid refresh without client credentials',
  send: refreshBy(noCredentials),
})

checkRefusalAndError('TOKEN-REFRESH-SECRET-MISSING', {
  options: secondLogin,
  requestText: 'an otherwise valid refresh with `client_id` in the form and no secret',
  send: refreshBy(idInForm),
})

checkRefusalAndError('TOKEN-REFRESH-AUTH-METHOD', {
  options: secondLoginAndExchange,
  requestText: (application) => `an otherwise valid refresh with ${withOtherMethod(application)}`,
  advice: methodAdvice,
  send: refreshBy(byOtherMethod),
  exchangeWithSameFlaw: ['TOKEN-CLIENT-AUTH-METHOD', exchangeWithOtherMethod],
})

checkRefusalAndError('TOKEN-REFRESH-CLIENT-SECRET', {
  options: { ...secondLoginAndExchange, effects: [...secondLoginAndExchange.effects, 'credential-probes'] },
  requestText: 'an otherwise valid refresh with a random secret',
  send: refreshBy(withWrongSecret),
  exchangeWithSameFlaw: ['TOKEN-CLIENT-SECRET', exchangeWithWrongSecret],
})

checkRefusalAndError('TOKEN-DUPLICATE-REFRESH-TOKEN', {
  options: secondLogin,
  requestText: 'an otherwise valid refresh with `refresh_token` twice, with the same value',
  send: ({ identityProvider, sharedRequests }, errors) =>
    sharedRequests.invalidRefresh(errors, (token) =>
      identityProvider.token([...refreshForm(token), ['refresh_token', token]]),
    ),
})

check(
  'TOKEN-REFRESH-OTHER-CLIENT',
  "another application's refresh token is refused",
  ofBothApplications,
  async ({ sharedRequests, secondClient, expect, note }) => {
    // The control is a code exchange of the second application, which proves its credentials. A refresh as control
    // would exclude applications that may not refresh, although the rule applies to them, too.
    const { request } = await secondClient.tokens()
    expect.describeRequest('an otherwise valid refresh with the credentials of the second application')
    const response = await sharedRequests.refreshByOtherClient(request.application)
    expect.refused(response)
    noteOtherError({ note }, 'the refresh token of another application', response)
  },
)

const race = 'two refreshes with the same token over two connections at the same time'

check(
  'TOKEN-REFRESH-RACE',
  'each of two concurrent refreshes returns tokens or is refused',
  secondLogin,
  async (context) => {
    const { sharedRequests, discovery, identityProvider, expect, observe, basis } = context
    const responses = await sharedRequests.refreshRace()
    const winners: { readonly response: HttpResponse; readonly accessToken: string }[] = []
    for (const response of responses) {
      expect.describeRequest(race, response)
      // TOKEN-REFRESH judges the status of a successful refresh.
      if (response.status < 300)
        winners.push({ response, accessToken: expect.text(response.object?.access_token, 'access_token') })
      else expect.refused(response)
    }
    for (const { response, accessToken } of winners) {
      const problem = await signatureProblem(discovery, accessToken)
      // Inconclusive if the reason of the problem is not the race.
      if (problem !== undefined) await requireOtherTokensValid(context)
      expect.describeRequest(race, response)
      expect.that(problem === undefined, 'access tokens with a valid signature', problem ?? '')
    }
    observe('token.refresh-race.winners', winners.length)
    if (winners.length > 1) {
      const statuses: string[] = []
      for (const { accessToken } of winners)
        statuses.push(String((await identityProvider.userinfo(accessToken)).status))
      observe('token.refresh-race.userinfo-statuses', statuses)
    }
    basis(
      { 'concurrent refreshes': responses.length },
      {
        timingsMs: {
          'from the first request to the last': spread(responses.map(({ exchange }) => exchange.sentAt)),
          'from the first response to the last': spread(responses.map(({ receivedAt }) => receivedAt)),
        },
      },
    )
  },
)

check(
  'TOKEN-REFRESH-RACE-ERROR',
  'a refresh that loses the race is refused with the documented status and error',
  secondLogin,
  async ({ sharedRequests, tokenErrors, expect, basis }) => {
    expect.describeRequest(race)
    const responses = await sharedRequests.refreshRace()
    const losers = responses.filter(isTokenRefusal)
    if (losers.length === 0)
      return notApplicable(
        'needs a refused concurrent refresh, which is optional; none was refused',
        'target',
      )
    for (const loser of losers) await tokenErrors.expectPermitted('TOKEN-REFRESH-RACE', loser)
    basis({ 'concurrent refreshes': responses.length, refused: losers.length })
  },
)

// These checks use one authorization code: first in exchanges with altered redirect URIs, then in a valid exchange,
// and last in the replay that TOKEN-CODE-SINGLE-USE judges.
for (const [id, flaw, name] of [
  ['TOKEN-REDIRECT-URI-SCHEME', 'scheme', 'with a different scheme'],
  ['TOKEN-REDIRECT-URI-PORT', 'port', 'with a different port'],
  ['TOKEN-REDIRECT-URI-QUERY', 'query', 'with a different query'],
  ['TOKEN-REDIRECT-URI-TRAILING-SLASH', 'trailing slash', 'that differs by a trailing slash'],
  ['TOKEN-REDIRECT-URI-CASE', 'letter case', 'with its path in a different letter case'],
] as const) {
  checkAlteredRedirectUri(id, flaw, name, async ({ sharedRequests }) => {
    const { responses } = await sharedRequests.exchangesWithAlteredUris()
    return responses.get(flaw)
  })
}

checkRefusalAndError('TOKEN-CODE-SINGLE-USE', {
  options: secondLogin,
  requestText: 'the same code exchange a second time',
  send: async ({ authorization, sharedRequests, tokens }) => {
    const { replay } = await sharedRequests.exchangesWithAlteredUris()
    if (replay) return replay
    const code = await authorization.codeOfSecondLogin()
    await tokens.tokensFor(code)
    return tokens.sendCodeExchange(code)
  },
})

check(
  'TOKEN-CODE-SINGLE-USE',
  'a used code of the second application is refused',
  ofBothApplications,
  async ({ secondClient, expect }) => {
    expect.describeRequest('the code exchange of the second application a second time')
    expect.refused(await secondClient.codeReplay())
  },
)

check(
  'TOKEN-CODE-SINGLE-USE-ERROR',
  'a used code of the second application is refused with the documented status and error',
  ofBothApplications,
  async ({ run, secondClient, tokenErrors, expect, target }) => {
    expect.describeRequest('the code exchange of the second application a second time')
    const response = await secondClient.codeReplay()
    if (target.secondApplication) requireNoLock(run, target.secondApplication, response)
    const { error } = response.object ?? {}
    // The code may have expired since its first exchange, and the error for an expired code is not specified.
    if (typeof error === 'string' && !tokenErrorNames.has(error))
      return inconclusive('the used code may have expired', ['TOKEN-CODE-EXPIRED'])
    await tokenErrors.expectPermitted('TOKEN-CODE-SINGLE-USE', response, target.secondApplication)
  },
)

// A target may lock the application after a few failed authentications. So this check is the last in this file. Only
// the files that run last (`runsLast`) follow.
checkRefusalAndError('TOKEN-CLIENT-SECRET-EMPTY', {
  options: loginAndSpendCode,
  requestText: ({ authMethod }) => `an otherwise valid code exchange with an empty secret by ${authMethod}`,
  send: exchangeBy((application) => ({ ...application, secret: '' })),
})

/** @throws {Inconclusive} if the access token of a single refresh or code exchange has no valid signature either */
async function requireOtherTokensValid({ authorization, tokens, discovery }: CheckContext): Promise<void> {
  const first = await unlessUndecided(tokens.firstRefresh())
  const { accessToken: refreshed } = first ? tokens.refreshedTokens(first.response) : {}
  if (refreshed !== undefined && (await signatureProblem(discovery, refreshed)) !== undefined)
    return inconclusive('the token of another refresh is not valid either', [
      'ACCESSTOKEN-REFRESHED-SIGNATURE',
    ])
  const code = await unlessUndecided(authorization.code())
  const exchanged = code && (await unlessUndecided(tokens.exchange(code)))
  const accessToken = exchanged && issuedAccessToken(exchanged)
  if (accessToken !== undefined && (await signatureProblem(discovery, accessToken)) !== undefined)
    return inconclusive('the token of a new code exchange is not valid either', ['ACCESSTOKEN-LATER'])
}

/** Why a partner would refuse an access token; undefined if a partner would accept it, or no key is available. */
async function signatureProblem(
  discovery: CheckContext['discovery'],
  accessToken: string,
): Promise<string | undefined> {
  const token = decodeJwt(accessToken)
  if (!token) return 'an access token that is not a JWT'
  const verdict = await unlessUndecided(discovery.verify(token))
  return verdict === undefined || verdict.valid ? undefined : verdict.reason
}

function spread(timestamps: readonly number[]): number {
  return Math.max(...timestamps) - Math.min(...timestamps)
}
