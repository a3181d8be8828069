import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dimensions, limitsBehind, subsets } from '../../load/probes/dimension.ts'
import type { ProbeResult } from '../../load/result.ts'
import { runSteps } from '../../load/run-steps.ts'
import { loginsOf } from '../../load/workload.ts'
import { INTERACTION_PATH } from '../../provider/identity/paths.ts'
import { type Limit, type LimitKey, startProvider } from '../../provider/index.ts'
import { launchBrowser } from '../../src/browser/index.ts'
import { RunContext } from '../../src/check/run-context.ts'
import { Budget } from '../../src/http/budget.ts'
import { targetFrom } from '../../src/target/config.ts'

let browser: Awaited<ReturnType<typeof launchBrowser>>
beforeAll(async () => {
  browser = await launchBrowser({ hosts: ['127.0.0.1:*'], headed: false })
})
afterAll(() => browser.close())

const workload = { probes: ['dimension'], endpoints: ['userinfo'] } as const

/** More than the logins of all identities take. */
const capacity = 150

/** What the probe `dimension` says about UserInfo of a provider that counts so. */
async function probed(by: LimitKey[], variables: Record<string, string> = {}): Promise<ProbeResult> {
  return (await probedAt({ requests: capacity, windowSeconds: 20, by }, variables)).result
}

/** The same, with the passwords that the run counted and those that the provider was sent. */
async function probedAt(limit: Limit, variables: Record<string, string> = {}) {
  // Without pages of consent every form that is sent is a login.
  const provider = await startProvider({ limit, variants: ['no-consent-page'] })
  const target = targetFrom('embedded', { ...provider.variables, ...variables })
  const budget = new Budget({ ...target, requestsPerSecond: Number.POSITIVE_INFINITY })
  const run = new RunContext({ target, budget, openAgent: browser.openAgent })
  const results: ProbeResult[] = []
  const watcher = {
    progress: { phase: () => {}, shot: () => {} },
    begins: () => {},
    throttled: () => {},
    ends: async (_: unknown, result: ProbeResult) => void results.push(result),
  }
  try {
    await runSteps(run, workload, watcher, new AbortController().signal)
  } finally {
    await run.close()
    await provider.close()
  }
  const typed = provider.requests.filter(
    ({ method, path }) => method === 'POST' && path.startsWith(`${INTERACTION_PATH}/`),
  ).length
  return {
    result: results[0] as ProbeResult,
    typed,
    logins: run.budget.logins,
    announced: loginsOf(workload, target),
  }
}

const limitedBy = ({ observations }: ProbeResult) =>
  observations.find(({ key }) => key === 'limits.userinfo.dimension.limited-by')?.value

describe('the probe finds what requests are counted by, in few more requests than the capacity:', () => {
  test.for<{ key: LimitKey; named: string }>([
    { key: [], named: 'nothing' },
    { key: ['client'], named: 'client' },
    { key: ['user'], named: 'user' },
    { key: ['address'], named: 'address' },
    { key: ['client', 'user'], named: 'client+user' },
    { key: ['client', 'address'], named: 'client+address' },
    { key: ['user', 'address'], named: 'user+address' },
    { key: ['client', 'user', 'address'], named: 'client+user+address' },
  ])('one limit per $named', async ({ key, named }) => {
    const result = await probed([key])
    expect(limitedBy(result)).toEqual(key.length === 0 ? [] : [named])
    expect(result.requests).toBeLessThanOrEqual(capacity + 8)
  })
})

test('all users sign in from one LOGIN_BUDGET', async () => {
  const { finding, ended } = await probed([['user']], { LOGIN_BUDGET: '2' })
  expect(finding).toBe('no result')
  expect(ended).toContain('the budget of 2 logins is spent')
}, 60_000)

test('logins are counted as the target sees them, also where it throttles and they are made again', async () => {
  // It is met while everybody signs in, and where exactly is up to the machine.
  const { result, typed, logins, announced } = await probedAt({ requests: 14, windowSeconds: 4, by: [[]] })
  expect(announced).toBe(5)
  expect(logins).toBeGreaterThanOrEqual(announced)
  expect(logins).toBeLessThanOrEqual(2 * announced)
  expect(typed).toBe(logins)
  expect(result.finding).toMatch(
    /^requests with another client or another user or another address were throttled too/,
  )
}, 120_000)

test('limits are identified by the smallest changes that escape them', () => {
  const all = subsets(dimensions)
  for (const first of all) {
    for (const second of all) {
      const limits = [first, second]
      const escaping = all.filter((changes) =>
        limits.every((limit) => limit.some((one) => changes.includes(one))),
      )
      const least = escaping.filter(
        (changes) =>
          !escaping.some(
            (less) => less.length < changes.length && less.every((one) => changes.includes(one)),
          ),
      )
      // Of two limits of which one counts by more, the other is met first and hides it.
      const seen = limits.filter(
        (limit) =>
          !limits.some((less) => less.length < limit.length && less.every((one) => limit.includes(one))),
      )
      expect(new Set(limitsBehind(least).map(String))).toEqual(new Set(seen.map(String)))
    }
  }
})
