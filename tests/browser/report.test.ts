import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { describe, expect, test } from 'vitest'
import { pages } from '../../src/report/pages/page.ts'
import { hostile } from '../results/fixture/synthetic.ts'
import { failing, Report, schemes, sidewaysBy, throttled, violations } from './fixture/report.ts'

const own = Object.keys(pages).filter((name) => name !== 'checks.html')
/** Of a desk and of a phone, in pixels. */
const widths = [1280, 360] as const
const report = new Report()

const shownRows = (page: Page) => page.locator('tbody tr[id]:visible').count()

describe.each(own)('%s', (name) => {
  test.each(schemes.flatMap((scheme) => widths.map((width) => ({ scheme, width }))))(
    'is accessible in $scheme at $width pixels, with everything open, and is not moved sideways',
    async ({ scheme, width }) => {
      const page = await report.open(name, { colorScheme: scheme, viewport: { width, height: 900 } })
      await page.evaluate(() => {
        for (const details of document.querySelectorAll('details')) details.open = true
      })
      expect(await violations(page)).toEqual([])
      expect(await sidewaysBy(page)).toBe(0)
    },
    60_000,
  )

  test('leads to the other pages, which are there', async () => {
    const page = await report.open(name)
    const links = await page
      .getByRole('navigation', { name: 'Pages of the report' })
      .getByRole('link')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
    expect(links).toEqual(Object.keys(pages))
    expect(links.filter((link) => !existsSync(join(report.folder, link)))).toEqual([])
    // Every link of the page that names a row finds it, whichever page it is in.
    const addresses = await page
      .locator('a[href*="#"]')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
    const missing = [...new Set(addresses)].filter((address) => {
      const [file, row = ''] = address.split('#')
      if (file === 'checks.html' || row.includes('=') || row === 'main') return false
      return !readFileSync(join(report.folder, file || name), 'utf8').includes(`id="${row}"`)
    })
    expect(missing).toEqual([])
  })

  test('accepts no style and no script but its own', () => {
    const [, policy = ''] =
      /Content-Security-Policy" content="([^"]*)"/.exec(readFileSync(join(report.folder, name), 'utf8')) ?? []
    expect(policy).toContain('default-src &#39;none&#39;')
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
  })
})

describe('requirements.html', () => {
  test('is filtered by keyboard alone, and the address keeps what was chosen', async () => {
    const page = await report.open('requirements.html')
    const all = await shownRows(page)
    expect(all).toBeGreaterThan(35)
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content')
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
    const page = await report.open('requirements.html')
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
    const page = await report.open(`requirements.html#${failing}`)
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

  test('treats an invalid address as absent', async () => {
    const page = await report.open('requirements.html#verdict=no-such&area=%zz')
    expect(await shownRows(page)).toBeGreaterThan(35)
  })

  test('shows the statement, section, checks, faults and last verdicts of a requirement', async () => {
    const page = await report.open(`requirements.html#${failing}`)
    const text = (await page.locator(`[id="${failing}"]`).innerText()).replace(/\s+/g, ' ')
    expect(text).toContain(`expected 400, but ${hostile}`.replace(/\s+/g, ' '))
    expect(text).toContain('Faults that these checks must detect')
    expect(await page.locator(`[id="${failing}"] .cells title`).textContent()).toBe('28 pass, then 2 fail')
  })

  test('is readable without a script, and in print', async () => {
    const still = await report.open('requirements.html#verdict=fail', { javaScriptEnabled: false })
    expect(await still.locator('#filters').isVisible()).toBe(false)
    expect(await shownRows(still)).toBeGreaterThan(35)
    await report.close()
    const page = await report.open('requirements.html')
    const item = page.locator(`[id="${failing}"] details li`).first()
    expect(await item.evaluate((one) => one.checkVisibility({ contentVisibilityAuto: true }))).toBe(false)
    await page.emulateMedia({ media: 'print' })
    expect(await item.evaluate((one) => one.checkVisibility({ contentVisibilityAuto: true }))).toBe(true)
    expect(await page.locator('#filters').isVisible()).toBe(false)
  })
})

test('history.html has a figure of each run, and what changed', async () => {
  const page = await report.open('history.html')
  expect(await page.locator('figure svg[role="img"]').count()).toBe(6)
  const runs = page.getByRole('region', { name: 'Runs, newest first' })
  expect(await runs.getByRole('row').count()).toBe(31)
  expect((await runs.getByRole('row').nth(1).innerText()).replace(/\s+/g, ' ')).toMatch(
    /^2026-11-20 03:00 UTC 1 1 /,
  )
  const changes = (await page.locator('section', { hasText: 'What changed' }).innerText()).replace(
    /\s+/g,
    ' ',
  )
  expect(changes).toContain(`${failing} pass → fail`)
  expect(changes).toContain('100 → 50')
})

test('on a phone, a requirement shows its verdict and cause above its statement', async () => {
  const page = await report.open(`requirements.html#${failing}`, { viewport: { width: 390, height: 900 } })
  const text = await page.locator(`[id="${failing}"]`).innerText()
  expect(text.replace(/\s+/g, ' ')).toMatch(new RegExp(`^${failing} \\S+ fail cause: target `))
})

test('on a phone, words with a hyphen, such as ids and dates, stay on one line', async () => {
  const page = await report.open('index.html', { viewport: { width: 390, height: 900 } })
  const broken = await page.locator('.whole:visible').evaluateAll((words) =>
    words.flatMap((word) => {
      const range = document.createRange()
      range.selectNodeContents(word)
      return range.getClientRects().length > 1 ? [word.textContent] : []
    }),
  )
  expect(broken).toEqual([])
  expect(await page.locator('h3 .whole', { hasText: failing }).count()).toBe(1)
})

test('on a phone, hidden captions cover no row, and a wide table shows that it scrolls', async () => {
  const page = await report.open('history.html', { viewport: { width: 390, height: 900 } })
  const caption = await page.locator('.matrix caption').boundingBox()
  expect(caption).toMatchObject({ width: 1, height: 1 })
  const hint = await page
    .locator('.wide')
    .evaluate((table) => [getComputedStyle(table, '::before').display, table.scrollWidth > table.clientWidth])
  expect(hint).toEqual(['block', true])
})

test('faults.html shows what each fault violates, and collapses them unless a proof has run', async () => {
  const page = await report.open('faults.html')
  const proved = existsSync(new URL('../../reports/proof.json', import.meta.url))
  expect(await page.locator('tbody tr[id] .badge').count()).toBe(proved ? await shownRows(page) : 0)
  if (!proved) {
    expect(await shownRows(page)).toBe(0)
    const [id = ''] = await page.locator('tbody tr[id]').evaluateAll((rows) => rows.map((row) => row.id))
    await page.evaluate((fault) => {
      location.hash = fault
    }, id)
    await expect.poll(() => shownRows(page)).toBeGreaterThan(0)
  }
  expect(await page.getByText(`Violates ${failing}`).count()).toBeGreaterThan(0)
})
