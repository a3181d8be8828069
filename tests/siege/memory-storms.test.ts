import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchSiegeBrowser, visit } from '../../siege/hostile-browsing.ts'
import { answerMemoryStorm, memoryStorms } from '../../siege/memory-storms.ts'
import { peakMemoryMiB, treeMemoryMiB } from '../../siege/process-tree.ts'
import type { LaunchedBrowser } from '../../src/browser/index.ts'
import { html, startSite } from '../browser/site.ts'
import { TestBrowser } from '../browser/test-browser.ts'

// What a page tries in order to fill the memory. `npm run siege` tries more.

let browser: LaunchedBrowser
beforeAll(async () => {
  browser = await launchSiegeBrowser()
})
afterAll(() => browser?.close())

test.each([
  ['an endless page', /larger than 8388608 bytes/],
  ['a page of 3 GB', /larger than 8388608 bytes/],
  ['an endless fetch', /larger than 33554432 bytes/],
  ['an endless script', /too much memory|larger than/],
  ['buffers', /too much memory/],
] as const)('the storm "%s" is the fault of the environment', async (name, reason) => {
  const before = treeMemoryMiB()
  const { result, mib } = await peakMemoryMiB(() =>
    visit(browser, answerMemoryStorm(memoryStorms[name] ?? ''), { requestBudget: 100, timeoutMs: 10_000 }),
  )
  expect(result.landing).toMatchObject({ kind: 'failed', cause: 'environment' })
  expect(result.landing).toHaveProperty('reason', expect.stringMatching(reason))
  expect(mib - before).toBeLessThan(1200)
})

test('the window of a page that was closed for its memory keeps its cookies', async () => {
  const site = await startSite(({ url, cookies }) =>
    url.pathname === '/storm'
      ? { ...html(memoryStorms.buffers ?? ''), headers: { 'set-cookie': 'session=1' } }
      : html(`<p>${cookies.session}</p><input name="user"><input type="password">`),
  )
  const own = await TestBrowser.start([site.host])
  try {
    await using window = await own.agent([site.host])
    const authorize = (path: string) =>
      window.agent.authorize(new URL(path, site.origin), { redirectUri: 'https://app.invalid/', act: 'stop' })
    expect(await authorize('/storm')).toMatchObject({ kind: 'failed', cause: 'environment' })
    expect(await authorize('/login')).toEqual({ kind: 'login-page' })
  } finally {
    await own.close()
    await site.close()
  }
})

// A busy machine takes long to leave such a page.
test('a page that endlessly requests other hosts is aborted', { timeout: 180_000 }, async () => {
  const storm = `<p>Wait</p><script>setInterval(() => {
    for (let n = 0; n < 20; n += 1) fetch('https://elsewhere.invalid/' + n).catch(() => {})
  }, 10)</script>`
  const { landing } = await visit(browser, answerMemoryStorm(storm), {
    requestBudget: 100,
    timeoutMs: 10_000,
  })
  expect(landing).toMatchObject({ kind: 'failed', reason: expect.stringContaining('300 addresses') })
})
