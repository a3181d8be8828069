import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { endpoints } from '../../load/endpoints.ts'
import type { ProbeResult } from '../../load/result.ts'
import { runSteps } from '../../load/run-steps.ts'
import { type LaunchedBrowser, launchBrowser } from '../../src/browser/index.ts'
import { createContext } from '../../src/check/fixtures.ts'
import { RunContext } from '../../src/check/run-context.ts'
import type { RunResults } from '../../src/results/results.ts'
import { targetFrom } from '../../src/target/config.ts'
import { plumbline } from '../cli/command.ts'
import { type Answer, answer, inTurn, type Seen, site } from '../http/site.ts'

// Compares with the requests that a server received: a budget is complete only if it counts all of them.

const json = { 'Content-Type': 'application/json' }

const throttledBody = '{"error":"temporarily_unavailable","error_description":"later"}'

function throttled(seconds: number): Answer {
  const headers = { 'Content-Type': 'application/json', 'Retry-After': String(seconds) }
  return (response) => response.writeHead(429, headers).end(throttledBody)
}

const variables = (origin: string) => ({
  IDP_BASE_URL: origin,
  PARTNER_API_URL: `${origin}/partner`,
  PRODUCTION_HOSTS: 'none',
  CLIENT_ID: 'application',
  CLIENT_SECRET: 'canary-client-secret',
  REDIRECT_URI: 'https://app.invalid/callback',
  PARTNER_CLIENT_ID: 'hub',
  PARTNER_CLIENT_SECRET: 'canary-partner-secret',
  REQUESTS_PER_SECOND: '100',
})

let out: string
beforeAll(() => {
  out = mkdtempSync(join(tmpdir(), 'plumbline-budget-'))
})
afterAll(() => rmSync(out, { recursive: true, force: true }))

/** A check run as a user starts it. */
async function checked(answers: Answer, only: readonly string[], more: Record<string, string> = {}) {
  const server = await site(answers)
  const words = ['check', '--target', 'uat', '--only', ...only, '--no-report', '--out', out]
  const env = { ...variables(server.url().origin), ...more }
  await plumbline(words, { cwd: out, env })
  const results: RunResults = JSON.parse(readFileSync(join(out, 'latest', 'results.json'), 'utf8'))
  return { log: server.log, results }
}

describe('preflight and checks', () => {
  test.each([2, 4])(
    'together send no more than a REQUEST_BUDGET of %i',
    async (requests) => {
      const { log, results } = await checked(answer(200), ['PLATFORM-*', 'EVENT-*'], {
        REQUEST_BUDGET: String(requests),
      })
      expect(log).toHaveLength(requests)
      expect(results.budget.requests).toBe(requests)
    },
    60_000,
  )

  test('a 429 of the preflight slows the checks, is counted, and is judged by them', async () => {
    const { log, results } = await checked(inTurn(throttled(1), answer(200, json)), ['PLATFORM-*', 'EVENT-*'])
    expect(results.budget).toMatchObject({ requests: log.length, throttled: 1 })
    const verdicts = new Map(results.requirements.map(({ id, verdict }) => [id, verdict]))
    expect(verdicts.get('PLATFORM-THROTTLE-BODY')).toBe('pass')
    const [refused, retried, , ...ofChecks] = log.map(({ at }) => at) as [number, number, number, ...number[]]
    expect(retried - refused).toBeGreaterThanOrEqual(1000)
    // 100 requests/s are 10 ms apart; a target that has throttled gets at most 10 requests/s.
    expect(ofChecks.length).toBeGreaterThan(3)
    expect((ofChecks.at(-1) ?? 0) - (ofChecks[0] ?? 0)).toBeGreaterThanOrEqual(
      100 * (ofChecks.length - 1) - 50,
    )
  }, 60_000)

  test('a Retry-After of the preflight that is too long keeps every check from sending', async () => {
    const { log, results } = await checked(throttled(100), ['DISCOVERY-*'])
    expect(log).toHaveLength(1)
    expect(results.budget).toMatchObject({ requests: 1, throttled: 1 })
    expect(results.totals.inconclusive).toBe(results.requirements.length)
  }, 60_000)
})

