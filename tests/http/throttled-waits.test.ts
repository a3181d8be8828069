import { beforeEach, expect, test, vi } from 'vitest'
import { longestThrottlingMs, longestWaitMs, throttleLimit } from '../../src/http/budget.ts'
import { budgetWith } from './budgets.ts'

// A run waits for minutes: here, the clock advances to the end of a wait at once.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], fakeNodeBuiltins: true })
  return () => vi.useRealTimers()
})

/** Advances the clock to the next end of a wait until the work has ended, which must not take many waits. */
async function endOf(work: Promise<unknown>): Promise<void> {
  let hasEnded = false
  const end = () => {
    hasEnded = true
  }
  work.then(end, end)
  for (let waits = 0; !hasEnded; waits += 1) {
    if (waits === 10) expect.unreachable('a request waits for ever')
    await vi.advanceTimersToNextTimerAsync()
  }
  await work
}

test.each([
  ['a 429', 1, longestThrottlingMs, throttleLimit, false],
  ['a 429', 1, longestThrottlingMs + 1000, throttleLimit, true],
  ['a 429', 1, longestThrottlingMs + 1000, Number.POSITIVE_INFINITY, false],
  ['no 429', 0, longestThrottlingMs + 1000, throttleLimit, false],
])(
  'after %s (%d) and waits of %d ms, with a limit of %d: the run stops: %s',
  async (_what, throttled, waitMs, limit, stops) => {
    const budget = budgetWith({ requestsPerSecond: 50, throttleLimit: limit })
    for (let each = 0; each < throttled; each += 1) budget.recordThrottled(0)
    const waitAndSend = async () => {
      for (let left = waitMs; left > 0; left -= longestWaitMs) {
        budget.pauseFor(Math.min(left, longestWaitMs))
        await endOf(budget.admit(new URL('https://idp.example/token')))
      }
      return 'sent'
    }
    if (!stops) await expect(waitAndSend()).resolves.toBe('sent')
    else
      await expect(waitAndSend()).rejects.toMatchObject({
        kind: 'throttled',
        message: 'the run waited 15 min for a target that throttles, so it stopped sending requests',
      })
  },
)
