import { expect, onTestFinished, test } from 'vitest'
import { FormAgent } from '../../../proof/form-agent.ts'
import { startProvider } from '../../../provider/index.ts'
import type { CheckResult } from '../../../src/check/result.ts'
import { RunContext } from '../../../src/check/run-context.ts'
import { loadSuites } from '../../../src/check/suites.ts'
import { runDirectly } from '../../../src/run/direct-run.ts'
import { targetFrom } from '../../../src/target/config.ts'

/** The inconclusive results of all webhook checks against a provider with these faults and variants. */
async function inconclusiveWith(
  alterations: Parameters<typeof startProvider>[0],
): Promise<readonly CheckResult[]> {
  const provider = await startProvider(alterations)
  onTestFinished(() => provider.close())
  const target = targetFrom('embedded', { SEED: '1', ...provider.variables, ENABLE: 'planned' })
  const run = new RunContext({ target, openAgent: FormAgent.open })
  onTestFinished(() => run.close())
  const { checks } = await loadSuites()
  const ofWebhooks = checks.filter(
    ({ area, effects }) => area.startsWith('webhook-') && !effects?.includes('slow'),
  )
  const results: CheckResult[] = []
  await runDirectly(ofWebhooks, run, {
    checkStarts: () => undefined,
    checkEnds: (result) => void results.push(result),
  })
  return results.filter(({ verdict }) => verdict === 'inconclusive')
}

test.each([
  ['webhook-header-nonce-blank', 'WEBHOOK-NONCE-SINGLE-USE', 'WEBHOOK-HEADER-NONCE'],
  ['webhook-without-x-service-nonce', 'WEBHOOK-NONCE-SINGLE-USE', 'WEBHOOK-HEADER-NONCE'],
  ['webhook-header-time-in-lower-case', 'WEBHOOK-TIMESTAMP-CURRENT', 'WEBHOOK-HEADER-TIMESTAMP'],
  ['webhook-envelope-without-id', 'WEBHOOK-DELIVERY-ENVELOPE', 'WEBHOOK-DELIVERY-ENVELOPE'],
  ['webhook-empty-filters-mean-none', 'WEBHOOK-NO-RETRY-DELIVERED', 'WEBHOOK-DELIVERY-ALL-TYPES'],
  ['webhook-first-filter-only', 'WEBHOOK-NO-RETRY-REFUSED', 'WEBHOOK-DELIVERY-FILTERS'],
  ['webhook-update-not-delivered', 'WEBHOOK-NO-RETRY-DELIVERED', 'WEBHOOK-DELIVERY-UPDATED'],
])('with the fault %s, %s is inconclusive because of %s', async (fault, id, violated) => {
  const results = (await inconclusiveWith({ faults: [fault] })).filter(
    ({ requirement }) => requirement === id,
  )
  expect(results.length).toBeGreaterThan(0)
  for (const { dependsOn } of results) expect(dependsOn).toContain(violated)
})

test('a subscription whose creation failed is not reported as refused', async () => {
  const results = await inconclusiveWith({ variants: ['webhook-creation-for-two-types-broken'] })
  expect(results.map(({ requirement }) => requirement)).toContain('WEBHOOK-DELIVERY-FILTERS')
  for (const { reason } of results) expect(reason).toMatch(/returned status 500/)
})
