import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningProvider, startProvider } from '../../provider/index.ts'
import { AssetCache } from '../../src/browser/index.ts'
import { authorizationUrl } from './authorization-url.ts'
import { TestBrowser } from './test-browser.ts'

let provider: RunningProvider
let browser: TestBrowser
let host: string

beforeAll(async () => {
  provider = await startProvider({ variants: ['pages-with-25-assets'] })
  host = new URL(provider.issuer).host
  browser = await TestBrowser.start([host])
})

afterAll(async () => {
  await browser?.close()
  await provider?.close()
})

const variable = (name: string) => provider.variables[name] ?? ''
const assetsRequested = () => provider.requests.filter(({ path }) => path.startsWith('/assets/'))

/** Signs in, in a window of its own. */
async function signIn(options: Parameters<TestBrowser['agent']>[1]) {
  const before = provider.requests.length
  await using window = await browser.agent([host], { redirectUris: [variable('REDIRECT_URI')], ...options })
  const landing = await window.agent.authorize(authorizationUrl(provider), {
    redirectUri: variable('REDIRECT_URI'),
    user: { name: variable('TEST_USER'), password: variable('TEST_PASSWORD') },
    act: 'sign-in',
  })
  expect(landing).toMatchObject({ kind: 'redirect', interactive: true })
  expect(window.budget.requests).toBe(provider.requests.length - before)
  return window.exchanges
}

test('scripts and style sheets are requested once a run, images and fonts never', async () => {
  const assets = new AssetCache()
  // A login page and a consent page.
  const first = await signIn({ assets })
  expect(first.filter(({ fromMemory }) => fromMemory)).toHaveLength(16)
  const requested = assetsRequested().map(({ path }) => path)
  expect(requested).toHaveLength(16)
  expect(requested.every((path) => /\.(?:js|css)$/.test(path))).toBe(true)
  const second = await signIn({ assets })
  expect(assetsRequested()).toHaveLength(16)
  const fromMemory = second.filter((exchange) => exchange.fromMemory)
  expect(fromMemory).toHaveLength(16)
  for (const { response } of fromMemory) expect(response?.status).toBe(200)
})

test('a user who completes the pages sees images and fonts', async () => {
  const before = assetsRequested().length
  await signIn({ isManual: true })
  expect(
    assetsRequested()
      .slice(before)
      .map(({ path }) => path),
  ).toContain('/assets/picture-7.svg')
})
