import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type RunningProvider, startProvider } from '../../provider/index.ts'
import { loadSuites } from '../../src/check/suites.ts'
import { embeddedCosts } from '../../src/run/costs.ts'
import { estimateOf, measurementsOf, shortages } from '../../src/run/estimate.ts'
import { planOf } from '../../src/run/plan.ts'
import { runChecks } from '../../src/run/run-checks.ts'
import { targetFrom } from '../../src/target/config.ts'
import type { Target } from '../../src/target/target.ts'

// Whole runs.
vi.setConfig({ testTimeout: 180_000 })

const embedded = {
  beforehand: 1,
  logins: [3],
  pages: [2, 5],
  checks: { a: [2, 3, 4], b: [5, 6], idle: [] },
  notApplicable: {},
}
const page = { requests: 30, assets: 25, measuredAt: '2026-11-22T10:00:00.000Z' }

describe('an estimate', () => {
  test('adds to the costs on the embedded provider what each login page of the target takes more', () => {
    expect(estimateOf(['a', 'b'], { embedded, runs: [] })).toMatchObject({ requests: 6, logins: 1 })
    // 25 assets once, and three requests more for each of two pages.
    const estimate = estimateOf(['a', 'b'], { embedded, runs: [], page })
    expect(estimate).toMatchObject({ requests: 6 + 25 + 2 * 3, logins: 1 })
    expect(estimate.basis).toContain(
      'one login page on this target on 2026-11-22: 30 requests, 25 of them only once per run',
    )
  })

  test('rests on an earlier run of the target where that executed all of the checks', () => {
    const costs = { ...embedded, checks: { a: [1, 2, 3, 4, 5], b: [], idle: [] }, logins: [] }
    const run = { costs, logins: 2, date: '2026-11-20' }
    // A later run of other checks does not hide it.
    const narrow = { costs: { ...costs, checks: { b: [1] } }, logins: 0, date: '2026-11-21' }
    expect(estimateOf(['a', 'idle'], { embedded, page, runs: [narrow, run] })).toEqual({
      requests: 6,
      logins: 2,
      pages: 2,
      basis: 'measured on this target in the run of 2026-11-20',
    })
    expect(estimateOf(['a', 'b'], { embedded, page, runs: [narrow, run] }).basis).toMatch(
      /^measured on the embedded provider/,
    )
  })

  test('names the budgets that do not suffice, and numbers that would', () => {
    const target = { requestBudget: 100, loginBudget: 2 } as Target
    expect(shortages({ requests: 100, logins: 2, basis: '' }, target)).toEqual([])
    expect(shortages({ requests: 205, logins: 3, basis: '' }, target)).toEqual([
      'REQUEST_BUDGET=100 is too small: this run needs about 205 requests. Set REQUEST_BUDGET=230, which includes a reserve of at least 10 %',
      'LOGIN_BUDGET=2 is too small: this run needs about 3 logins. Set LOGIN_BUDGET=3',
    ])
  })
})

describe('a target with a heavy login page', () => {
  let provider: RunningProvider
  let reportDir: string
  beforeAll(async () => {
    provider = await startProvider({ variants: ['pages-with-25-assets'] })
    reportDir = mkdtempSync(join(tmpdir(), 'plumbline-estimate-'))
  })
  afterAll(async () => {
    await provider?.close()
    rmSync(reportDir, { recursive: true, force: true })
  })

  const target = (requestBudget: number) =>
    targetFrom('uat', {
      ...provider.variables,
      PRODUCTION_HOSTS: 'none',
      REPORT_DIR: reportDir,
      REQUESTS_PER_SECOND: '1000',
      REQUEST_BUDGET: String(requestBudget),
      ENABLE: 'credential-probes,token-destruction',
    })

  async function run(requestBudget: number) {
    const stream = new PassThrough()
    const { results } = await runChecks({
      target: target(requestBudget),
      selection: { only: [], areas: [] },
      report: false,
      output: Object.assign(stream, { columns: 200 }) as unknown as NodeJS.WriteStream,
      runner: 'direct',
    })
    return { results, output: String(stream.read()) }
  }

  test('is measured before the first run, which names the budget that suffices, and it does', async () => {
    const short = await run(225)
    const [, advised = ''] =
      /^REQUEST_BUDGET=225 is too small: this run needs about \d+ requests\. Set REQUEST_BUDGET=(\d+), which includes a reserve of at least 10 %\. Otherwise, checks that run after the budget is spent are inconclusive\. The estimate is measured on the embedded provider, and for one login page on this target on .*: 18 requests, 16 of them only once per run;/.exec(
        short.output,
      ) ?? []
    expect(Number(advised)).toBeGreaterThan(200)
    expect(JSON.parse(readFileSync(join(reportDir, 'login-pages.json'), 'utf8'))).toMatchObject({
      [provider.variables.IDP_BASE_URL ?? '']: { requests: 18, assets: 16 },
    })

    const stopped = (area: string) =>
      short.results.requirements
        .filter((requirement) => requirement.area === area)
        .flatMap(({ checks }) => checks)
        .filter(({ reason }) => reason?.includes('the budget of 225 requests is spent'))
    const { checks } = await loadSuites()
    const runsLast = new Set(checks.flatMap(({ runsLast, file }) => (runsLast ? [file] : [])))
    // What most users need has had its turn before the budget is spent.
    for (const id of ['AUTHZ-CODE-FLOW', 'TOKEN-CODE-EXCHANGE', 'TOKEN-REFRESH', 'EVENT-FROM-INCLUSIVE'])
      expect({ id, verdict: short.results.requirements.find((one) => one.id === id)?.verdict }).toEqual({
        id,
        verdict: 'pass',
      })
    for (const area of ['id-token', 'event-search', 'userinfo'])
      expect(stopped(area).filter(({ file }) => !runsLast.has(file))).toEqual([])
    expect(stopped('authorization').length).toBeGreaterThan(10)

    const whole = await run(Number(advised))
    expect(whole.output).not.toContain('is too small')
    expect(whole.results.totals.inconclusive).toBe(0)
    expect(whole.results.budget.requests).toBeLessThan(Number(advised))

    const measured = measurementsOf(target(500), embeddedCosts())
    const { estimate } = planOf(checks, target(500), measured)
    expect(estimate.basis).toMatch(/^measured on this target in the run of \d{4}-\d\d-\d\d$/)
    expect(Math.abs(estimate.requests - whole.results.budget.requests)).toBeLessThanOrEqual(1)
    expect(estimate.logins).toBe(whole.results.budget.logins)
  })
})
