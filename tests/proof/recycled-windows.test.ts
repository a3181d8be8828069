import { afterAll, beforeAll, expect, test } from 'vitest'
import { RecycledWindows } from '../../proof/recycled-windows.ts'
import {
  type BrowserWindow,
  type LaunchedBrowser,
  launchBrowser,
  newWindows,
  UserAgent,
} from '../../src/browser/index.ts'
import { Recorder } from '../../src/evidence/recorder.ts'
import { Budget } from '../../src/http/budget.ts'

let launched: LaunchedBrowser

beforeAll(async () => {
  launched = await launchBrowser({ hosts: [] })
})
afterAll(() => launched.close())

test('a closed window is reused, without cookies', async () => {
  const windows = new RecycledWindows(newWindows(launched.browser))
  const first = await windows.open()
  await first.context.addCookies([{ name: 'session', value: '1', domain: '127.0.0.1', path: '/' }])
  await windows.close(first, async () => undefined)
  const second = await windows.open()
  expect(second.page).toBe(first.page)
  expect(await second.context.cookies()).toEqual([])
})

test.each([
  ['page was closed', ({ page }: BrowserWindow) => page.close()],
  ['page opened another one', ({ context }: BrowserWindow) => context.newPage()],
])('a window whose %s does not', async (_, act) => {
  const windows = new RecycledWindows(newWindows(launched.browser))
  const first = await windows.open()
  await act(first)
  await windows.close(first, async () => undefined)
  expect((await windows.open()).context).not.toBe(first.context)
  expect(launched.browser.contexts()).not.toContain(first.context)
})

test('a user agent that is closed twice returns its window once', async () => {
  const windows = new RecycledWindows(newWindows(launched.browser))
  const budget = new Budget({ hosts: [], requestsPerSecond: 1, requestBudget: 1, loginBudget: 0 })
  const options = { budget, recorder: new Recorder(), hosts: [], redirectUris: [] }
  const agent = await UserAgent.open(windows, options)
  await Promise.all([agent.close(), agent.close()])
  await agent.close()
  const [one, other] = [await windows.open(), await windows.open()]
  expect(one.context).not.toBe(other.context)
})
