import { expect, test } from 'vitest'
import { executeChecks } from '../../proof/execute-checks.ts'
import { startProvider } from '../../provider/index.ts'
import { launchBrowser } from '../../src/browser/index.ts'
import { loadSuites } from '../../src/check/suites.ts'
import { targetFrom } from '../../src/target/config.ts'
import { profiles } from '../../src/target/profiles.ts'

test('checks that production allows present no bad credentials, code or token to the server', async () => {
  const [provider, browser, { checks }] = await Promise.all([
    startProvider(),
    launchBrowser({ hosts: ['127.0.0.1:*'] }),
    loadSuites(),
  ])
  try {
    const target = {
      ...targetFrom('embedded', { ...provider.variables, SEED: '1' }),
      allowedEffects: profiles.production.allowed,
    }
    const { results } = await executeChecks(checks, target, browser)
    // A request to UserInfo without a token presents no credential.
    const refused = provider.requests.filter(({ status }) => status === 401).map(({ path }) => path)
    expect(refused).toEqual(['/mga/sps/oauth/oauth20/userinfo'])
    const bad = /invalid_(?:client|grant|token)/
    const presenting = results.filter(({ exchanges }) =>
      exchanges.some(({ response }) => bad.test(JSON.stringify(response ?? {}))),
    )
    expect(presenting.map(({ requirement }) => requirement)).toEqual(['USERINFO-TOKEN-REQUIRED'])
    expect(results.filter(({ verdict }) => verdict === 'pass').length).toBeGreaterThan(100)
  } finally {
    await browser.close()
    await provider.close()
  }
}, 120_000)
