import {
  login,
  loginAndBadCredentials,
  loginAndSpendCode,
  loginWithSecond,
} from '../../src/check/check-options.ts'
import { isTokenRefusal } from '../../src/check/expect.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import { checkAlteredRedirectUri } from './altered-redirect-uri.ts'
import { exchangeWith } from './flawed-exchanges.ts'
import { checkRefusalAndError, noteOtherError } from './refusal-checks.ts'
import { check } from './requirements.ts'

check(
  'TOKEN-CODE-EXCHANGE',
  'a code exchange returns an access token',
  login,
  async ({ tokens, expect, note }) => {
    expect.describeRequest('the valid code exchange')
    const exchange = await tokens.firstExchange()
    // Inconclusive if the configured credentials may be wrong: the target then violates nothing.
    tokens.requireCredentialsAccepted(exchange)
    const { response } = exchange
    expect.status(response, 200)
    expect.text(expect.object(response).access_token, 'access_token')
    if (response.mediaType !== 'application/json')
      note('the media type of the token response is not application/json (RFC 6749, 5.1)')
  },
)

check(
  'TOKEN-ACCEPT-OPTIONAL',
  'a code exchange without Accept returns an access token',
  login,
  async ({ tokens, expect }) => {
    expect.describeRequest('the valid code exchange without an Accept header')
    const { response } = await tokens.unusualExchange()
    expect.status(response, 200)
    expect.text(expect.object(response).access_token, 'access_token')
  },
)

check(
  'TOKEN-VERIFIER-WRONG',
  'a code exchange with the verifier of another request is refused',
  loginAndSpendCode,
  async ({ sharedRequests, expect, observe, note }) => {
    expect.describeRequest('an otherwise valid code exchange with the verifier of another request')
    const response = await sharedRequests.wrongVerifier()
    expect.refused(response)
    noteOtherError({ note }, 'a wrong verifier', response)
    observe('token.wrong-verifier.status', response.status)
  },
)

check(
  'TOKEN-VERIFIER-PLAIN',
  'a code exchange with the challenge as its verifier is refused',
  loginAndSpendCode,
  async ({ authorization, tokens, sharedRequests, expect }) => {
    // A target that accepts any verifier also accepts this one: then only TOKEN-VERIFIER-WRONG is violated.
    if (!isTokenRefusal(await sharedRequests.wrongVerifier()))
      return inconclusive('a wrong verifier is accepted', ['TOKEN-VERIFIER-WRONG'])
    await tokens.control()
    // Any valid code will do. This one costs no additional request, because authorization checks need its request,
    // too.
    const code = await authorization.codeOfUnusualRequest('no acr_values')
    const challenge = code.request.url.searchParams.get('code_challenge')
    expect.describeRequest(
      'an otherwise valid code exchange with the `code_challenge` itself as `code_verifier`',
    )
    expect.refused(await tokens.sendCodeExchange(code, { code_verifier: challenge }))
  },
)

check(
  'TOKEN-VERIFIER-MISSING',
  'a code exchange without a verifier is refused',
  loginAndSpendCode,
  async ({ sharedRequests, expect }) => {
    expect.describeRequest('an otherwise valid code exchange without `code_verifier`')
    expect.refused(await sharedRequests.withoutVerifier())
  },
)

check(
  'TOKEN-VERIFIER-MISSING',
  'a code exchange with an empty verifier is refused',
  loginAndSpendCode,
  async (context) => {
    context.expect.describeRequest('an otherwise valid code exchange with an empty `code_verifier`')
    const send = exchangeWith({ code_verifier: '' })
    // With this error, the target may refuse the request even if its code is valid.
    context.expect.refused(await send(context, ['invalid_request']))
  },
)

checkRefusalAndError('TOKEN-REDIRECT-URI-MATCH', {
  options: loginAndSpendCode,
  requestText: 'an otherwise valid code exchange with a redirect URI that has one more path segment',
  send: ({ sharedRequests }) => sharedRequests.wrongRedirectUri(),
})

checkAlteredRedirectUri('TOKEN-REDIRECT-URI-HOST', 'host', 'on a different host', ({ sharedRequests }) =>
  sharedRequests.redirectUriOnOtherHost(),
)

check(
  'TOKEN-CODE-OTHER-CLIENT',
  "another application's code is refused",
  { ...loginWithSecond, effects: ['login', 'burns-codes'] },
  async ({ authorization, tokens, secondClient, expect, note, target }) => {
    await tokens.control()
    // Control: the target accepts the credentials of the second application.
    await secondClient.tokens()
    const code = await authorization.codeOfUnusualRequest('openid as its last scope')
    expect.describeRequest('an otherwise valid code exchange with the credentials of the second application')
    const response = await tokens.sendCodeExchange(code, {}, target.secondApplication)
    expect.refused(response)
    noteOtherError({ note }, 'the code of another application', response)
  },
)

check(
  'TOKEN-CODE-UNKNOWN',
  'a code that was never issued is refused',
  loginAndBadCredentials,
  async ({ sharedRequests, expect, note }) => {
    expect.describeRequest('an otherwise valid code exchange with a code that was never issued')
    const response = await sharedRequests.unknownCode()
    expect.refused(response)
    noteOtherError({ note }, 'an unknown code', response)
  },
)
