import { expect, test } from 'vitest'
import { redirectTo } from '../../src/browser/landing.ts'
import { refusedByConfiguration } from '../../src/check/refused-by-configuration.ts'

type Landing = Parameters<typeof refusedByConfiguration>[0]

const back = (query: string, interactive = false): Landing => ({
  kind: 'redirect',
  ...redirectTo(`https://partner.invalid/callback?${query}`),
  status: 302,
  interactive,
})
const page = (status: number, redirected = false): Landing => ({
  kind: 'page',
  status,
  mediaType: 'text/html',
  redirected,
  asks: false,
})

const application = ['CLIENT_ID', 'REDIRECT_URI', 'SCOPE']

test.each<[string, Landing, readonly string[]]>([
  ['a page that refuses', page(400), application],
  ['a page after a redirect', page(200, true), application],
  ['a page that is not there', page(404), ['IDP_BASE_URL']],
  ['invalid_request', back('error=invalid_request'), application],
  ['unauthorized_client', back('error=unauthorized_client'), application],
  ['invalid_scope', back('error=invalid_scope'), application],
  ['redirect_uri_mismatch', back('error=redirect_uri_mismatch'), application],
  [
    'access_denied after pages',
    back('error=access_denied', true),
    ['TEST_USER', 'REQUIRED_ACR', 'LOGIN_RECIPE'],
  ],
  ['a level that is not met', back('error=unmet_authentication_requirements'), ['REQUIRED_ACR']],
])('the configuration may be why the first request ends with %s', (_, landing, variables) => {
  const refusal = refusedByConfiguration(landing, { requiredAcr: 'high' })
  expect(refusal).toMatchObject({ cause: 'configuration', variables })
  for (const name of variables) expect(refusal?.advice).toContain(name)
})

test.each<[string, Landing]>([
  ['a code', back('code=a')],
  ['neither code nor error', back('state=a')],
  ['an empty code', back('code=')],
  ['a page', page(200)],
  ['access_denied at once', back('error=access_denied')],
  ['a level that nobody asked for', back('error=unmet_authentication_requirements')],
  ['another error', back('error=unsupported_response_type')],
])('the configuration is not why the first request ends with %s', (_, landing) => {
  expect(refusedByConfiguration(landing, {})).toBeUndefined()
})
