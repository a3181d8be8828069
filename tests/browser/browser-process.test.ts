import { expect, onTestFinished, test } from 'vitest'
import { launchBrowser } from '../../src/browser/index.ts'

test('Chromium features that Playwright enables stay enabled', async () => {
  const launched = await launchBrowser({ hosts: ['127.0.0.1:9'] })
  onTestFinished(() => launched.close())
  const session = await launched.browser.newBrowserCDPSession()
  const { commandLine } = await session.send('SystemInfo.getInfo')
  const lists = [...commandLine.matchAll(/--enable-features=(\S+)/g)].map(([, list]) => list?.split(','))
  expect(lists).toHaveLength(2)
  expect(lists[1]).toEqual(expect.arrayContaining(lists[0] ?? []))
  expect(commandLine.match(/--disable-features=/g)).toHaveLength(1)
})
