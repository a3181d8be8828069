import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { waitAfterLogin } from '../../load/limiter-freshness.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** How long the probe waits, in milliseconds, if the run sent its last request a second before it. */
async function waited(
  step: Parameters<typeof waitAfterLogin>[0],
  remainingMs: number,
  earlier: readonly number[] = [-5000, -1000],
): Promise<number> {
  const began = performance.now()
  const now = () => performance.now() - began
  const waiting = waitAfterLogin(
    step,
    earlier,
    { now, guard: { remainingMs } },
    new AbortController().signal,
    () => undefined,
  )
  await vi.runAllTimersAsync()
  await waiting
  return now()
}

test.each([
  [{ probe: 'limiter', endpoint: 'userinfo' }, 120_000, 14_000],
  [{ probe: 'limiter', endpoint: 'token' }, 40_000, 4000],
  [{ probe: 'limiter', endpoint: 'token' }, 600_000, 19_000],
  [{ probe: 'limiter', endpoint: 'event-search' }, 120_000, 0],
  [{ probe: 'ramp', endpoint: 'userinfo' }, 120_000, 0],
] as const)('%j, with %i ms left, waits %i ms after a login', async (step, remainingMs, expected) => {
  expect(await waited(step, remainingMs)).toBe(expected)
})

test('without an earlier request, there is no wait', async () => {
  expect(await waited({ probe: 'limiter', endpoint: 'userinfo' }, 120_000, [])).toBe(0)
})
