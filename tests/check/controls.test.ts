import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type RunningProvider, startProvider } from '../../provider/index.ts'
import { type LaunchedBrowser, launchBrowser } from '../../src/browser/index.ts'
import { type CheckContext, createContext } from '../../src/check/fixtures.ts'
import { RunContext } from '../../src/check/run-context.ts'
import { targetFrom } from '../../src/target/config.ts'

let provider: RunningProvider
let browser: LaunchedBrowser
let run: RunContext
/** Offset of the test clock, in milliseconds. It never decreases, because the budget would wait. */
let later = 0
const { now } = Date
beforeAll(async () => {
  vi.spyOn(Date, 'now').mockImplementation(() => now() + later)
  provider = await startProvider()
  const target = targetFrom('embedded', provider.variables)
  browser = await launchBrowser({ hosts: target.hosts })
  run = new RunContext({ target, openAgent: browser.openAgent })
})
afterAll(async () => {
  await run.close()
  await browser.close()
  await provider.close()
})

/** Requests that a step sends now, and again 61 s later. */
async function requestsOf(step: (context: CheckContext) => Promise<unknown>): Promise<number[]> {
  const context = createContext(run, 'TOKEN-CODE-EXCHANGE')
  const sent: number[] = []
  const measure = async () => {
    const before = run.budget.requests
    await step(context)
    sent.push(run.budget.requests - before)
  }
  await measure()
  await measure()
  later += 61_000
  await measure()
  return sent
}

test.for([
  ['a code exchange', (context: CheckContext) => context.tokens.control(), 0],
  ['UserInfo', (context: CheckContext) => context.resources.userinfoControl(), 0],
  // The request itself, and after a minute the control before it.
  [
    'an authorization',
    (context: CheckContext) => context.authorization.authorize('signed-in', { scope: 'openid' }),
    1,
  ],
] as const)('the control of %s is valid for a minute and then repeated', async ([, step, own]) => {
  const [, again = 0, anew = 0] = await requestsOf(step)
  expect(again).toBe(own)
  expect(anew).toBeGreaterThan(again)
})
