import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AxeResults, RunOptions } from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findChromium } from '../../src/browser/find-chromium.mjs'
import { pages } from '../../src/report/pages/page.ts'
import { buildReport } from '../../src/report/report.ts'
import { writeHistory } from '../results/fixture/history.ts'
import { hostile } from '../results/fixture/synthetic.ts'

declare const axe: { run(context: Document, options: RunOptions): Promise<AxeResults> }

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const reportDir = mkdtempSync(join(tmpdir(), 'plumbline-report-'))
const own = Object.keys(pages).filter((name) => name !== 'index.html')
const schemes = ['light', 'dark'] as const
/** Of a desk and of a phone, in pixels. */
const widths = [1280, 360] as const

/** One that fails from the third last run on, and one that was throttled once. */
const failing = 'TOKEN-CODE-EXCHANGE'
const throttled = 'AUTHZ-CODE-FLOW'

let browser: Browser
let folder: string
let context: BrowserContext | undefined
const outside: string[] = []
const deviationsOf: string[] = []

beforeAll(async () => {
  const path = findChromium()?.path
  const launch = chromium.launch({
    ...(path !== undefined && { executablePath: path }),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  })
  const directories = await writeHistory(reportDir, {
    runs: 30,
    requirements: 40,
    always: [failing, throttled],
    exchanges: 3,
    came: (id, run) => {
      if (id === failing && run > 27) return { verdict: 'fail', reason: `expected 400, but ${hostile}` }
      return id === throttled && run === 29 ? { verdict: 'inconclusive' } : undefined
    },
  })
  folder = dirname((await buildReport(directories.at(-1) ?? '')) ?? '')
  browser = await launch
}, 60_000)

afterAll(async () => {
  await browser.close()
  rmSync(reportDir, { recursive: true, force: true })
})

afterEach(async () => {
  await context?.close()
  expect(outside.splice(0)).toEqual([])
  expect(deviationsOf.splice(0)).toEqual([])
})

async function open(name: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  context = await browser.newContext({ viewport: { width: 1280, height: 900 }, offline: true, ...options })
  context.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) outside.push(request.url())
  })
  const page = await context.newPage()
  page.on('dialog', (dialog) => {
    deviationsOf.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('pageerror', (error) => deviationsOf.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') deviationsOf.push(message.text())
  })
  await page.goto(`file://${join(folder, name)}`)
  return page
}

