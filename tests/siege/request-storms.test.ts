import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchSiegeBrowser, visit } from '../../siege/hostile-browsing.ts'
import { answerStorm, requestStorms } from '../../siege/request-storms.ts'
import type { LaunchedBrowser } from '../../src/browser/index.ts'

// What a page tries in order to send requests past the budget. `npm run siege` tries all storms; these are the ones
// that a browser sends in a way of its own.

let browser: LaunchedBrowser
beforeAll(async () => {
  browser = await launchSiegeBrowser()
})
afterAll(() => browser?.close())

test.each([
  ...['fetch', 'fetch with keepalive', 'preflighted requests', 'redirected requests', 'frames'],
  ...['sandboxed frames', 'worklets', 'EventSource', 'fetchLater', 'federated credentials'],
  ...['dedicated workers', 'dedicated workers of a script', 'workers of workers'],
])('no request of the storm "%s" leaves beyond the budget', async (name) => {
  const requestBudget = 12
  const { server, counted } = await visit(browser, answerStorm(requestStorms[name] ?? ''), { requestBudget })
  expect(server.requests.length).toBeLessThanOrEqual(counted)
  expect(counted).toBeLessThanOrEqual(requestBudget)
  expect(server.datagrams).toBe(0)
})

test.each([
  ...[
    'shared workers',
    'service workers of a frame',
    'service workers by the prototype',
    'WebSocket',
    'WebSocketStream',
  ],
  ...[
    'WebSocket of a worker',
    'WebTransport of a worker',
    'WebTransport of a frame',
    'WebRTC of a frame',
    'speculation rules that prefetch',
    'downloads',
  ],
  ...[
    'speculation rules that prerender',
    'pop-ups',
    'pop-ups of forms',
    'beacons',
    'pings',
    'requests while the page is left',
  ],
])('the storm "%s" sends nothing', async (name) => {
  const { server, counted } = await visit(browser, answerStorm(requestStorms[name] ?? ''), {
    requestBudget: 100,
  })
  expect(server.requests).toEqual(['GET /storm document'])
  expect(server).toMatchObject({ datagrams: 0, silent: 0 })
  expect(counted).toBe(1)
})
