import { expect, test } from 'vitest'
import { ruleOutConfiguration } from '../../../src/check/authorization/refused-by-configuration.ts'
import { redirectBack as back, type Landing, pageAfter as page } from './landings.ts'

const withLinks = (landing: ReturnType<typeof page>) => ({ ...landing, hasLinks: true })
const application = ['CLIENT_ID', 'REDIRECT_URI', 'SCOPE']

interface Found {
  /** With scope=openid and without acr_values. */
  readonly minimal?: Landing
  /** The same with prompt=none, in a new window. */
  readonly silent?: Landing
  /** Error of the token endpoint. */
  readonly exchange?: string
  readonly interactive?: boolean
  readonly scope?: string
}

const requestsWith = (found: Found) => ({
  authorize: async (changes: Readonly<Record<string, string | null>>) =>
    changes.prompt === 'none' ? found.silent : found.minimal,
  exchange: async () => found.exchange,
  otherAddresses: async () => undefined,
})

/** The result of further requests about a refused one: the variables to check, or the evidence against the target. */
async function blamed(landing: Landing, found: Found): Promise<unknown> {
  const target = { scope: found.scope ?? 'openid profile', requiredAcr: 'high' }
  const first = { landing, interactive: found.interactive ?? false }
  return ruleOutConfiguration(first, target, requestsWith(found)).catch(({ variables }) => variables)
}

const refused = back('error=invalid_request')
const needsLogin = back('error=login_required')
const evidence = 'with prompt=none the target accepts CLIENT_ID and REDIRECT_URI'

test.each<[string, Landing, Found, unknown]>([
  ['the target, which needs a login', refused, { minimal: refused, silent: needsLogin }, evidence],
  ['the target, which returns a code', refused, { minimal: refused, silent: back('code=a') }, evidence],
  ['the target, which shows a page', page(400), { minimal: page(400), silent: needsLogin }, evidence],
  ['the target, which redirects to a page', page(200, 302), { silent: needsLogin }, evidence],
  [
    'the target, which shows an error page with links',
    withLinks(page(400)),
    { silent: needsLogin },
    evidence,
  ],
  ['the target, which redirects after a login', refused, { interactive: true, silent: needsLogin }, evidence],
  ['scope and level', refused, { minimal: { kind: 'login-page' } }, ['SCOPE', 'REQUIRED_ACR']],
  ['the level', refused, { scope: 'openid', minimal: back('code=a') }, ['REQUIRED_ACR']],
  ['the target, by any name', back('error=odd'), { minimal: refused, silent: needsLogin }, evidence],
  ['the scope', back('error=invalid_scope'), { minimal: { kind: 'login-page' } }, ['SCOPE']],
  [
    'the client',
    refused,
    { minimal: refused, silent: page(400), exchange: 'invalid_client' },
    ['CLIENT_ID', 'CLIENT_SECRET'],
  ],
  [
    'the client, or both the redirect URI and the secret, after a page',
    page(400),
    { minimal: page(400), silent: page(400), exchange: 'invalid_client' },
    ['CLIENT_ID', 'REDIRECT_URI', 'CLIENT_SECRET'],
  ],
  [
    'the redirect URI',
    page(400),
    { minimal: page(400), silent: page(400), exchange: 'invalid_grant' },
    ['REDIRECT_URI'],
  ],
  ['the application, without further evidence', refused, {}, application],
  [
    'the user first, on a page after a login',
    page(403),
    { interactive: true, silent: needsLogin },
    ['TEST_USER', 'TEST_PASSWORD', ...application],
  ],
  [
    'the user first, on a page after a login with status 200',
    page(200),
    { interactive: true, silent: needsLogin },
    ['TEST_USER', 'TEST_PASSWORD', ...application],
  ],
  [
    'the client, whatever else works',
    back('error=unauthorized_client'),
    { silent: needsLogin },
    ['CLIENT_ID'],
  ],
  ['no variable after a code', back('code=a'), {}, undefined],
  [
    'the target, which needs interaction',
    refused,
    { minimal: refused, silent: back('error=interaction_required') },
    evidence,
  ],
  [
    'the target, which needs consent',
    refused,
    { minimal: refused, silent: back('error=consent_required') },
    evidence,
  ],
  [
    'the application, refused silently for another reason',
    refused,
    { silent: back('error=access_denied') },
    application,
  ],
  [
    'the rest of the application of a redirect, if the token endpoint accepts CLIENT_ID',
    refused,
    { silent: page(400), exchange: 'invalid_grant' },
    ['REDIRECT_URI', 'SCOPE'],
  ],
  ['the address of a page that is not there', page(404), { exchange: 'invalid_client' }, ['IDP_BASE_URL']],
  [
    'the application, on a page for another reason',
    page(400),
    { silent: page(400), exchange: 'invalid_request' },
    application,
  ],
  ['scope and level, by any name', back('error=odd'), { minimal: back('code=a') }, ['SCOPE', 'REQUIRED_ACR']],
  [
    'the level, whatever the name',
    back('error=invalid_scope'),
    { scope: 'openid', minimal: back('code=a') },
    ['REQUIRED_ACR'],
  ],
])('further requests blame %s', async (_, landing, found, expected) => {
  expect(await blamed(landing, found)).toEqual(expected)
})

