import { describe, expect, test } from 'vitest'
import type { Identified } from '../../../load/limiter/index.ts'
import { seeded } from '../../../load/seeded.ts'
import { knownLimiter, simulatePollers } from '../../../load/what-if/simulation.ts'
import { share, whatIf, whatIfLines, whatIfSentence } from '../../../load/what-if/what-if.ts'
import { resultOf } from '../output/synthetic.ts'
import { fixedWindow } from './limiters.ts'

const identified = {
  result: 'identified',
  kind: 'fixed-window',
  variant: 'grid',
  capacity: 20,
  rate: 10,
  rateInterval: { low: 9.9, high: 10.1 },
  windowMs: 2000,
  windowStart: 0,
  proof: { observations: 40, explained: 40, nextBest: { kind: 'sliding-log', explained: 31 }, sentence: '' },
  notes: [],
  requests: 40,
  elapsedMs: 9000,
} as const satisfies Identified

const refused = { intendedAt: 0, sentAt: 0, endedAt: 1, status: 429, retryAfterMs: 2000 }
const result = resultOf({ probe: 'limiter', shots: [refused], limiter: identified })

describe('an identified limiter', () => {
  test('decides like an independent implementation, and returns Retry-After in whole seconds', () => {
    const limiter = knownLimiter(identified, true)?.create()
    const other = fixedWindow(20, 2000)
    const random = seeded(3)
    for (let at = 0, index = 0; index < 2000; index += 1, at += 150 * random()) {
      const decision = limiter?.decide(at)
      const expected = other.decide(at)
      expect(decision?.admitted).toBe(expected.admitted)
      if (!expected.admitted)
        expect(decision?.retryAfterMs).toBe(Math.ceil((expected.retryAfterMs ?? 0) / 1000) * 1000)
    }
  })

  test('is on the grid of the clock where it is aligned to the clock', () => {
    const limiter = knownLimiter({ ...identified, variant: 'clock', windowStart: 500 }, true)?.create()
    const admitted = Array.from({ length: 21 }, () => limiter?.decide(2000).admitted)
    expect(admitted.lastIndexOf(true)).toBe(19)
    // 2,500 ms starts a window, wherever the first request was.
    expect(limiter?.decide(2499)).toEqual({ admitted: false, retryAfterMs: 1000 })
    expect(limiter?.decide(2500)).toEqual({ admitted: true })
  })

  test('is unknown where it delays instead of refusing', () => {
    const { capacity: _, windowMs: __, windowStart: ___, ...rest } = identified
    expect(knownLimiter({ ...rest, kind: 'leaky-bucket', variant: 'queue' }, true)).toBeUndefined()
  })
})

describe('a poller', () => {
  const poll = (intervalMs: number, clients = 1) =>
    simulatePollers({
      limiter: fixedWindow(3, 1000),
      intervalMs,
      pages: 3,
      clients,
      searches: 100,
      serviceTimeMs: 100,
      random: seeded(1),
    })

  test('within the limit has every page at first try, and takes as long as its answers', () => {
    expect(poll(1000)).toMatchObject({
      searches: 100,
      atFirstTry: 100,
      failed: 0,
      late: 0,
      tookMs: { max: 300 },
    })
  })

  test('twice above the limit gets through late, at half its pace', () => {
    const outcome = poll(500)
    expect(outcome.atFirstTry).toBeLessThan(100)
    expect(outcome.late).toBeGreaterThan(0)
    expect(outcome.failed).toBe(0)
  })
})

describe('what if', () => {
  test('is the same for the same seed', () => expect(whatIf(result)).toEqual(whatIf(result)))

  test('shows up to which rate every call succeeds at the first attempt, and the outcome of higher rates', () => {
    const outcome = whatIf(result)
    if (typeof outcome === 'string') throw new Error(outcome)
    expect(outcome.safeRates[0]).toEqual({ clients: 1, arrivals: 'even', ratePerSecond: 10 })
    expect(outcome.safeRates.at(-1)?.ratePerSecond).toBeLessThan(10)
    expect(whatIfSentence(outcome)).toMatch(
      /^All calls succeed at the first attempt up to 10 calls\/s if evenly spaced, .*\. At 12\.5 calls\/s at random times, \d+ % of the calls fail even after 4 retries\.$/,
    )
    for (const { ratePerSecond, calls, failed } of outcome.calls)
      if (ratePerSecond >= 12.5) expect(failed / calls).toBeCloseTo(1 - 10 / ratePerSecond, 1)
    const lines = whatIfLines(outcome, 100)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100)
    expect(lines.join('\n')).not.toMatch(/NaN|undefined/)
    expect(lines.at(-1)).toBe(
      '    late: started after its time, because the previous search had not ended; may still succeed',
    )
  })

  test.each([
    [
      'no limit was reached',
      {
        result: 'not-throttled',
        admitted: 50,
        headline: 'none of 50',
        sentence: 'none of 50',
        requests: 50,
        elapsedMs: 1,
      } as const,
    ],
    ['no limiter was identified', undefined],
  ])('says that %s', (sentence, limiter) => {
    expect(whatIf(resultOf({ ...(limiter && { limiter }) }))).toContain(sentence)
  })
})

test.each([
  [5, 5, 'all'],
  [0, 5, 'none'],
  [9999, 10_000, '> 99.9 %'],
  [1, 10_000, '< 0.1 %'],
  [995, 1000, '99 %'],
  [1, 3, '33 %'],
])('%i of %i is %s', (part, whole, text) => expect(share(part, whole)).toBe(text))
