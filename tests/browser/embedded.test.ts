import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningProvider, startProvider } from '../../provider/index.ts'
import { authorizationUrl } from './authorization-url.ts'
import { TestBrowser } from './test-browser.ts'

let provider: RunningProvider
let browser: TestBrowser
let host: string

beforeAll(async () => {
  provider = await startProvider()
  host = new URL(provider.issuer).host
  browser = await TestBrowser.start([host])
})

afterAll(async () => {
  await browser?.close()
  await provider?.close()
})

function variable(name: string): string {
  return provider.variables[name] ?? ''
}

const request = (changes?: Readonly<Record<string, string>>) => authorizationUrl(provider, changes)

const common = () => ({
  redirectUri: variable('REDIRECT_URI'),
  user: { name: variable('TEST_USER'), password: variable('TEST_PASSWORD') },
})

test('the embedded pages: login, silent again, and what the server counted', async () => {
  const before = provider.requests.length
  await using window = await browser.agent([host], { redirectUris: [variable('REDIRECT_URI')] })
  const first = await window.agent.authorize(request(), { ...common(), act: 'sign-in' })
  const again = await window.agent.authorize(request(), { ...common(), act: 'sign-in' })
  for (const landing of [first, again]) expect(landing).toMatchObject({ kind: 'redirect', status: 302 })
  expect(again).toMatchObject({ interactive: false })
  expect(window.budget.requests).toBe(provider.requests.length - before)
  expect(window.budget.logins).toBe(1)
})

test('the embedded pages: cancel, stop and a redirect URI that is refused', async () => {
  await using window = await browser.agent([host], { redirectUris: [variable('REDIRECT_URI')] })
  const stopped = await window.agent.authorize(request(), { ...common(), act: 'stop' })
  expect(stopped).toEqual({ kind: 'login-page' })
  const altered = 'https://altered.invalid/callback'
  const refused = await window.agent.authorize(request({ redirect_uri: altered }), {
    ...common(),
    redirectUri: altered,
    act: 'stop',
  })
  expect(refused).toMatchObject({ kind: 'page', status: 400 })
  // The browser does not show that page, and its request is recorded once.
  expect(window.exchanges).toHaveLength(window.budget.requests)
  const cancelled = await window.agent.authorize(request(), { ...common(), act: 'cancel' })
  expect(cancelled).toMatchObject({ kind: 'redirect', interactive: true })
  expect(cancelled.kind === 'redirect' && cancelled.query.get('error')).toBe('access_denied')
})
