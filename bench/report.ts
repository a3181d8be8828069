import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright'
import { findChromium } from '../src/browser/find-chromium.mjs'
import { pages } from '../src/report/pages/page.ts'
import { writeHistory } from '../tests/results/fixture/history.ts'
import { plumbline } from './command.ts'
import { type Figure, figure, median } from './figure.ts'

/** As in a real history: requirements per run, runs, and exchanges per check. */
const size = { requirements: 300, runs: 30, exchanges: 5 }

/** Durations of building the report of a long history with the command, and of showing its pages. */
export async function reportFigures(rounds: number): Promise<Figure[]> {
  const reportDir = await mkdtemp(join(tmpdir(), 'plumbline-report-bench-'))
  try {
    const directory = (await writeHistory(reportDir, size)).at(-1) ?? ''
    const built: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      built.push(await plumbline(['report', directory]))
      // Moves the files: the command would not write existing files again, and deleting thousands slows the next round.
      if (round < rounds - 1)
        for (const name of ['report', 'allure-results'])
          await rename(join(directory, name), join(reportDir, `${name}-${round}`))
    }
    const figures = [
      figure(`report of ${size.requirements} requirements, ${size.runs} runs`, median(built), 's', 3),
    ]
    const path = findChromium()?.path
    const browser = await chromium.launch({
      ...(path !== undefined && { executablePath: path }),
      args: ['--no-sandbox', '--disable-gpu'],
    })
    for (const name of Object.keys(pages)) {
      const shown: number[] = []
      for (let round = 0; round < rounds; round += 1)
        shown.push(await firstContent(browser, join(directory, 'report', name)))
      figures.push(figure(`first content of ${name}`, median(shown) / 1000, 's', 1))
    }
    await browser.close()
    return figures
  } finally {
    await rm(reportDir, { recursive: true, force: true })
  }
}

/** Milliseconds from opening a page in a new context to its first contentful paint. */
async function firstContent(browser: Browser, path: string): Promise<number> {
  const context = await browser.newContext({ offline: true })
  try {
    const page = await context.newPage()
    await page.goto(`file://${path}`)
    return await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          new PerformanceObserver((list) => {
            const [paint] = list.getEntriesByName('first-contentful-paint')
            if (paint) resolve(paint.startTime)
          }).observe({ type: 'paint', buffered: true })
        }),
    )
  } finally {
    await context.close()
  }
}
