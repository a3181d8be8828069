import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findChromium } from '../../src/browser/find-chromium.mjs'
import { saveScreenshot } from '../../src/browser/screenshot.ts'

const folder = mkdtempSync(join(tmpdir(), 'plumbline-screenshot-'))
let browser: Browser
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: findChromium({ ...process.env })?.path ?? '' })
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await browser?.close()
})

test('fields, addresses, numbers and the test user are covered, and the rest of the page is not', async () => {
  const page = await browser.newPage()
  await page.setContent(`<style>* { font: 20px monospace; margin: 0 } div, input { height: 40px; width: 300px; display: block }</style>
    <div id="free" style="background: rgb(0, 200, 0)"></div><input value="typed"><div>bob@example.com</div><div>Card 123456</div>
    <div>Hello alice</div><iframe srcdoc="<input value=inner style='width:200px;height:40px'>"></iframe>`)
  await page.frameLocator('iframe').locator('input').waitFor()
  const path = join(folder, 'made', 'page.png')
  expect(await saveScreenshot(page, path, 'alice')).toBe(true)
  const viewer = await browser.newPage()
  await viewer.goto(`file://${path}`)
  const colours = await viewer.evaluate(() => {
    const picture = document.querySelector('img') as HTMLImageElement
    const canvas = Object.assign(document.createElement('canvas'), { width: 400, height: 300 })
    const context = canvas.getContext('2d') as CanvasRenderingContext2D
    context.drawImage(picture, 0, 0)
    const at = (x: number, y: number) => [...context.getImageData(x, y, 1, 1).data.slice(0, 3)].join()
    return { free: at(20, 20), covered: [60, 90, 130, 170, 230].map((y) => at(40, y)) }
  })
  expect(colours).toEqual({ free: '0,200,0', covered: Array.from({ length: 5 }, () => '102,102,102') })
})

test('a closed page has no screenshot', async () => {
  const page = await browser.newPage()
  await page.close()
  expect(await saveScreenshot(page, join(folder, 'gone.png'), '')).toBe(false)
})
