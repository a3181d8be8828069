import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestResult } from 'allure-js-commons'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium } from '../../src/browser/find-chromium.mjs'
import { writeReports } from '../../src/report/report.ts'
import { readRun } from '../../src/results/saved-run.ts'
import { schemaErrors } from '../results/fixture/schema.ts'
import { type Ended, startSyntheticRun } from '../results/fixture/start.ts'
import { canary, facts, hostile } from '../results/fixture/synthetic.ts'

const reportDir = mkdtempSync(join(tmpdir(), 'plumbline-reports-'))
const directory = join(reportDir, 'runs', facts.id)
let ended: Ended
let browser: Browser

beforeAll(async () => {
  const path = findChromium()?.path
  const launch = chromium.launch({
    ...(path !== undefined && { executablePath: path }),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  })
  ended = await startSyntheticRun(reportDir).ended
  browser = await launch
})

afterAll(async () => {
  await browser.close()
  rmSync(reportDir, { recursive: true, force: true })
})

const read = (file: string) => readFileSync(join(directory, file), 'utf8')
const files = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

describe('results.json', () => {
  test('is valid by its schema, and shows that not all checks ran', () => {
    const results = readRun(directory)
    expect(schemaErrors(results)).toEqual([])
    expect(results.run.completed).toBe(false)
    expect(results.totals).toEqual({ pass: 3, fail: 1, inconclusive: 4, 'not-applicable': 2, observed: 1 })
    expect(results.budget).toEqual({ requests: 9, logins: 1, throttled: 4, requestCap: 500, loginCap: 15 })
    expect(results.observations.map(({ key }) => key)).toEqual(['discovery.fields', 'discovery.hostile'])
  })

  test('has a cause and a reason for checks that crashed, timed out or did not run', () => {
    const checks = new Map(readRun(directory).requirements.map(({ id, checks }) => [id, checks]))
    expect(checks.get('EVENT-PAGINATION')?.[0]).toMatchObject({ verdict: 'inconclusive', cause: 'harness' })
    expect(checks.get('EVENT-PAGINATION')?.[0]?.reason).toContain('TypeError')
    expect(checks.get('PLATFORM-NOT-FOUND')?.[0]).toMatchObject({ verdict: 'inconclusive', cause: 'harness' })
    expect(checks.get('PLATFORM-THROTTLE-BODY')).toMatchObject([
      { verdict: 'inconclusive', cause: 'environment' },
      { verdict: 'inconclusive', cause: 'environment' },
    ])
  })

  test('is named by latest', () => {
    expect(readlinkSync(join(reportDir, 'latest'))).toBe(join('runs', facts.id))
  })
})

test('a defect of the harness decides the exit code', () => {
  expect(ended.code).toBe(4)
})

test("the text of a test's error is neither printed nor written", () => {
  expect(ended.output).not.toContain(canary)
  const written = files(reportDir)
  expect(written.length).toBeGreaterThan(20)
  expect(written.filter((file) => readFileSync(file, 'utf8').includes(canary))).toEqual([])
  expect(written.filter((file) => file.endsWith('.tmp'))).toEqual([])
})

test('without a terminal there is one line per area, and no escape sequence', () => {
  expect(ended.output).toMatch(/^discovery +2 checks: 1 pass, 1 observed$/m)
  expect(ended.output).toMatch(/^platform +3 checks: 1 inconclusive, 2 not run$/m)
  expect(ended.output).not.toContain('\x1b')
  expect(ended.output.trimEnd().split('\n').at(-1)).toBe(`Report: ${join(directory, 'report', 'index.html')}`)
})

test('Allure results carry verdict, tree and stable ids', () => {
  const results = readdirSync(join(directory, 'allure-results'))
    .filter((file) => file.endsWith('-result.json'))
    .map((file) => JSON.parse(read(join('allure-results', file))) as TestResult)
  const of = (id: string) => results.filter(({ labels }) => labels.some(({ value }) => value === id))
  expect(results).toHaveLength(12)
  expect(of('EVENT-WINDOW-LIMIT')).toMatchObject([
    { status: 'failed', titlePath: ['event-search', 'EVENT-WINDOW-LIMIT'] },
  ])
  expect(of('TOKEN-REFRESH-RACE')).toMatchObject([{ status: 'broken' }])
  expect(of('TOKEN-CLIENT-SECRET')).toMatchObject([{ status: 'skipped' }])
  expect(of('EVENT-VERSION-GROWTH')).toMatchObject([{ status: 'skipped' }])
  expect(of('DISCOVERY-FIELDS')).toMatchObject([{ status: 'passed' }])
  expect(of('DISCOVERY-FIELDS')[0]?.labels).toContainEqual({ name: 'tag', value: 'observed' })
  expect(results.every(({ uuid, historyId }) => uuid === historyId)).toBe(true)
})