test('a page and a refused client advise to check the client before what else explains both', async () => {
  const requests = requestsWith({ minimal: page(400), silent: page(400), exchange: 'invalid_client' })
  const first = { landing: page(400), interactive: false }
  await expect(ruleOutConfiguration(first, { scope: 'openid' }, requests)).rejects.toMatchObject({
    advice: 'check CLIENT_ID; if it is right, both REDIRECT_URI and CLIENT_SECRET are wrong',
  })
})

test('a page that is not there, although discovery lists another address, is for the operators', async () => {
  const requests = {
    ...requestsWith({ silent: page(404) }),
    otherAddresses: async () => 'addresses that differ from the documented ones: authorization_endpoint',
  }
  await expect(
    ruleOutConfiguration({ landing: page(404), interactive: false }, { scope: 'openid' }, requests),
  ).rejects.toMatchObject({
    cause: 'configuration',
    variables: [],
    advice: expect.stringMatching(
      /^have the operators .*: discovery lists addresses .*authorization_endpoint$/,
    ),
  })
})

test('a page after a login form without a choice is for the login recipe first', async () => {
  const description = { shown: '', refusesValue: false, steps: [], unchosen: ['Branch', 'Role'] }
  const landing = { ...page(400), description }
  await expect(
    ruleOutConfiguration({ landing, interactive: true }, { scope: 'openid' }, requestsWith({})),
  ).rejects.toMatchObject({
    message:
      'the target refused the first authorization request: it ended at a page with status 400; nothing was chosen from the lists "Branch", "Role"',
    variables: ['LOGIN_RECIPE', 'TEST_USER', 'TEST_PASSWORD'],
    advice: expect.stringMatching(
      /^choose from the list: .*"label":"Role".*; if that does not help, check TEST_USER and TEST_PASSWORD$/,
    ),
  })
})

test('further requests are sent only where they can show something', async () => {
  const sent: unknown[] = []
  const requests = {
    authorize: async (changes: object, window: string) => {
      sent.push([changes, window])
      return refused
    },
    exchange: async () => sent.push('a code that was never issued'),
    otherAddresses: async () => undefined,
  }
  const minimal = { scope: 'openid', acr_values: null }
  const ask = (landing: Landing, scope: string, interactive = false) => {
    sent.length = 0
    return ruleOutConfiguration({ landing, interactive }, { scope }, requests).catch(() => undefined)
  }
  await ask(refused, 'openid profile')
  expect(sent).toEqual([
    [minimal, 'same'],
    [{ ...minimal, prompt: 'none' }, 'new'],
    'a code that was never issued',
  ])
  await ask(refused, 'openid')
  expect(sent).toEqual([[{ ...minimal, prompt: 'none' }, 'new'], 'a code that was never issued'])
  await ask(page(404), 'openid')
  expect(sent).toEqual([[{ ...minimal, prompt: 'none' }, 'new']])
  await ask(page(400), 'openid', true)
  expect(sent).toEqual([])
  await ask(back('error=redirect_uri_mismatch'), 'openid')
  expect(sent).toEqual([])
})

test('a page with links blames neither the target nor the application', async () => {
  for (const landing of [page(200), page(200, 302)].map(withLinks))
    expect(await blamed(landing, { silent: needsLogin })).toEqual(['LOGIN_RECIPE'])
})

test('a page after a login advises to check the user before the application', async () => {
  const first = { landing: page(403), interactive: true }
  await expect(ruleOutConfiguration(first, { scope: 'openid' }, requestsWith({}))).rejects.toMatchObject({
    advice: 'check that TEST_USER can sign in with TEST_PASSWORD, then CLIENT_ID, REDIRECT_URI and SCOPE',
  })
})
