import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningProvider, startProvider } from '../../provider/index.ts'
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

function request(changes: Readonly<Record<string, string>> = {}): URL {
  const url = new URL('/mga/sps/oauth/oauth20/authorize', provider.issuer)
  const random = () => randomBytes(16).toString('base64url')
  const members = {
    response_type: 'code',
    client_id: variable('CLIENT_ID'),
    redirect_uri: variable('REDIRECT_URI'),
    scope: 'openid',
    state: random(),
    nonce: random(),
    code_challenge: createHash('sha256').update(random()).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  }
  url.search = `${new URLSearchParams(members)}`
  return url
}

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
  const cancelled = await window.agent.authorize(request(), { ...common(), act: 'cancel' })
  expect(cancelled).toMatchObject({ kind: 'redirect', interactive: true })
  expect(cancelled.kind === 'redirect' && cancelled.query.get('error')).toBe('access_denied')
})
