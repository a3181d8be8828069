import { expect, test } from 'vitest'
import {
  refusedByConfiguration,
  refusedSecond,
} from '../../../src/check/authorization/refused-by-configuration.ts'
import { redirectBack as back, type Landing, pageAfter as page } from './landings.ts'

const withText = (shown: string) => ({
  ...page(400),
  description: { shown, refusesValue: false, steps: [] },
})

const application = ['CLIENT_ID', 'REDIRECT_URI', 'SCOPE']

test.each<[string, Landing, readonly string[]]>([
  ['a page that refuses', page(400), application],
  ['a page after a redirect', page(200, 302), application],
  ['a page that is not there', page(404), ['IDP_BASE_URL']],
  ['invalid_request', back('error=invalid_request'), application],
  ['a page with status 300', page(300, 302), application],
  ['unauthorized_client', back('error=unauthorized_client'), ['CLIENT_ID']],
  ['invalid_client', back('error=invalid_client'), ['CLIENT_ID']],
  ['invalid_scope', back('error=invalid_scope'), ['SCOPE']],
  ['an undocumented error', back('error=no_such_application'), application],
  ['redirect_uri_mismatch', back('error=redirect_uri_mismatch'), ['REDIRECT_URI']],
  [
    'access_denied after pages',
    back('error=access_denied', true),
    ['TEST_USER', 'REQUIRED_ACR', 'LOGIN_RECIPE'],
  ],
  ['a level that is not met', back('error=unmet_authentication_requirements'), ['REQUIRED_ACR']],
])('the configuration may be why the first request ends with %s', (_, landing, variables) => {
  const refusal = refusedByConfiguration(landing, { requiredAcr: 'high' })
  expect(refusal).toMatchObject({ cause: 'configuration', variables })
  expect(refusal?.message).toMatch(/^the target refused the first authorization request: it (was|ended)/)
  for (const name of variables) expect(refusal?.advice).toContain(name)
})

test.each<[Landing, string]>([
  [back('error=invalid_scope'), 'it was redirected with error=invalid_scope'],
  [page(400), 'it ended at a page with status 400'],
  [withText(''), 'it ended at a page with status 400'],
  [
    withText('the message “Unknown client”'),
    'it ended at a page with status 400, which shows the message “Unknown client”',
  ],
])('the refusal of the first request states its end: %#', (landing, end) => {
  const refusal = refusedByConfiguration(landing, {})
  expect(refusal?.message).toBe(`the target refused the first authorization request: ${end}`)
})

test.each<[string, Landing]>([
  ['a code', back('code=a')],
  ['neither code nor error', back('state=a')],
  ['an empty code', back('code=')],
  ['a code with an error', back('code=a&error=invalid_request')],
  ['a page', page(200)],
  ['a page with status 399', page(399)],
  ['the login page', { kind: 'login-page' }],
  ['access_denied at once', back('error=access_denied')],
  ['a level that was not requested', back('error=unmet_authentication_requirements')],
  ['another error', back('error=unsupported_response_type')],
  ['another error after pages', back('error=unsupported_response_type', true)],
])('the configuration is not why the first request ends with %s', (_, landing) => {
  expect(refusedByConfiguration(landing, {})).toBeUndefined()
})

test.each<[string, Landing, string | undefined, string | undefined, readonly string[], string]>([
  [
    'after pages',
    back('error=access_denied', true),
    undefined,
    undefined,
    ['TEST_USER', 'LOGIN_RECIPE'],
    'check that TEST_USER may use the application, and that Plumbline pressed the right control; if not, write a login recipe (LOGIN_RECIPE)',
  ],
  [
    'after pages, with a recipe and a level',
    back('error=access_denied', true),
    'high',
    'recipe.json',
    ['TEST_USER', 'REQUIRED_ACR', 'LOGIN_RECIPE'],
    'check that TEST_USER may use the application and can reach REQUIRED_ACR, and that Plumbline pressed the right control; if not, correct the login recipe (LOGIN_RECIPE)',
  ],
  [
    'at once, with a level',
    back('error=access_denied'),
    'high',
    undefined,
    ['TEST_USER', 'REQUIRED_ACR'],
    'check that TEST_USER may use the application and can reach REQUIRED_ACR',
  ],
])('access_denied %s has its own advice', (_, landing, requiredAcr, loginRecipe, variables, advice) => {
  const target = {
    ...(requiredAcr !== undefined && { requiredAcr }),
    ...(loginRecipe !== undefined && { loginRecipe }),
  }
  expect(
    refusedByConfiguration(landing, target as Parameters<typeof refusedByConfiguration>[1]),
  ).toMatchObject({ variables, advice })
})

test.each<[string, Landing, readonly string[]]>([
  ['a page', page(400), ['SECOND_CLIENT_ID', 'SECOND_REDIRECT_URI']],
  ['redirect_uri_mismatch', back('error=redirect_uri_mismatch'), ['SECOND_CLIENT_ID', 'SECOND_REDIRECT_URI']],
  ['another error', back('error=unauthorized_client'), ['SECOND_CLIENT_ID']],
])(
  'the second application may be configured wrongly if its request ends with %s',
  (_, landing, variables) => {
    const refusal = refusedSecond(landing)
    expect(refusal).toMatchObject({ cause: 'configuration', variables })
    expect(refusal.message).toMatch(
      /^the target refused the authorization request of the second application: it (was|ended)/,
    )
  },
)
