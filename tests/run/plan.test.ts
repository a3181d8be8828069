import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { startProvider } from '../../provider/index.ts'
import { loadSuites } from '../../src/check/suites.ts'
import { planText } from '../../src/cli/plan.ts'
import { expectedVariables } from '../../src/embedded/embedded-provider.ts'
import { checkKey, embeddedCosts, totalCostOf } from '../../src/run/costs.ts'
import { planOf } from '../../src/run/plan.ts'
import { targetFrom } from '../../src/target/config.ts'

const variables = {
  IDP_BASE_URL: 'https://idp.uat.example',
  PARTNER_API_URL: 'https://partner.uat.example',
  PRODUCTION_HOSTS: 'none',
  PARTNER_CLIENT_ID: 'partner',
  PARTNER_CLIENT_SECRET: 'canary-partner-secret',
  CLIENT_ID: 'client',
  CLIENT_SECRET: 'client-secret-for-a-test',
  REDIRECT_URI: 'https://app.invalid/callback',
  TEST_USER: 'user@users.invalid',
  TEST_PASSWORD: 'password-for-a-test',
}
const embedded = { embedded: embeddedCosts(), runs: [] }
const stream = Object.assign(new PassThrough(), { columns: 100 }) as unknown as NodeJS.WriteStream

test('every check is measured; `npm run costs` repeats the measurement', async () => {
  const { checks } = await loadSuites()
  const keys = checks.map(checkKey)
  expect(keys.sort()).toEqual(Object.keys(embeddedCosts().checks).sort())
})

test('shared requests are counted once', () => {
  const costs = {
    beforehand: 2,
    logins: [4],
    pages: [5],
    checks: { a: [3, 4, 5], b: [3, 4, 6], c: [7] },
    notApplicable: {},
  }
  expect(totalCostOf(costs, ['a', 'b', 'c'])).toEqual({ requests: 7, logins: 1, pages: 1 })
  expect(totalCostOf(costs, ['c'])).toEqual({ requests: 3, logins: 0, pages: 0 })
  expect(totalCostOf(costs, [])).toEqual({ requests: 0, logins: 0, pages: 0 })
})

test('a plan names forbidden effects and what allows them', async () => {
  const { checks } = await loadSuites()
  const target = targetFrom('uat', variables)
  const plan = planOf(checks, target, embedded)
  const reasons = [...plan.notApplicable.keys()]
  expect(reasons).toContainEqual(expect.stringContaining('ENABLE=token-destruction turns it on'))
  expect(reasons).toContainEqual(expect.stringContaining('needs SECOND_CLIENT_ID'))
  const [least, most] = [
    plan.checks.length,
    plan.checks.length + [...plan.notApplicable.values()].flat().length,
  ]
  expect(most).toBe(checks.length)
  expect(least).toBeLessThan(most)
  expect(plan.estimate.logins).toBeGreaterThan(0)
  const text = planText(plan, target, stream)
  expect(text).toContain('No request was sent.')
  expect(text.replaceAll(/\s+/g, ' ')).toMatch(
    / \d+ checks the response to an introspection request for a valid access token does not describe a token, so introspection counts as unavailable: \d+ of introspection/,
  )
  expect(text).toMatch(/:\s+\d+\s+of\s+webhook-subscriptions,\s+\d+\s+of\s+webhook-delivery/)
  expect(text).not.toContain('WEBHOOK-SUBSCRIPTION-CREATE')
  expect(text).toMatch(
    /about \d+ requests \(REQUEST_BUDGET: 500\) and \d logins? \(LOGIN_BUDGET: 15\);\s+at\s+least\s.*\sat\s5\srequests\/s$/m,
  )
  expect(text).toContain('Reasons observed on the embedded provider, not on uat:')
  expect(text).not.toContain('without a check')
})