test('junit.xml is well-formed and keeps the verdicts apart', async () => {
  const page = await browser.newPage()
  const seen = await page.evaluate((xml) => {
    const parsed = new DOMParser().parseFromString(xml, 'application/xml')
    const count = (selector: string) => parsed.querySelectorAll(selector).length
    const root = parsed.documentElement
    return {
      problem: parsed.querySelector('parsererror')?.textContent ?? null,
      found: ['testcase', 'failure', 'error', 'skipped'].map(count),
      counted: ['tests', 'failures', 'errors', 'skipped'].map((name) => Number(root.getAttribute(name))),
      message: parsed.querySelector('failure')?.getAttribute('message'),
    }
  }, read('junit.xml'))
  await page.close()
  expect(seen.problem).toBeNull()
  expect(seen.found).toEqual([12, 1, 5, 2])
  expect(seen.counted).toEqual(seen.found)
  expect(seen.message).toContain(hostile)
})

test('summary.md names every requirement that does not pass, and shows hostile text as text', () => {
  const summary = read('summary.md')
  for (const { id, verdict } of readRun(directory).requirements) {
    if (verdict !== 'pass') expect(summary).toContain(id)
  }
  expect(summary).toContain('[HTML report](report/index.html)')
  expect(summary).not.toContain('<script>')
})

describe('report/checks.html', () => {
  const outside: string[] = []
  const alerts: string[] = []
  let page: Page

  beforeAll(async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 1400 }, offline: true })
    context.on('request', (request) => {
      if (!/^(file|data|blob):/.test(request.url())) outside.push(request.url())
    })
    page = await context.newPage()
    page.on('dialog', (dialog) => {
      alerts.push(dialog.message())
      void dialog.dismiss()
    })
    await page.goto(`file://${join(directory, 'report', 'checks.html')}`)
  })

  /** The text of a check: its message and its description. */
  const textOf = async (name: string) => {
    await page.evaluate(() => {
      location.hash = ''
    })
    await page.getByText(name).click()
    await page
      .getByTestId('test-result-status-failed')
      .or(page.getByTestId('test-result-status-broken'))
      .waitFor()
    const description = page
      .frameLocator('[data-testid="test-result-description-frame"]')
      .locator('body')
      .innerText()
    return `${await page.locator('#app').innerText()} ${await description}`.replace(/\s+/g, ' ')
  }

  test('shows the violated requirement', async () => {
    const text = await textOf('a window over 24 hours is refused')
    expect(text).toContain(
      'requirement A window over 24 hours is refused with status 400. (EVENT-WINDOW-LIMIT, section "Event search (pull)")',
    )
    expect(text).toContain('level must')
    expect(text).toContain('verdict fail, cause: target')
    expect(text).toContain('request: GET /events/search with a window of 24 hours and one minute')
    expect(text).toContain('expected: status 400')
    expect(text).toContain(`actual: status 200 with 10 events ${hostile}`)
    expect(text).toContain('based on 10 events')
    expect(text).toContain('repeat npx plumbline check --target uat --only EVENT-WINDOW-LIMIT')
    await expect(page.title()).resolves.toContain('Plumbline')
  })

  test('shows the exchange: request line, headers by name, status, shape of the body, curl', async () => {
    await page.getByTestId('test-result-step-title').first().click()
    const attachments = page.getByTestId('test-result-attachment-header')
    await attachments.nth(0).click()
    await attachments.nth(1).click()
    const exchange = page.getByTestId('http-attachment-content').first()
    await exchange.getByText('x-client-secret').waitFor()
    const text = (await exchange.innerText()).replace(/\s+/g, ' ')
    expect(text).toContain('GET https://partner.uat.example/events/search?from=2026-11-20T00%3A00%3A00.000')
    expect(text).toContain('<40 characters, #Zk1uTn5w>')
    expect(text).toMatch(/RESPONSE 200/i)
    expect(text).toContain('"timestamp": "string(23)"')
    // The page loads an attachment when it opens it.
    await page.getByTestId('code-attachment-content').filter({ hasText: 'curl -sS' }).waitFor()
    expect(await page.getByTestId('code-attachment-content').last().innerText()).toContain('curl -sS')
  })

  test('reports why a requirement is inconclusive', async () => {
    const text = await textOf('each of two concurrent refreshes answers')
    expect(text).toContain('verdict inconclusive, cause: throttled')
    expect(text).toContain('the token endpoint returned 429 four times')
  })

  test('sends no request elsewhere, and executes nothing that a target sent', () => {
    expect(outside).toEqual([])
    expect(alerts).toEqual([])
    expect(read('report/checks.html')).not.toMatch(/googletagmanager|google-analytics/)
  })
})

test('a failed report affects neither the other files nor an earlier report', async () => {
  const warnings: string[] = []
  const before = read('report/index.html')
  rmSync(join(directory, 'allure-results'), { recursive: true })
  writeFileSync(join(directory, 'allure-results'), 'in the way')
  rmSync(join(directory, 'junit.xml'))
  await expect(
    writeReports(directory, { warn: (sentence) => warnings.push(sentence) }),
  ).resolves.toBeUndefined()
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatch(/^The HTML report could not be built \(.+\)/)
  expect(read('junit.xml')).toContain('</testsuites>')
  expect(read('report/index.html')).toBe(before)
  expect(read('summary.md')).toContain('report/index.html')
})
