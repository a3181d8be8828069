import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type RunningProvider, startProvider } from '../../provider/index.ts'
import { projectRoot } from '../../src/project.ts'
import type { RunResults } from '../../src/results/results.ts'
import { plumbline, startPlumbline } from '../cli/command.ts'
import { startSite } from './site.ts'

const json = { 'content-type': 'application/json' }
const noEvents = JSON.stringify({ events: [], page: 0, pageSize: 1, total: 0 })

let provider: RunningProvider
let out: string
beforeAll(async () => {
  provider = await startProvider({ limit: { requests: 15, windowSeconds: 3 } })
  out = mkdtempSync(join(tmpdir(), 'plumbline-probe-'))
})
afterAll(async () => {
  rmSync(out, { recursive: true, force: true })
  await provider.close()
})

/** Runs the command against the provider of this test. */
async function probe(words: readonly string[], variables: Record<string, string> = {}) {
  const { code, stdout, stderr } = await plumbline(['probe', '--out', out, ...words], placeWith(variables))
  const text = stdout + stderr
  return { code, text, unwrapped: text.replace(/\n +/g, ' ') }
}

/** Starts it as a process of its own. */
function startProbe(words: readonly string[], variables: Record<string, string> = {}) {
  return startPlumbline(['probe', '--out', out, ...words], placeWith(variables))
}

const placeWith = (variables: Record<string, string>) => ({
  cwd: out,
  env: { ...provider.variables, ...variables },
})

/** What the Allure report is built from. */
function allureResults(run: string) {
  const folder = join(run, 'allure-results')
  return readdirSync(folder)
    .filter((file) => file.endsWith('-result.json'))
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as AllureResult)
}

interface AllureResult {
  readonly name: string
  readonly parameters: readonly { readonly name: string; readonly value: string }[]
}

const results = () => JSON.parse(readFileSync(join(out, 'latest', 'results.json'), 'utf8')) as RunResults

