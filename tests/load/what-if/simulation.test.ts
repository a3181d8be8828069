import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seeded } from '../../../load/seeded.ts'
import { type CallsOptions, type Limiter, simulateCalls } from '../../../load/what-if/simulation.ts'
import { fixedWindow, tokenBucket } from './limiters.ts'

function calls(limiter: Limiter, ratePerSecond: number, options: Partial<CallsOptions> = {}) {
  return simulateCalls({
    limiter,
    ratePerSecond,
    clients: 1,
    arrivals: 'even',
    calls: 4000,
    margin: 1000,
    random: seeded(7),
    ...options,
  })
}

const refuses = (times: number, retryAfterMs?: number): Limiter => {
  let refused = 0
  return {
    decide: () => {
      if (refused >= times) return { admitted: true }
      refused += 1
      return { admitted: false, ...(retryAfterMs !== undefined && { retryAfterMs }) }
    },
  }
}

describe('calls without retries, against closed forms', () => {
  test.each([1, 2, 4, 5])('a fixed window at %i times its rate admits that part', (load) => {
    const { atFirstTry, failed } = calls(fixedWindow(10, 1000), 10 * load, { retries: 0 })
    expect(atFirstTry).toBe(4000 / load)
    expect(failed).toBe(4000 - 4000 / load)
  })

  test.each([1, 1.25, 2, 4])('a token bucket at %f times its rate admits that part', (load) => {
    const { atFirstTry } = calls(tokenBucket(5, 10), 10 * load, { retries: 0 })
    expect(Math.abs(atFirstTry - 4000 / load)).toBeLessThanOrEqual(1)
  })

  test.each([0.5, 1, 2])(
    'one token and random calls at %f times its rate: those after a whole interval',
    (load) => {
      const { atFirstTry } = calls(tokenBucket(1, 10), 10 * load, {
        retries: 0,
        arrivals: 'random',
        calls: 40_000,
      })
      // A counter of dead time: after each admission nothing for one interval, then the next at the rate of arrivals. A
      // bucket that refills in between loses what the refused ones do not take: the same.
      expect(atFirstTry / 40_000).toBeCloseTo(1 / (1 + load), 1)
    },
  )
})

describe('the documented retries', () => {
  test('each wait is at least half of 1, 2, 4 and 8 s, and at most all of it', () => {
    const { waitedMs, afterRetries, requests } = calls(refuses(4), 1, { calls: 1, margin: 0 })
    expect([afterRetries, requests]).toEqual([1, 5])
    expect(waitedMs?.max).toBeGreaterThanOrEqual(7500)
    expect(waitedMs?.max).toBeLessThanOrEqual(15_000)
  })

  test('the wait is as long as Retry-After, to the millisecond', () => {
    expect(calls(refuses(3, 7000), 1, { calls: 1, margin: 0 }).waitedMs?.max).toBe(21_000)
  })

  test('a Retry-After of 0 still waits', () => {
    expect(calls(refuses(1, 0), 1, { calls: 1, margin: 0 }).waitedMs?.max).toBeGreaterThanOrEqual(500)
  })

  test('the fifth refusal fails the call', () => {
    expect(calls(refuses(5), 1, { calls: 1, margin: 0 })).toMatchObject({
      failed: 1,
      afterRetries: 0,
      requests: 5,
      waitedMs: null,
    })
  })

  test('twice a fixed window’s rate: half of all calls succeed in the end, never more', () => {
    const { atFirstTry, afterRetries, failed } = calls(fixedWindow(10, 1000), 20)
    expect(atFirstTry + afterRetries + failed).toBe(4000)
    expect((atFirstTry + afterRetries) / 4000).toBeGreaterThan(0.48)
    expect((atFirstTry + afterRetries) / 4000).toBeLessThan(0.52)
  })
})

test('every call has one end, and no window admits more than its capacity', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 5 }),
      fc.double({ min: 0.1, max: 4, noNaN: true }),
      fc.constantFrom('even' as const, 'random' as const),
      fc.integer(),
      (capacity, clients, load, arrivals, seed) => {
        const admitted = new Map<number, number>()
        const inner = fixedWindow(capacity, 1000)
        let last = Number.NEGATIVE_INFINITY
        const limiter: Limiter = {
          decide(at) {
            expect(at).toBeGreaterThanOrEqual(last)
            last = at
            const decision = inner.decide(at)
            const window = Math.floor(at / 1000)
            if (decision.admitted) admitted.set(window, (admitted.get(window) ?? 0) + 1)
            return decision
          },
        }
        const outcome = calls(limiter, load * capacity, {
          clients,
          arrivals,
          calls: 100,
          margin: 20,
          random: seeded(seed),
        })
        expect(outcome.atFirstTry + outcome.afterRetries + outcome.failed).toBe(100)
        expect(Math.max(...admitted.values())).toBeLessThanOrEqual(capacity)
      },
    ),
    { numRuns: 50 },
  )
})
