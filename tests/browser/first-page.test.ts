import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RunResults } from '../../src/results/results.ts'
import { verdicts } from '../../src/results/text.ts'
import { hostile } from '../results/fixture/synthetic.ts'
import { failing, Report, schemes, sidewaysBy, violations } from './fixture/report.ts'

const report = new Report()

describe('index.html', () => {
  test('answers first, then violated, inconclusive, drift and figures, with the numbers of the run', async () => {
    const page = await report.open('index.html')
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toMatch(
      `Release: no, because 1 requirement is violated: ${failing}.`,
    )
    const headings = await page.getByRole('heading', { level: 2 }).allInnerTexts()
    expect(headings.map((text) => text.split(' ')[0])).toEqual([
      'Violated',
      'Inconclusive',
      'Drift',
      'Areas',
      'Not',
    ])
    const { totals } = JSON.parse(
      readFileSync(join(report.folder, '..', 'results.json'), 'utf8'),
    ) as RunResults
    const tiles = await page
      .getByRole('list', { name: 'Requirements by verdict' })
      .getByRole('listitem')
      .allInnerTexts()
    for (const [verdict, count] of Object.entries(totals))
      expect(tiles.map((text) => text.replace(/\s+/g, ' '))).toContain(`${count} ${verdict}`)
    const last = page.locator('.areas tr.total td')
    expect((await last.allInnerTexts()).map(Number)).toEqual(verdicts.map((verdict) => totals[verdict]))
  })

  test('shows of a violation its finding, since when, how to repeat it, and leads to the evidence', async () => {
    const page = await report.open('index.html')
    const violated = page.locator('.violation')
    const text = (await violated.innerText()).replace(/\s+/g, ' ')
    expect(text).toContain(`expected 400, but ${hostile}`.replace(/\s+/g, ' '))
    expect(text).toMatch(/since 2026-11-19 03:00 UTC \(2 runs\)/)
    expect(text).toContain(`npx plumbline check --target uat --only ${failing}`)
    await violated.getByRole('link', { name: 'Requests and responses' }).click()
    await page.getByTestId('test-result-status-failed').waitFor()
  })

  test('leads from the verdict to the reasons why requirements were not checked, and opens them', async () => {
    const page = await report.open('index.html', { javaScriptEnabled: false })
    await page.getByRole('link', { name: 'see why' }).click()
    await page.locator('#not-checked li').first().waitFor({ state: 'visible' })
    expect(await page.locator('#not-checked').getAttribute('open')).not.toBeNull()
  })

  test('is readable without a script, and opens all of it in print', async () => {
    const page = await report.open('index.html', { javaScriptEnabled: false })
    const reason = page.locator('#not-checked li').first()
    const isShown = () => reason.evaluate((one) => one.checkVisibility({ contentVisibilityAuto: true }))
    expect(await page.locator('.violation').isVisible()).toBe(true)
    expect(await isShown()).toBe(false)
    await page.emulateMedia({ media: 'print' })
    expect(await isShown()).toBe(true)
  })
})

describe('checks.html', () => {
  test('opens at its beginning', async () => {
    const page = await report.open('checks.html')
    await page.getByTestId('tree-leaf').first().waitFor()
    await page.waitForTimeout(300)
    expect(await page.getByTestId('base-layout').evaluate((one) => one.scrollTop)).toBe(0)
  })

  /** Rules that Allure's own markup breaks, and where; all others must be fixed here. */
  const ofAllure = {
    region: 'tooltips of the pie stand outside every landmark',
    'color-contrast': 'white on the red of a failed check',
    'label-content-name-mismatch': 'the button that folds the error is called Error and shows nothing of it',
  }

  test.each(schemes)('breaks no rule of accessibility in %s that Allure does not', async (scheme) => {
    const page = await report.open('checks.html', { colorScheme: scheme })
    await page.getByTestId('tree-leaf').first().waitFor()
    const rules = new Set((await violations(page)).map((text) => text.split('\n')[0] ?? ''))
    await page.getByTestId('tree-leaf').first().click()
    await page.getByTestId('test-result-meta-link').waitFor()
    for (const text of await violations(page)) rules.add(text.split('\n')[0] ?? '')
    expect([...rules].filter((rule) => !(rule in ofAllure))).toEqual([])
  })

  test('shows the history of a check, and leads to its requirement by keyboard', async () => {
    const page = await report.open('checks.html')
    await page.getByText('token', { exact: true }).waitFor()
    expect(await page.locator('body > header').innerText()).toMatch(
      /Allure counts \d+ checks.* the other pages count \d+ requirements\. Passed: pass or observed\. Broken: inconclusive\./,
    )
    await page.getByTestId('tree-leaf').first().click()
    await page.getByText('History').filter({ hasText: '29' }).first().waitFor()
    await page.getByTestId('test-result-meta-link').focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/requirements\.html#/)
    expect(await page.locator('tr:target details').getAttribute('open')).not.toBeNull()
  })

  test('opens at a check that the requirements name', async () => {
    const page = await report.open(`requirements.html#${failing}`)
    const link = page.locator(`[id="${failing}"] details a[href^="checks.html#"]`).first()
    const name = await link.innerText()
    await link.click()
    await page.getByTestId('test-result-status-failed').waitFor()
    expect(await page.locator('main').innerText()).toContain(name)
  })

  test('does not move sideways on a phone', async () => {
    const page = await report.open('checks.html', { viewport: { width: 360, height: 800 } })
    await page.getByTestId('tree-leaf').first().waitFor()
    expect(await sidewaysBy(page)).toBe(0)
  })
})