describe('plumbline probe', () => {
  test('--dry-run shows the most that a run would send, and sends nothing', async () => {
    const before = provider.requests.length
    const { code, text } = await probe(['--dry-run', '--probe', 'ramp,hold', '--endpoint', 'event-search'])
    expect(text).toMatch(/ramp {7}event-search {2}up to 2500 requests, 60 s$/m)
    expect(text).toContain('At most 120 s in total')
    expect(code).toBe(0)
    expect(provider.requests).toHaveLength(before)
  })

  test('a LOGIN_BUDGET that is too small is reported by a dry run, and rejected otherwise', async () => {
    const before = provider.requests.length
    const words = ['--probe', 'ramp', '--endpoint', 'userinfo']
    const dry = await probe(['--dry-run', ...words], { LOGIN_BUDGET: '0' })
    expect(dry.text).toContain('The run would not start: LOGIN_BUDGET is 0, but these probes need 1 login\n')
    expect(dry.code).toBe(0)
    const run = await probe(words, { LOGIN_BUDGET: '0' })
    expect(run.text).toContain(
      'LOGIN_BUDGET is 0, but these probes need 1 login (for example LOGIN_BUDGET=1)',
    )
    expect(run.code).toBe(3)
    expect(provider.requests).toHaveLength(before)
  })

  test('all that the target sees is announced: the requests of the probes, and those before them', async () => {
    const site = await startSite((_, response, index) =>
      index < 5
        ? response.writeHead(200, json).end(noEvents)
        : response.writeHead(429, { ...json, 'retry-after': '1' }).end('{}'),
    )
    const { unwrapped: text } = await probe(['--probe', 'anatomy', '--endpoint', 'event-search'], {
      PARTNER_API_URL: site.url.href.replace(/\/$/, ''),
      LOAD_MAX_REQUESTS: '10',
    })
    await site.close()
    expect(text).toContain('Before the probes: normally 1 request ')
    expect(text).toContain(
      'the 5th request of the probe was throttled (the limit may also count 1 request sent in the minute before the probe), Retry-After ',
    )
    expect(site.arrivals).toHaveLength(6)
  }, 60_000)

  test('leaves a run with files of each probe, in the form of every run, without a secret', async () => {
    const before = provider.requests.length
    const caps = { LOAD_MAX_REQUESTS: '60' }
    const { code, unwrapped: text } = await probe(
      ['--probe', 'anatomy,recovery', '--endpoint', 'event-search'],
      caps,
    )
    expect(text).toContain('recovery of event-search: Retry-After is long enough')
    expect(code).toBe(0)
    const run = results()
    const schema = JSON.parse(readFileSync(join(projectRoot, 'schemas', 'run-results.schema.json'), 'utf8'))
    const ajv = new Ajv2020({ allErrors: true, strict: false })
    addFormats.default(ajv)
    expect(ajv.validate(schema, run), ajv.errorsText()).toBe(true)
    expect(run.run).toMatchObject({ kind: 'probe', completed: true })
    expect(run.budget.requests).toBeLessThanOrEqual(60)
    // The preflight and the control are not probes.
    expect(provider.requests.length - before).toBeLessThanOrEqual(60 + 3)
    const verdicts = new Map(run.requirements.map(({ id, verdict }) => [id, verdict]))
    expect(verdicts.get('PLATFORM-LIMIT-VALUES')).toBe('observed')
    expect(verdicts.get('PLATFORM-THROTTLE-BODY')).toBe('pass')
    expect(verdicts.get('PLATFORM-RETRY-AFTER')).toBe('pass')
    expect(run.observations).toContainEqual({
      key: 'limits.event-search.recovery.retry-after',
      value: 'long enough',
      requirement: 'PLATFORM-LIMIT-VALUES',
      check: 'recovery of event-search',
      measured: { endpoint: 'event-search', source: 'recovery', figure: 'retry-after' },
    })
    // The report shows what each probe saw, and nothing of the others.
    const shown = new Map(
      allureResults(join(out, 'latest')).map(({ name, parameters }) => [
        name,
        parameters.map((one) => one.name),
      ]),
    )
    expect(shown.get('recovery of event-search')).toEqual(['retry-after'])
    expect(shown.get('anatomy of event-search')).toEqual([
      'throttled',
      'retry-after',
      'ratelimit-fields',
      'media-type',
      'body',
    ])
    const secrets = [provider.variables.PARTNER_CLIENT_SECRET, provider.variables.CLIENT_SECRET] as string[]
    for (const name of ['anatomy', 'recovery']) {
      for (const type of ['svg', 'json', 'csv']) {
        const file = join(out, 'latest', 'probes', `${name}-event-search.${type}`)
        expect(existsSync(file)).toBe(true)
        for (const secret of secrets) expect(readFileSync(file, 'utf8')).not.toContain(secret)
      }
    }
    for (const secret of secrets) expect(JSON.stringify(run)).not.toContain(secret)
  }, 60_000)

  test('a target that dies is reported with the earlier responses, and nothing is observed', async () => {
    const site = await startSite((request, response, index) =>
      index < 10 ? response.writeHead(200, json).end(noEvents) : request.socket.resetAndDestroy(),
    )
    const { code, unwrapped: text } = await probe(['--probe', 'anatomy,ramp', '--endpoint', 'event-search'], {
      PARTNER_API_URL: site.url.href.replace(/\/$/, ''),
    })
    await site.close()
    expect(text).toContain('(ended early: 3 consecutive requests had no response (the last: reset))')
    expect(text).toContain('ramp of event-search: no request was sent')
    expect(code).toBe(2)
    expect(results().observations).toEqual([])
    expect(readFileSync(join(out, 'latest', 'probes', 'anatomy-event-search.csv'), 'utf8')).toMatch(/,reset,/)
  }, 60_000)

  test('a wait of a day ends the sending, and the remaining checks are inconclusive', async () => {
    const site = await startSite((_, response, index) =>
      index < 5
        ? response.writeHead(200, json).end(noEvents)
        : response
            .writeHead(429, { ...json, 'retry-after': '86400' })
            .end('{"error":"temporarily_unavailable"}'),
    )
    const { code, unwrapped: text } = await probe(
      ['--probe', 'anatomy,recovery', '--endpoint', 'event-search'],
      {
        PARTNER_API_URL: site.url.href.replace(/\/$/, ''),
      },
    )
    await site.close()
    expect(text).toMatch(/Retry-After is 86400 s, but only [\d.]+ s of LOAD_MAX_SECONDS are left/)
    expect(code).toBe(1)
    expect(results().observations.map(({ check }) => check)).not.toContain('recovery of event-search')
    expect(site.arrivals.length).toBeLessThanOrEqual(6)
  }, 60_000)

  test('the capacity of your own server is reported with its 429s, which count in the budget of the run', async () => {
    const { code, text } = await probe(['--probe', 'capacity', '--endpoint', 'event-search'], {
      LOAD_MAX_REQUESTS: '300',
    })
    expect(code).toBe(0)
    const { budget, requirements } = results()
    expect(budget).toMatchObject({ requests: 300, requestCap: 300 })
    expect(budget.throttled).toBeGreaterThan(200)
    expect(text).toContain(`throttled ${budget.throttled} times`)
    const checks = requirements.flatMap((requirement) => requirement.checks)
    expect(checks.find(({ name }) => name === 'capacity of event-search')?.basis).toEqual({
      requests: 300,
      throttled: budget.throttled,
      unanswered: 0,
      'time-outs': 0,
      reconnects: 0,
    })
    // The form of those 429s is judged like any other.
    expect(requirements.find(({ id }) => id === 'PLATFORM-THROTTLE-BODY')?.verdict).toBe('pass')
  }, 60_000)

  test('the reader of the output may stop reading: the run continues, and its results are complete', async () => {
    const { child, ended } = startProbe(['--probe', 'ramp'], { LOAD_MAX_REQUESTS: '10' })
    child.stdout?.once('data', () => child.stdout?.destroy())
    expect((await ended).code).toBe(0)
    expect(results().run.completed).toBe(true)
  }, 60_000)

  test('Ctrl-C ends it with the results so far, and nothing is sent afterwards', async () => {
    const before = provider.requests.length
    const { child, ended } = startProbe(['--probe', 'recovery', '--endpoint', 'event-search'])
    await vi.waitUntil(() => provider.requests.length - before >= 10, { timeout: 60_000, interval: 20 })
    child.kill('SIGINT')
    expect((await ended).code).toBe(130)
    expect(results().run.completed).toBe(false)
    const sent = provider.requests.length
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(provider.requests).toHaveLength(sent)
  }, 60_000)

  test.for([
    [['--probe', 'rampe'], /--probe "rampe" is not one of/],
    [['--endpoint', 'search'], /--endpoint "search" is not one of/],
    [['--what-if', '--export', 'artillery'], /exclude each other: use one of them/],
    [['--export', 'k6'], /--export is k6/],
    [['--import', 'nothing.jsonl'], /cannot read nothing\.jsonl/],
    [['--what-if', 'nothing'], /nothing is neither a directory with results\.json nor the id of a run/],
  ] as const)('%j is refused with a sentence, and nothing is sent', async ([words, sentence]) => {
    const before = provider.requests.length
    const { code, text } = await probe(words)
    expect(text).toMatch(sentence)
    expect(code).toBe(3)
    expect(provider.requests).toHaveLength(before)
  })
})
