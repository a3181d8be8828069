import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  hasRoundTime,
  hull,
  type Interval,
  isRoundRate,
  roundCountIn,
  roundCounts,
  roundNumberIn,
  roundTimeIn,
  roundTimesMs,
  union,
} from '../../load/limiter/interval.ts'

const interval = (low: number, high: number): Interval => ({ low, high })

test('the hull reaches from the lowest to the highest bound', () => {
  expect(hull([interval(3, 9), interval(1, 2), interval(4, 5)])).toEqual(interval(1, 9))
})

describe('a union', () => {
  test.each([
    [[], []],
    [[interval(1, 2)], [interval(1, 2)]],
    [
      [interval(5, 6), interval(1, 2)],
      [interval(1, 2), interval(5, 6)],
    ],
    [[interval(1, 2), interval(2, 3)], [interval(1, 3)]],
    [[interval(1, 9), interval(2, 3)], [interval(1, 9)]],
    [
      [interval(4, 6), interval(1, 3), interval(2, 5), interval(8, 9)],
      [interval(1, 6), interval(8, 9)],
    ],
  ])('of %j is %j', (intervals, expected) => {
    const given = structuredClone(intervals)
    expect(union(intervals)).toEqual(expected)
    expect(intervals).toEqual(given)
  })
})

describe('a round number', () => {
  test.each([
    [0.9, 1.1, 1],
    [1.5, 2.7, 2],
    [4.6, 5.3, 5],
    [9.4, 10.6, 10],
    [2.6, 3.4, 3],
    [5.8, 6.2, 6],
    [3.7, 4.3, 4],
    [14.5, 15.4, 15],
    [11.6, 12.4, 12],
    [16, 90, 20],
    [23, 27, 25],
    [31, 49, 40],
    [58, 62, 60],
    [33, 37, 35],
    [61, 64, 62],
    [0.031, 0.036, 0.035],
    [0.29, 0.31, 0.3],
    [1234, 1236, 1235],
    [1233, 1236.5, 1235],
    [99, 101, 100],
    [980, 1030, 1000],
    [0.98, 1, 1],
    [1, 1.02, 1],
  ])('between %d and %d is %d', (low, high, expected) => {
    expect(roundNumberIn(interval(low, high))).toBe(expected)
  })

  test.each([
    [0, 5],
    [-2, 5],
    [5, 5],
    [1 / 3, 1 / 3],
    [6, 5],
    [5, Number.POSITIVE_INFINITY],
  ])('between %d and %d is the lower bound', (low, high) => {
    expect(roundNumberIn(interval(low, high))).toBe(low)
  })

  test('lies between its bounds', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.001, max: 1e6, noNaN: true }),
        fc.double({ min: 1e-6, max: 3, noNaN: true }),
        (low, width) => {
          const high = low * (1 + width)
          const found = roundNumberIn(interval(low, high))
          expect(found).toBeGreaterThanOrEqual(low * (1 - 1e-5))
          expect(found).toBeLessThanOrEqual(high * (1 + 1e-5))
        },
      ),
    )
  })
})

test.each([
  [7, 7, 7],
  [1_234_567, 1_234_567, 1_234_567],
  [9, 10, 10],
  [10, 11, 10],
  [57, 63, 60],
  [3, 4, 3],
])('a round count from %d to %d is %d', (low, high, expected) => {
  expect(roundCountIn(interval(low, high))).toBe(expected)
})

describe('a round time', () => {
  test.each([
    [58_000, 63_000, 60_000, true],
    [59_000, 60_000, 60_000, true],
    [60_000, 61_000, 60_000, true],
    [3_500_000, 3_700_000, 3_600_000, true],
    [86_000_000, 87_000_000, 86_400_000, true],
    [1500, 4000, 3000, true],
    [1200, 1900, 1500, false],
    [61_000, 62_000, 61_000, false],
    [43_200_000, 43_900_000, 43_200_000, true],
    [86_000_000, 86_400_000, 86_400_000, true],
  ])('from %d to %d ms is %d ms; a typical one: %s', (low, high, expected, isTypical) => {
    expect(roundTimeIn(interval(low, high))).toBe(expected)
    expect(hasRoundTime(interval(low, high))).toBe(isTypical)
  })

  test('is a typical one: seconds, minutes or hours', () => {
    for (const time of [1000, 90_000, 45_000, 8 * 3_600_000, 24 * 3_600_000, 50 * 60_000])
      expect(roundTimesMs).toContain(time)
    expect(roundTimesMs).toHaveLength(54)
  })
})

test.each([
  [{ low: 4.99, high: 5.01 }, true],
  [{ low: 5, high: 5 }, true],
  [{ low: 0.165, high: 0.168 }, true],
  [{ low: 15 / 3600, high: 15 / 3600 }, true],
  [{ low: 5.01, high: 5.9 }, false],
  [{ low: 4.9, high: 4.99 }, false],
  [{ low: 0.245, high: 0.245 }, false],
])('a rate in %j is round per second, minute or hour: %j', (interval, expected) => {
  expect(isRoundRate(interval)).toBe(expected)
})

test('a round capacity is a typical one: a whole number', () => {
  for (const count of [1, 2, 3, 10, 12, 15, 25, 60, 100, 120, 250, 1000, 1500, 8000])
    expect(roundCounts).toContain(count)
  expect(roundCounts).toHaveLength(37)
  expect(roundCounts.every(Number.isInteger)).toBe(true)
})
