import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { percentilesOf, timesByOutcome } from '../../../load/output/percentiles.ts'

const parts = { p50: 0.5, p90: 0.9, p99: 0.99, p999: 0.999, max: 1 }
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
        const percentiles = percentilesOf(Float64Array.from(some).sort())
        for (const [name, part] of Object.entries(parts)) {
          const value = percentiles?.[name as keyof typeof parts] ?? Number.NaN
          const reaches = (limit: number) =>
            some.filter((one) => one <= limit).length >= part * some.length - 1e-9
          expect(some).toContain(value)
          expect(reaches(value)).toBe(true)
          const lower = some.filter((one) => one < value)
          if (lower.length > 0) expect(reaches(Math.max(...lower))).toBe(false)
        }
      }),
    )
  })
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

  test('quick refusals do not flatter what was accepted, and what was not answered is counted', () => {
    const times = timesByOutcome([
      shot(200, 100),
      shot(302, 200),
      shot(429, 11),
      shot(500, 12),
      shot(undefined, 9000),
    ])
    expect(times.accepted.latencyMs).toMatchObject({ p50: 100, max: 200 })
    expect(times.throttled).toMatchObject({ count: 1, latencyMs: { max: 11 } })
    expect(times.answered.count).toBe(4)
    expect(times.unanswered).toBe(1)
  })
})
