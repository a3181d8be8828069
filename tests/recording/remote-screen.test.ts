import { request } from 'node:http'
import { type Browser, chromium, type Page } from 'playwright'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { findChromium } from '../../src/browser/find-chromium.mjs'
import { RemoteScreen } from '../../src/recording/remote-screen.ts'

vi.setConfig({ testTimeout: 60_000 })

let browser: Browser
let screen: RemoteScreen
/** The login page, on the machine without a screen. */
let page: Page
/** The engineer's own browser. */
let viewer: Page
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: findChromium({ ...process.env })?.path ?? '' })
  return () => browser.close()
})
beforeEach(async () => {
  screen = await RemoteScreen.open(0, 'Sign in here.')
  page = await browser.newPage({ viewport: { width: 800, height: 600 } })
  viewer = await browser.newPage({ viewport: { width: 500, height: 700 } })
  return async () => {
    await Promise.all([screen.close(), page.close(), viewer.close()])
  }
})

async function opened(content: string): Promise<void> {
  await page.setContent(content)
  await screen.show(page)
  await viewer.goto(screen.url)
  await viewer.waitForFunction(() => (document.getElementById('page') as HTMLImageElement).naturalWidth > 0)
}

test('passes on what is clicked, typed, pasted and pressed, in order, wherever the picture has been scaled to', async () => {
  await opened(`<input id="a" style="position:absolute;left:600px;top:400px;width:120px;height:40px">
    <input id="b" type="password" style="position:absolute;left:600px;top:500px">`)
  const { width } = (await viewer.locator('#page').boundingBox()) ?? { width: 0 }
  const scale = width / 800
  await viewer.locator('#page').click({ position: { x: 650 * scale, y: 420 * scale } })
  await viewer.keyboard.type('Alice Pässword~{€')
  await viewer.keyboard.press('Backspace')
  await viewer.keyboard.press('Tab')
  await viewer.keyboard.insertText('from the password manager')
  await expect.poll(() => page.locator('#b').inputValue()).toBe('from the password manager')
  expect(await page.locator('#a').inputValue()).toBe('Alice Pässword~{')
})

test('shows what changes, and scrolls', async () => {
  await opened('<h1>One</h1><div style="height: 3000px"></div>')
  const picture = () => viewer.locator('#page').getAttribute('src')
  const first = await picture()
  await page.evaluate(() => {
    document.body.style.background = 'red'
  })
  await expect.poll(picture).not.toBe(first)
  await viewer.locator('#page').hover()
  await viewer.mouse.wheel(0, 500)
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(100)
})

test('is stopped by its button, and says how it ended', async () => {
  await opened('<p>Login</p>')
  expect(await viewer.locator('#task').innerText()).toMatch(/^Sign in here\. The recording ends/)
  const closed = page.waitForEvent('close')
  await viewer.getByRole('button', { name: 'Stop recording' }).click()
  await closed
  screen.end('The end.')
  await expect.poll(() => viewer.getByRole('status').textContent()).toBe('The end.')
})

test('other paths, other hosts, other pages and input of another kind are refused', async () => {
  await opened('<input autofocus>')
  const { port } = screen
  const status = (path: string, headers: Record<string, string> = {}, body?: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { port, host: '127.0.0.1', path, headers, method: body === undefined ? 'GET' : 'POST' }
      const sent = request(options, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      sent.once('error', reject).end(body)
    })
  const { pathname } = new URL(screen.url)
  expect(pathname).toMatch(/^\/[\w-]{32}\/$/)
  const text = JSON.stringify([{ did: 'text', text: 'x' }])
  expect(await status('/')).toBe(404)
  expect(await status(`/${'A'.repeat(32)}/`)).toBe(404)
  expect(await status(`/${'A'.repeat(32)}/input`, {}, text)).toBe(404)
  expect(await status(pathname, { host: 'evil.example' })).toBe(403)
  expect(await status(`${pathname}input`, { origin: 'https://evil.example' }, text)).toBe(403)
  expect(await status(`${pathname}input`, {}, '[{"did":"run"}]')).toBe(400)
  expect(await status(`${pathname}input`, {}, ' '.repeat(70_000))).toBe(400)
  expect(await page.locator('input').inputValue()).toBe('')
  expect(await status(`${pathname}input`, {}, text)).toBe(204)
  expect(await page.locator('input').inputValue()).toBe('x')
})

test('a port that is in use is an error in the option', async () => {
  await expect(RemoteScreen.open(screen.port, '')).rejects.toThrow(`--remote cannot use port ${screen.port}`)
})