describe('the browser', () => {
  let browser: LaunchedBrowser
  beforeAll(async () => {
    browser = await launchBrowser({ hosts: ['127.0.0.1:*'] })
  })
  afterAll(() => browser.close())

  test('its Retry-After also pauses HTTP requests, and its requests and 429s count', async () => {
    const server = await site((response, seen, number) => {
      if (seen.url.startsWith('/favicon')) response.end()
      else if (number === 1) throttled(2)(response, seen, number)
      else
        response
          .writeHead(302, { Location: 'https://app.invalid/callback?error=login_required&state=s' })
          .end()
    })
    const target = targetFrom('embedded', variables(server.url().origin))
    const run = new RunContext({ target, openAgent: browser.openAgent })
    const context = createContext(run)
    onTestFinished(async () => {
      await context.execution.close()
      await run.close()
    })
    const journey = context.authorization.authorize('anonymous').catch(() => undefined)
    await vi.waitUntil(() => run.budget.throttled === 1, { timeout: 10_000 })
    await Promise.all([journey, context.identityProvider.discovery()])
    const [first, ...later] = server.log
    expect(later.map(({ url }) => url.split('?')[0])).toContain('/.well-known/openid-configuration')
    for (const { at } of later) expect(at - (first as Seen).at).toBeGreaterThanOrEqual(2000)
    expect(run.budget).toMatchObject({ requests: server.log.length, throttled: 1 })
    const [refusal] = run.budget.throttledResponses
    expect(refusal).toMatchObject({ status: 429, hasUnknownBody: false })
    expect(refusal?.object).toEqual(JSON.parse(throttledBody))
  }, 60_000)
})

describe('another identity of a probe', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  /** Runs probes whose preparation is one request of each identity: `second` is the response to the second one. */
  async function probed(second: Answer, more: Record<string, string> = {}) {
    const server = await site(inTurn(answer(200), second, answer(200)))
    vi.spyOn(endpoints['event-search'], 'prepare').mockImplementation(
      async ({ identityProvider, target }) => {
        await identityProvider.discovery()
        const url = new URL(`${target.partnerApiUrl}/events/search`)
        return { next: () => ({ method: 'GET', url, headers: [] }) }
      },
    )
    const target = targetFrom('embedded', {
      ...variables(server.url().origin),
      UNENTITLED_CLIENT_ID: 'other',
      UNENTITLED_CLIENT_SECRET: 'canary-other-secret',
      LOAD_MAX_REQUESTS: '10',
      LOAD_MAX_SECONDS: '30',
      ...more,
    })
    const run = new RunContext({ target })
    onTestFinished(() => run.close())
    const results: ProbeResult[] = []
    const watcher = {
      progress: { phase: () => undefined, shot: () => undefined },
      begins: () => undefined,
      throttled: () => undefined,
      ends: async (_: unknown, result: ProbeResult) => void results.push(result),
    }
    const plan = { probes: ['dimension', 'anatomy'], endpoints: ['event-search'] } as const
    await runSteps(run, plan, watcher, new AbortController().signal)
    return { log: server.log, run, results }
  }

  test('counts its requests in the budget of the run', async () => {
    const { log, run, results } = await probed(answer(200))
    const ofProbes = results.reduce((sum, { requests }) => sum + requests, 0)
    expect(ofProbes).toBe(10)
    expect(run.budget.requests).toBe(2)
    expect(log).toHaveLength(12)
  })

  test('sends nothing once REQUEST_BUDGET is spent', async () => {
    const { log, results } = await probed(answer(200), { REQUEST_BUDGET: '1' })
    expect(results[0]?.ended).toContain('the budget of 1 request is spent')
    expect(log.filter(({ url }) => url.startsWith('/.well-known'))).toHaveLength(1)
  })

  test('its Retry-After also pauses later probes, and its 429 is recorded', async () => {
    const { log, run, results } = await probed(throttled(100))
    expect(log).toHaveLength(2)
    expect(results.map(({ ended }) => ended)).toEqual([
      expect.stringContaining('requires a wait of 100 s'),
      expect.stringContaining('Retry-After is '),
    ])
    expect(run.budget.throttled).toBe(1)
    expect(run.budget.throttledResponses.map(({ status }) => status)).toEqual([429])
  })
})
