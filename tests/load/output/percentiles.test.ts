import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { latencyText, nearestRank, percentilesOf, timesByOutcome } from '../../../load/output/percentiles.ts'

const parts = [500, 900, 990, 999, 1000]
const values = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 3000 })

describe('percentiles', () => {
  test('nothing has none', () => expect(percentilesOf(new Float64Array())).toBeNull())

  test('of the numbers 1 to 1000 they are what their names say', () => {
    const sorted = Float64Array.from({ length: 1000 }, (_, index) => index + 1)
    expect(percentilesOf(sorted)).toEqual({ p50: 500, p90: 900, p99: 990, p999: 999, max: 1000 })
  })

  test('each is the least value that at least its part of all values do not exceed', () => {
    fc.assert(
      fc.property(values, (some) => {
        const sorted = Float64Array.from(some).sort()
        for (const part of parts) {
          const value = nearestRank(sorted, part)
          const reaches = (limit: number) =>
            some.filter((one) => one <= limit).length * 1000 >= part * some.length
          expect(some).toContain(value)
          expect(reaches(value)).toBe(true)
          const lower = some.filter((one) => one < value)
          if (lower.length > 0) expect(reaches(Math.max(...lower))).toBe(false)
        }
      }),
    )
  })
})

test.each([
  [1, { p50: null, p90: null, p99: null, p999: null, max: 0 }],
  [2, { p50: 0, p90: null, p99: null, p999: null, max: 1 }],
  [10, { p50: 4, p90: 8, p99: null, p999: null, max: 9 }],
  [99, { p50: 49, p90: 89, p99: null, p999: null, max: 98 }],
  [100, { p50: 49, p90: 89, p99: 98, p999: null, max: 99 }],
  [999, { p50: 499, p90: 899, p99: 989, p999: null, max: 998 }],
  [1000, { p50: 499, p90: 899, p99: 989, p999: 998, max: 999 }],
])('of %i values, only percentiles that they can support are reported', (count, told) => {
  expect(percentilesOf(Float64Array.from({ length: count }, (_, index) => index))).toEqual(told)
})

describe('times by outcome', () => {
  const shot = (status: number | undefined, endedAt: number) => ({
    intendedAt: 0,
    sentAt: 10,
    endedAt,
    ...(status === undefined ? { failure: 'timed-out' as const } : { status }),
  })

  test('latency counts from the intended start, service time from the real one', () => {
    const { accepted } = timesByOutcome([shot(200, 30)])
    expect([accepted.latencyMs?.max, accepted.serviceTimeMs?.max]).toEqual([30, 20])
  })

  test('quick refusals do not improve the latency of accepted requests, and requests without a response are counted', () => {
    const times = timesByOutcome([
      shot(200, 100),
      shot(302, 200),
      shot(429, 11),
      shot(500, 12),
      shot(undefined, 9000),
    ])
    expect(times.accepted.latencyMs).toMatchObject({ p50: 100, p99: null, max: 200 })
    expect(times.accepted.tooFew).toEqual({
      p90: '2 of 10 required values',
      p99: '2 of 100 required values',
      p999: '2 of 1000 required values',
    })
    expect(latencyText(times.accepted)).toBe('p50 100 ms, p99 too few (2 of 100 required values)')
    expect(times.throttled).toMatchObject({ count: 1, latencyMs: { max: 11 } })
    expect(times.answered.count).toBe(4)
    expect(times.unanswered).toBe(1)
  })
})
