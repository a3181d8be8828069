import { expect, test } from 'vitest'
import { executeChecks } from '../../proof/execute-checks.ts'
import { startProvider } from '../../provider/index.ts'
import { launchBrowser } from '../../src/browser/index.ts'
import { loadSuites } from '../../src/check/suites.ts'
import { targetFrom } from '../../src/target/config.ts'

test('checks that need a missing consent do not apply after a check that gave it', async () => {
  const [provider, browser, { checks }] = await Promise.all([
    startProvider(),
    launchBrowser({ hosts: ['127.0.0.1:*'] }),
    loadSuites(),
  ])
  const consentGiven = checks.filter((check) => /second application without PKCE/.test(check.name))
  const consentMissing = checks.filter((check) =>
    /^AUTHZ-(?:CONSENT-REFUSED|PROMPT-NONE-CONSENT)(?:-ERROR)?$/.test(check.requirement),
  )
  try {
    const target = targetFrom('embedded', { ...provider.variables, SEED: '1' })
    const before = consentMissing.filter(({ requirement }) => requirement === 'AUTHZ-CONSENT-REFUSED')
    const { results } = await executeChecks([...before, ...consentGiven, ...consentMissing], target, browser)
    const after = consentMissing.map((check) =>
      // The response from before the consent is judged again.
      check.requirement.startsWith('AUTHZ-CONSENT-REFUSED') ? 'pass' : 'not-applicable',
    )
    expect(results.map(({ verdict }) => verdict)).toEqual([
      ...[...before, ...consentGiven].map(() => 'pass'),
      ...after,
    ])
    expect(new Set(after).size).toBe(2)
  } finally {
    await browser.close()
    await provider.close()
  }
}, 120_000)
