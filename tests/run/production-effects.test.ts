import { expect, test } from 'vitest'
import { startProvider } from '../../provider/index.ts'
import { launchBrowser } from '../../src/browser/index.ts'
import type { CheckResult } from '../../src/check/result.ts'
import { RunContext } from '../../src/check/run-context.ts'
import { loadSuites } from '../../src/check/suites.ts'
import { runDirectly } from '../../src/run/direct-run.ts'
import { prepareRun } from '../../src/run/prepare-run.ts'
import { targetFrom } from '../../src/target/config.ts'
import { profiles } from '../../src/target/profiles.ts'

test('what production allows presents no bad credentials, code or token, as the server sees it', async () => {
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
    const prepared = await prepareRun({ target, checks, headed: false, browser })
    const run = new RunContext(prepared.run)
    const results: CheckResult[] = []
    await runDirectly(checks, run, {
      checkStarts: () => undefined,
      checkEnds: (result) => void results.push(result),
    })
    await run.close()
    // A request to user-info without any token presents nothing.
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