/** What axe finds, a line each: rule, and the first elements. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axeSource)
  const results = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }))
  return results.violations.map(({ id, nodes }) =>
    [id, ...nodes.slice(0, 3).map(({ html }) => html.slice(0, 160))].join('\n  '),
  )
}

const sidewaysBy = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

const shownRows = (page: Page) => page.locator('tbody tr[id]:visible').count()

describe.each(own)('%s', (name) => {
  test.each(schemes.flatMap((scheme) => widths.map((width) => ({ scheme, width }))))(
    'is accessible in $scheme at $width pixels, with everything open, and is not moved sideways',
    async ({ scheme, width }) => {
      const page = await open(name, { colorScheme: scheme, viewport: { width, height: 900 } })
      await page.evaluate(() => {
        for (const details of document.querySelectorAll('details')) details.open = true
      })
      expect(await violations(page)).toEqual([])
      expect(await sidewaysBy(page)).toBe(0)
    },
    60_000,
  )

  test('leads to the other pages, which are there', async () => {
    const page = await open(name)
    const links = await page
      .getByRole('navigation', { name: 'Pages of the report' })
      .getByRole('link')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
    expect(links).toEqual(Object.keys(pages))
    expect(links.filter((link) => !existsSync(join(folder, link)))).toEqual([])
    // Every link of the page that names a row finds it, whichever page it is in.
    const addresses = await page
      .locator('a[href*="#"]')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
    const missing = [...new Set(addresses)].filter((address) => {
      const [file, row = ''] = address.split('#')
      if (file === 'index.html' || row.includes('=') || row === 'main') return false
      return !readFileSync(join(folder, file || name), 'utf8').includes(`id="${row}"`)
    })
    expect(missing).toEqual([])
  })

  test('accepts no style and no script but its own', () => {
    const [, policy = ''] =
      /Content-Security-Policy" content="([^"]*)"/.exec(readFileSync(join(folder, name), 'utf8')) ?? []
    expect(policy).toContain('default-src &#39;none&#39;')
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
  })
})

describe('requirements.html', () => {
  test('is filtered by keyboard alone, and the address keeps what was chosen', async () => {
    const page = await open('requirements.html')
    const all = await shownRows(page)
    expect(all).toBeGreaterThan(35)
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('To the content')
    await page.getByRole('combobox', { name: 'Verdict' }).focus()
    await page.keyboard.type('fail')
    await expect.poll(() => shownRows(page)).toBe(1)
    expect(new URL(page.url()).hash).toBe('#verdict=fail')
    expect(await page.locator('output').innerText()).toBe(`1 of ${all} requirements`)
    await page.reload()
    await expect.poll(() => shownRows(page)).toBe(1)
    await page.getByRole('button', { name: 'Show all' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => shownRows(page)).toBe(all)
    expect(new URL(page.url()).hash).toBe('')
  })

  test('is filtered by area, level, cause and text together', async () => {
    const page = await open('requirements.html')
    await page.getByLabel('Cause').selectOption('throttled')
    expect(
      await page.locator('tbody tr[id]:visible').evaluateAll((rows) => rows.map(({ id }) => id)),
    ).toEqual([throttled])
    await page.getByLabel('Area').selectOption('token')
    expect(await shownRows(page)).toBe(0)
    await page.getByLabel('Cause').selectOption('')
    const ofToken = await shownRows(page)
    await page.getByLabel('Text').fill(`  Code-EXCHANGE 400`)
    expect(await shownRows(page)).toBe(1)
    expect(ofToken).toBeGreaterThan(1)
    expect(new URL(page.url()).hash).toBe('#area=token&text=++Code-EXCHANGE+400')
  })

  test('opens at a requirement that the address names, also when a filter hides it', async () => {
    const page = await open(`requirements.html#${failing}`)
    const details = page.locator(`[id="${failing}"] details`)
    expect(await details.getAttribute('open')).not.toBeNull()
    await expect.poll(() => page.locator(`[id="${failing}"]`).isVisible()).toBe(true)
    await page.getByRole('combobox', { name: 'Verdict' }).selectOption('pass')
    expect(await page.locator(`[id="${failing}"]`).isVisible()).toBe(false)
    await page.evaluate((id) => {
      location.hash = id
    }, failing)
    await expect.poll(() => page.locator(`[id="${failing}"]`).isVisible()).toBe(true)
  })

  test('takes an address that makes no sense as none', async () => {
    const page = await open('requirements.html#verdict=no-such&area=%zz')
    expect(await shownRows(page)).toBeGreaterThan(35)
  })

  test('tells of a requirement what it asks, why, by which checks and faults, and how it went before', async () => {
    const page = await open(`requirements.html#${failing}`)
    const text = (await page.locator(`[id="${failing}"]`).innerText()).replace(/\s+/g, ' ')
    expect(text).toContain(`expected 400, but ${hostile}`.replace(/\s+/g, ' '))
    expect(text).toContain('Faults that must turn it red')
    expect(await page.locator(`[id="${failing}"] .cells title`).textContent()).toBe('28 pass, then 2 fail')
  })

  test('is readable without a script, and in print', async () => {
    const still = await open('requirements.html#verdict=fail', { javaScriptEnabled: false })
    expect(await still.locator('#filters').isVisible()).toBe(false)
    expect(await shownRows(still)).toBeGreaterThan(35)
    await context?.close()
    const page = await open('requirements.html')
    const item = page.locator(`[id="${failing}"] details li`).first()
    expect(await item.evaluate((one) => one.checkVisibility({ contentVisibilityAuto: true }))).toBe(false)
    await page.emulateMedia({ media: 'print' })
    expect(await item.evaluate((one) => one.checkVisibility({ contentVisibilityAuto: true }))).toBe(true)
    expect(await page.locator('#filters').isVisible()).toBe(false)
  })
})

test('history.html has a figure of each run, and what changed', async () => {
  const page = await open('history.html')
  expect(await page.locator('figure svg[role="img"]').count()).toBe(6)
  const runs = page.getByRole('region', { name: 'Runs, the newest first' })
  expect(await runs.getByRole('row').count()).toBe(31)
  expect((await runs.getByRole('row').nth(1).innerText()).replace(/\s+/g, ' ')).toMatch(
    /^2026-11-20 03:00 1 1 /,
  )
  const changes = (await page.locator('section', { hasText: 'What changed' }).innerText()).replace(
    /\s+/g,
    ' ',
  )
  expect(changes).toContain(`${failing} pass → fail`)
  expect(changes).toContain('100 → 50')
})

test('faults.html says of each fault what it violates, and claims no proof that it does not know of', async () => {
  const page = await open('faults.html')
  const proofs = new Set(await page.locator('tbody tr[id] .badge').allInnerTexts())
  const proved = existsSync(new URL('../../reports/proof.json', import.meta.url))
  expect(proofs.has('not run here')).toBe(!proved)
  expect(await page.getByText(`Violates ${failing}`).count()).toBeGreaterThan(0)
})

describe('index.html', () => {
  /** Rules that Allure's own markup breaks, and where; all others must be fixed here. */
  const ofAllure = {
    region: 'tooltips of the pie stand outside every landmark',
    'color-contrast': 'white on the red of a failed check',
    'label-content-name-mismatch': 'the button that folds the error is called Error and shows nothing of it',
  }

  test.each(schemes)('breaks no rule of accessibility in %s that Allure does not', async (scheme) => {
    const page = await open('index.html', { colorScheme: scheme })
    await page.getByTestId('tree-leaf').first().waitFor()
    const rules = new Set((await violations(page)).map((text) => text.split('\n')[0] ?? ''))
    await page.getByTestId('tree-leaf').first().click()
    await page.getByTestId('test-result-meta-link').waitFor()
    for (const text of await violations(page)) rules.add(text.split('\n')[0] ?? '')
    expect([...rules].filter((rule) => !(rule in ofAllure))).toEqual([])
  })

  test('shows the history of a check, and leads to its requirement by keyboard', async () => {
    const page = await open('index.html')
    await page.getByText('token', { exact: true }).waitFor()
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('1 fail, 1 inconclusive')
    await page.getByTestId('tree-leaf').first().click()
    await page.getByText('History').filter({ hasText: '29' }).first().waitFor()
    await page.getByTestId('test-result-meta-link').focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/requirements\.html#/)
    expect(await page.locator('tr:target details').getAttribute('open')).not.toBeNull()
  })

  test('opens at a check that the requirements name', async () => {
    const page = await open(`requirements.html#${failing}`)
    const link = page.locator(`[id="${failing}"] details a[href^="index.html#"]`).first()
    const name = await link.innerText()
    await link.click()
    await page.getByTestId('test-result-status-failed').waitFor()
    expect(await page.locator('main').innerText()).toContain(name)
  })

  test('does not move sideways on a phone', async () => {
    const page = await open('index.html', { viewport: { width: 360, height: 800 } })
    await page.getByTestId('tree-leaf').first().waitFor()
    expect(await sidewaysBy(page)).toBe(0)
  })
})
