import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningProvider, startProvider } from '../../provider/index.ts'
import { type LaunchedBrowser, launchBrowser } from '../../src/browser/index.ts'
import { errorOf } from '../../src/check/authorization/landing-content.ts'
import { createContext } from '../../src/check/fixtures.ts'
import { RunContext } from '../../src/check/run-context.ts'
import type { Exchange } from '../../src/evidence/exchange.ts'
import { targetFrom } from '../../src/target/config.ts'
import { malformedRequests } from '../../suites/authorization/flaws.ts'
import { RefusalSteps } from '../../suites/authorization/refusal-steps.ts'

let provider: RunningProvider
let browser: LaunchedBrowser
let run: RunContext
let refusals: RefusalSteps

beforeAll(async () => {
  provider = await startProvider()
  const target = targetFrom('embedded', provider.variables)
  browser = await launchBrowser({ hosts: target.hosts })
  run = new RunContext({ target, openAgent: browser.openAgent })
  refusals = new RefusalSteps(run, createContext(run, 'AUTHZ-ERROR-STATE'))
})
afterAll(async () => {
  await run?.close()
  await browser?.close()
  await provider?.close()
})

test('refusals of a run are collected from requests that are sent once', async () => {
  const [first] = malformedRequests
  await refusals.landingOf(first)
  expect(run.authorizationLog.refusals).toEqual([
    expect.objectContaining({ difference: first.difference, isRequired: true }),
  ])

  const all = await refusals.all()
  const differences = all.map(({ difference }) => difference)
  expect(differences).toHaveLength(new Set(differences).size)
  expect(differences).toEqual(expect.arrayContaining(malformedRequests.map(({ difference }) => difference)))
  expect(all.every(({ landing }) => errorOf(landing) !== undefined)).toBe(true)

  const { requests } = run.budget
  await refusals.all()
  await refusals.landingOf(first)
  expect(run.budget.requests).toBe(requests)
})

test('a code, and a refusal without a known application, do not count as refusals of the run', async () => {
  const before = run.authorizationLog.refusals.length
  const { authorization } = createContext(run, 'AUTHZ-ERROR-STATE')
  await authorization.authorize('passive', { scope: 'openid' })
  await authorization.authorize('passive', { client_id: null })
  await authorization.authorize('passive', { redirect_uri: null })
  expect(run.authorizationLog.refusals).toHaveLength(before)
})

test('the evidence of a refusal is its own requests', async () => {
  const [refusal] = await refusals.all()
  const exchanges: Exchange[] = []
  await run.recorder.collectInto(exchanges, async () => refusals.show(refusal ? [refusal] : []))
  expect(exchanges).toEqual(refusal?.exchanges)
})