test('a plan counts checks, and the parts add up; the waits of checks are listed after the pace', async () => {
  const { checks } = await loadSuites()
  const target = targetFrom('uat', { ...variables, ENABLE: 'slow' })
  const text = planText(planOf(checks, target, embedded, 75), target, stream)
  const [, would = '', all = ''] = /^(\d+) of (\d+) checks would run; /m.exec(text) ?? []
  const counts = (from: string) =>
    [...text.slice(text.indexOf(from)).matchAll(/^ +(\d+) checks? /gm)].map(([, count]) => Number(count))
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  expect(Number(all)).toBe(checks.length)
  expect(Number(would) + sum(counts('\nWould not run'))).toBe(checks.length)
  expect(text.replace(/\s+/g, ' ')).toContain(
    ' at 5 requests/s, plus up to 10 min for a code to expire (CODE_LIFETIME) and up to 60 min for an access token to expire (LONGEST_LIFETIME)',
  )
  expect(text).toContain('75 requirements without a check: npx plumbline list --unchecked')
})

test('a plan that rests on an earlier run names the checks that did not apply in it', async () => {
  const { checks } = await loadSuites()
  const [one] = checks.filter(({ requirement }) => requirement === 'DISCOVERY-ISSUER')
  if (!one) throw new Error('no such check')
  const key = checkKey(one)
  const costs = { ...embedded.embedded, checks: { [key]: [1] }, notApplicable: { 'no document': [key] } }
  const target = targetFrom('uat', variables)
  const plan = planOf([one], target, { ...embedded, runs: [{ costs, logins: 0, date: '2026-11-22' }] })
  expect([...plan.uncertain.keys()]).toEqual(['no document'])
  expect(planText(plan, target, stream).replace(/\s+/g, ' ')).toContain(
    'absent. Reasons observed in the run of 2026-11-22:',
  )
})

test.each([
  ['PARTNER_API_URL', 'PARTNER_API_URL'],
  ['PARTNER_CLIENT_ID', 'PARTNER_CLIENT_ID and PARTNER_CLIENT_SECRET'],
])('without %s the areas of the Event Hub do not apply, and the others do', async (missing, named) => {
  const { checks } = await loadSuites()
  const credentials = { PARTNER_CLIENT_ID: undefined, PARTNER_CLIENT_SECRET: undefined }
  const without = missing === 'PARTNER_API_URL' ? { PARTNER_API_URL: undefined } : credentials
  const plan = planOf(checks, targetFrom('uat', { ...variables, ...without }), embedded)
  const areas = (some: typeof checks) => [...new Set(some.map(({ area }) => area))].sort()
  expect(areas(plan.notApplicable.get(`needs ${named} to be set`) ?? [])).toEqual([
    'event-search',
    'events',
    'platform',
  ])
  expect(areas(plan.checks)).toContain('token')
  expect(areas(plan.checks)).not.toContain('event-search')
})

test('a plan that exceeds the budget names the variable to raise', async () => {
  const { checks } = await loadSuites()
  const target = targetFrom('uat', { ...variables, REQUEST_BUDGET: '20' })
  expect(planText(planOf(checks, target, embedded), target, stream)).toMatch(
    /REQUEST_BUDGET=20 is too small: this run needs about \d+ requests\. Set REQUEST_BUDGET=\d+, which\s+includes a reserve of at least 10 %, or select/,
  )
})

test('a plan for the embedded provider needs none: its variables are known by name and shape', async () => {
  for (const planned of [false, true]) {
    const provider = await startProvider({ variants: planned ? ['webhooks'] : [] })
    onTestFinished(() => provider.close())
    const expected = expectedVariables(planned)
    expect(Object.keys(expected).sort()).toEqual(Object.keys(provider.variables).sort())
    const { checks } = await loadSuites()
    const ENABLE = planned ? 'planned' : ''
    const [guessed, real] = [expected, provider.variables].map((variables) =>
      planOf(checks, targetFrom('embedded', { ...variables, ENABLE }), embedded),
    )
    expect(guessed).toEqual(real)
  }
})
