import { expect, test } from 'vitest'
import { waitAfterLoginMs } from '../../load/limiter-freshness.ts'

/** How long the probe waits, in milliseconds, if the run sent its last request a second before it. */
function waited(
  step: Parameters<typeof waitAfterLoginMs>[0],
  remainingMs: number,
  earlier: readonly number[] = [-5000, -1000],
): number {
  return waitAfterLoginMs(step, earlier, { now: () => 0, guard: { remainingMs } })
}

test.each([
  [{ probe: 'limiter', endpoint: 'userinfo' }, 120_000, 14_000],
  [{ probe: 'limiter', endpoint: 'token' }, 40_000, 4000],
  [{ probe: 'limiter', endpoint: 'token' }, 600_000, 19_000],
  [{ probe: 'limiter', endpoint: 'event-search' }, 120_000, 0],
  [{ probe: 'ramp', endpoint: 'userinfo' }, 120_000, 0],
] as const)('%j, with %i ms left, waits %i ms after a login', (step, remainingMs, expected) => {
  expect(waited(step, remainingMs)).toBe(expected)
})

test('without an earlier request, there is no wait', () => {
  expect(waited({ probe: 'limiter', endpoint: 'userinfo' }, 120_000, [])).toBe(0)
})
