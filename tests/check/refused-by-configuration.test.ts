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

test.each<[string, Landing, string]>([
  ['a page that refuses', page(400), 'CLIENT_ID, REDIRECT_URI and SCOPE'],
  ['a page after a redirect', page(200, true), 'CLIENT_ID, REDIRECT_URI and SCOPE'],
  ['a page that is not there', page(404), 'IDP_BASE_URL'],
  ['invalid_request', back('error=invalid_request'), 'CLIENT_ID, REDIRECT_URI and SCOPE'],
  ['unauthorized_client', back('error=unauthorized_client'), 'CLIENT_ID, REDIRECT_URI and SCOPE'],
  ['invalid_scope', back('error=invalid_scope'), 'CLIENT_ID, REDIRECT_URI and SCOPE'],
  ['redirect_uri_mismatch', back('error=redirect_uri_mismatch'), 'CLIENT_ID, REDIRECT_URI and SCOPE'],
  ['access_denied after pages', back('error=access_denied', true), 'TEST_USER'],
  ['a level that is not met', back('error=unmet_authentication_requirements'), 'REQUIRED_ACR'],
])('the configuration may be why the first request ends with %s', (_, landing, names) => {
  expect(refusedByConfiguration(landing, { requiredAcr: 'high' })).toContain(names)
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
