import { expect, test } from 'vitest'
import { expiringCounter } from '../../bench/limiter/virtual-limiters.ts'
import { runVirtually } from './virtual-probes.ts'

test('after another probe, the limiter is identified from the responses after an idle period', async () => {
  const [, found] = await runVirtually(['recovery', 'limiter'], expiringCounter(12, 5000))
  expect(found?.headline).toBe(
    'fixed window (begun by the first request): 12 requests per 5.00 s (2.4 requests/s on average)',
  )
  expect(found?.finding).toContain(
    'Omitted: the first 12 responses, before an idle period of 10 s, because requests before the probe may have affected them.',
  )
})

test('a limiter that needs longer to become fresh is identified after a second, longer idle period', async () => {
  const [, found] = await runVirtually(['recovery', 'limiter'], expiringCounter(12, 60_000))
  expect(found?.observations).toMatchObject({ kind: 'fixed-window', capacity: 12 })
  expect(found?.finding).toMatch(
    /Omitted: the first \d+ responses, before an idle period of (6[6-9]|7\d|1\d\d)/,
  )
})

test('after another probe, too short a time to wait is the reason in whole sentences', async () => {
  const [, found] = await runVirtually(['recovery', 'limiter'], expiringCounter(12, 5000), { maxSeconds: 18 })
  expect(found?.headline).toBe('limiter not identified')
  expect(found?.finding).toBe(
    [
      'not identified: earlier requests may count, and the time left is too short to wait until the limiter is fresh. Run the probe limiter alone, or first.',
      '11 requests in a row were admitted before the first refusal.',
    ].join(' '),
  )
})
