import { expect, test, vi } from 'vitest'
import { longestThrottlingMs, longestWaitMs, throttleLimit } from '../../src/http/budget.ts'
import { budgetWith } from './budgets.ts'

// A run waits for minutes: here, a wait advances the clock at once.
const clock = vi.hoisted(() => ({ now: 0 }))
vi.mock('node:timers/promises', () => ({
  setTimeout: async (ms: number) => {
    clock.now += ms
  },
}))
vi.spyOn(performance, 'now').mockImplementation(() => clock.now)

test.each([
  ['a 429', 1, longestThrottlingMs, throttleLimit, false],
  ['a 429', 1, longestThrottlingMs + 1000, throttleLimit, true],
  ['a 429', 1, longestThrottlingMs + 1000, Number.POSITIVE_INFINITY, false],
  ['no 429', 0, longestThrottlingMs + 1000, throttleLimit, false],
])(
  'after %s (%d) and waits of %d ms, with a limit of %d: the run stops: %s',
  async (_what, throttled, waitMs, limit, stops) => {
    const budget = budgetWith({ requestsPerSecond: 50, throttleLimit: limit })
    for (let each = 0; each < throttled; each += 1) budget.throttle(0)
    const waitAndSend = async () => {
      for (let left = waitMs; left > 0; left -= longestWaitMs) {
        budget.pauseFor(Math.min(left, longestWaitMs))
        await budget.admit(new URL('https://idp.example/token'))
      }
      return 'sent'
    }
    if (!stops) await expect(waitAndSend()).resolves.toBe('sent')
    else
      await expect(waitAndSend()).rejects.toMatchObject({
        kind: 'throttled',
        message: 'the run waited 15 min for a target that throttles, so it stopped sending',
      })
  },
)
