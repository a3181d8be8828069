import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectBrowser, type LaunchedBrowser, launchBrowser } from '../../src/browser/index.ts'

let launched: LaunchedBrowser

beforeAll(async () => {
  launched = await launchBrowser({ hosts: ['127.0.0.1:9'], inWorker: true })
})
afterAll(() => launched?.close())

test('what Playwright enables in Chromium stays enabled', async () => {
  const session = await launched.browser.newBrowserCDPSession()
  const { commandLine } = await session.send('SystemInfo.getInfo')
  const lists = [...commandLine.matchAll(/--enable-features=(\S+)/g)].map(([, list]) => list?.split(','))
  expect(lists).toHaveLength(2)
  expect(lists[1]).toEqual(expect.arrayContaining(lists[0] ?? []))
  expect(commandLine.match(/--disable-features=/g)).toHaveLength(1)
})

test('a shared browser is announced to no other user of the machine', async () => {
  const { endpoint = '' } = launched
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const registry = join(cache, 'ms-playwright', 'b')
  const entries = existsSync(registry) ? readdirSync(registry) : []
  for (const entry of entries) expect(readFileSync(join(registry, entry), 'utf8')).not.toContain(endpoint)
  const connection = await connectBrowser(endpoint)
  expect(connection.version()).toBe(launched.version)
  await connection.close()
  expect(launched.browser.isConnected()).toBe(true)
})
