import { login, loginAndSpendCode } from '../../src/check/check-options.ts'
import { isTokenRefusal } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { clientAuthentication } from '../../src/oauth/client-authentication.ts'
import { exchangeForm, refreshForm } from '../../src/oauth/form.ts'
import { exchangeBy, exchangeWith } from './flawed-exchanges.ts'
import { checkRefusalAndError, type InvalidTokenRequest } from './refusal-checks.ts'
import { check } from './requirements.ts'

for (const [id, name] of [
  ['TOKEN-MISSING-GRANT-TYPE', 'grant_type'],
  ['TOKEN-MISSING-CODE', 'code'],
  ['TOKEN-MISSING-REDIRECT-URI', 'redirect_uri'],
] as const) {
  checkRefusalAndError(id, {
    options: loginAndSpendCode,
    requestText: `an otherwise valid code exchange without ${name}`,
    send: exchangeWith({ [name]: null }),
  })
}

check(
  'TOKEN-MISSING-CODE-VERIFIER',
  'a code exchange without `code_verifier` is refused with the documented status and error',
  loginAndSpendCode,
  async ({ sharedRequests, tokenErrors, expect }) => {
    expect.describeRequest('an otherwise valid code exchange without `code_verifier`')
    const response = await sharedRequests.withoutVerifier()
    if (!isTokenRefusal(response))
      return inconclusive('the request was not refused', ['TOKEN-VERIFIER-MISSING'])
    await tokenErrors.expectOneOf('TOKEN-MISSING-CODE-VERIFIER', response, [
      [400, 'invalid_request'],
      [400, 'invalid_grant'],
    ])
  },
)

checkRefusalAndError('TOKEN-MISSING-REFRESH-TOKEN', {
  options: login,
  requestText: 'an otherwise valid refresh without `refresh_token`',
  send: async ({ identityProvider, tokens }) => {
    // Control: inconclusive if the first refresh, which is valid, returned no tokens.
    tokens.refreshedTokens((await tokens.firstRefresh()).response)
    return identityProvider.token(refreshForm('', { refresh_token: null }))
  },
})

/** The valid code exchange with one parameter twice, with the same value both times. */
function exchangeWithDuplicate(name: string): InvalidTokenRequest {
  return {
    options: loginAndSpendCode,
    requestText: `an otherwise valid code exchange with ${name} twice, with the same value`,
    send: ({ identityProvider, sharedRequests }, errors) =>
      sharedRequests.invalidExchange(errors, ({ code, request }) => {
        const form = exchangeForm(code, request)
        return identityProvider.token([...form, ...form.filter(([member]) => member === name)])
      }),
  }
}

for (const [id, name] of [
  ['TOKEN-DUPLICATE-GRANT-TYPE', 'grant_type'],
  ['TOKEN-DUPLICATE-CODE', 'code'],
  ['TOKEN-DUPLICATE-REDIRECT-URI', 'redirect_uri'],
  ['TOKEN-DUPLICATE-CODE-VERIFIER', 'code_verifier'],
] as const) {
  checkRefusalAndError(id, exchangeWithDuplicate(name))
}

checkRefusalAndError('TOKEN-DUPLICATE-DIFFERENT', {
  request: 'a code exchange with two different values of every parameter',
  options: loginAndSpendCode,
  requestText: 'an otherwise valid code exchange with a second, different value of each parameter',
  send: ({ identityProvider, sharedRequests }, errors) =>
    sharedRequests.invalidExchange(errors, ({ code, request }) => {
      const form = exchangeForm(code, request)
      return identityProvider.token([
        ...form,
        ...form.map(([name, value]) => [name, `${value}-other`] as const),
      ])
    }),
  exchangeWithSameFlaw: ['TOKEN-DUPLICATE-CODE', exchangeWithDuplicate('code')],
})

check(
  'TOKEN-DUPLICATE-DIFFERENT',
  'a code exchange with `client_id` twice is refused',
  loginAndSpendCode,
  async (context) => {
    const { tokenErrors, expect } = context
    const response = await responseToClientIdTwice(context)
    if (!isTokenRefusal(response)) {
      // A target that ignores repeated parameters accepts a repeated code as well: only TOKEN-DUPLICATE-CODE is
      // violated.
      const duplicateCode = await tokenErrors.responseTo(
        'TOKEN-DUPLICATE-CODE',
        exchangeWithDuplicate('code').send,
      )
      if (!isTokenRefusal(duplicateCode))
        return inconclusive('a code exchange with the same flaw is accepted as well', [
          'TOKEN-DUPLICATE-CODE',
        ])
    }
    expect.refused(response)
  },
)

check(
  'TOKEN-DUPLICATE-DIFFERENT-ERROR',
  'a code exchange with `client_id` twice is refused with the documented status and error',
  loginAndSpendCode,
  async (context) => {
    const response = await responseToClientIdTwice(context)
    if (!isTokenRefusal(response))
      return inconclusive('the request was not refused', ['TOKEN-DUPLICATE-DIFFERENT'])
    // A client_id in the form may count as a second authentication method beside Basic: 401 passes as well.
    await context.tokenErrors.expectOneOf('TOKEN-DUPLICATE-DIFFERENT-ERROR', response, [
      [400, 'invalid_request'],
      [401, 'invalid_client'],
    ])
  },
)

/**
 * Describes and sends, once per run, an otherwise valid code exchange with `client_id` twice.
 * @returns its response
 */
function responseToClientIdTwice(context: CheckContext): Promise<HttpResponse> {
  context.expect.describeRequest('an otherwise valid code exchange with `client_id` twice in the form')
  const send = exchangeBy((application) => {
    const { headers, form } = clientAuthentication(application)
    const others = form.filter(([name]) => name !== 'client_id')
    const id = ['client_id', application.id] as const
    return { headers, form: [id, id, ...others] }
  })
  return context.once(responseToClientIdTwice, () => send(context, ['invalid_request', 'invalid_client']))
}

checkRefusalAndError('TOKEN-BODY-JSON', {
  options: loginAndSpendCode,
  requestText: 'the valid code exchange as JSON in place of a form',
  send: ({ identityProvider, sharedRequests, application }, errors) => {
    const client = clientAuthentication(application)
    return sharedRequests.invalidExchange(errors, ({ code, request }) => {
      const form = exchangeForm(code, request)
      const members = Object.fromEntries([...form, ...client.form])
      return identityProvider.tokenBody('application/json', JSON.stringify(members), client, form)
    })
  },
})

checkRefusalAndError('TOKEN-BODY-MALFORMED', {
  options: login,
  requestText: 'invalid percent-encoding with the media type of a form',
  send: async ({ identityProvider, application, tokens }) => {
    await tokens.control()
    const client = clientAuthentication(application)
    return identityProvider.tokenBody('application/x-www-form-urlencoded', '%%%=%ZZ&=&%E0%A4%A=%', client)
  },
})
