import { describe, expect, test } from 'vitest'
import { throttleLimit } from '../../src/http/budget.ts'
import { Pace } from '../../src/http/pace.ts'

/** When a request may be sent again, in milliseconds from now; 0 where it is let through. */
type Limiter = (atMs: number) => number

function tokenBucket(perSecond: number, burst: number): Limiter {
  let tokens = burst
  let last = 0
  return (at) => {
    tokens = Math.min(burst, tokens + ((at - last) / 1000) * perSecond)
    last = at
    if (tokens < 1) return Math.ceil((1 - tokens) / perSecond) * 1000
    tokens -= 1
    return 0
  }
}

function fixedWindow(limit: number, seconds: number): Limiter {
  let window = -1
  let count = 0
  return (at) => {
    const current = Math.floor(at / 1000 / seconds)
    if (current !== window) count = 0
    window = current
    count += 1
    return count <= limit ? 0 : (current + 1) * seconds * 1000 - at
  }
}

/** A run of so many requests in virtual time, which waits for Retry-After. */
function run(limiter: Limiter, requests: number) {
  const pace = new Pace(5)
  let atMs = 0
  let passed = 0
  let throttled = 0
  while (passed < requests) {
    const retryAfterMs = limiter(atMs)
    pace.recordSent()
    if (retryAfterMs === 0) passed += 1
    else {
      throttled += 1
      pace.recordThrottled()
    }
    atMs += Math.max(pace.intervalMs, retryAfterMs)
  }
  return { seconds: atMs / 1000, throttled }
}

describe('behind a limiter slower than the configured pace', () => {
  test.each<readonly [string, Limiter, number]>([
    ['token bucket, 0.5/s, burst 1', tokenBucket(0.5, 1), 0.5],
    ['token bucket, 0.5/s, burst 4', tokenBucket(0.5, 4), 0.5],
    ['token bucket, 1/s, burst 4', tokenBucket(1, 4), 1],
    ['token bucket, 2/s, burst 4', tokenBucket(2, 4), 2],
    ['token bucket, 4.5/s, burst 5', tokenBucket(4.5, 5), 4.5],
    ['fixed window, 30 per 60 s', fixedWindow(30, 60), 0.5],
    ['fixed window, 60 per 60 s', fixedWindow(60, 60), 1],
    ['fixed window, 10 per 10 s', fixedWindow(10, 10), 1],
    ['fixed window, 2 per 1 s', fixedWindow(2, 1), 2],
  ])('%s: 250 requests take at most 1.3 times the least, with few 429s', (_name, limiter, perSecond) => {
    const { seconds, throttled } = run(limiter, 250)
    expect(seconds).toBeLessThanOrEqual((1.3 * 250) / perSecond)
    expect(throttled).toBeLessThan(throttleLimit)
  })
})

test('without a 429 the pace is the configured one', () => {
  const pace = new Pace(5)
  for (let sent = 0; sent < 100; sent += 1) pace.recordSent()
  expect(pace.intervalMs).toBe(200)
  expect(pace.slowed).toBeUndefined()
})

test('a 429 halves it, and it never rises again to what was too fast', () => {
  const pace = new Pace(4)
  pace.recordThrottled()
  expect(pace.slowed).toBe(2)
  for (let sent = 0; sent < 1000; sent += 1) pace.recordSent()
  expect(pace.slowed).toBeCloseTo(3.6)
})

test('a restored pace continues where it was', () => {
  const pace = new Pace(4)
  pace.recordThrottled()
  const { state } = pace
  pace.recordThrottled()
  pace.restore(state)
  expect(pace.slowed).toBe(2)
  for (let sent = 0; sent < 1000; sent += 1) pace.recordSent()
  expect(pace.slowed).toBeCloseTo(3.6)
})

test('a pace without limit becomes ten requests per second after a 429', () => {
  const pace = new Pace(Number.POSITIVE_INFINITY)
  expect(pace.intervalMs).toBe(0)
  pace.recordThrottled()
  expect(pace.slowed).toBe(10)
})

test('a pace that is configured to be very slow never becomes faster', () => {
  const pace = new Pace(0.1)
  for (let each = 0; each < 3; each += 1) pace.recordThrottled()
  expect(pace.intervalMs).toBe(10_000)
  expect(pace.slowed).toBeUndefined()
})
