import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { backoffMs, retryAfterMs, waitAfter } from '../../src/http/retry-after.ts'

const now = 'Sat, 07 Mar 2026 12:00:00 GMT'

describe('Retry-After', () => {
  test.each([
    ['0', 0],
    ['7', 7000],
    [' 7 ', 7000],
    ['007', 7000],
    ['86400', 86_400_000],
    ['99999999999999999999', 2 ** 31 * 1000],
    ['9'.repeat(400), 2 ** 31 * 1000],
    [now, 0],
    ['Sat, 07 Mar 2026 12:00:30 GMT', 30_000],
    ['Sat, 07 Mar 2026 11:59:59 GMT', 0],
    ['Sun, 07 Mar 2027 12:00:00 GMT', 365 * 86_400_000],
    ['Saturday, 07-Mar-26 12:00:30 GMT', 30_000],
    ['Sat Mar  7 12:00:30 2026', 30_000],
    ['', undefined],
    ['1.5', undefined],
    ['-1', undefined],
    ['+1', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['5, 10', undefined],
    ['5 seconds', undefined],
    ['soon', undefined],
    ['2026-03-07T12:00:30Z', undefined],
    ['Sat, 07 Mar 2026 12:00:30', undefined],
    ['Sat, 07 Mar 2026 12:00:30 +0100', undefined],
    ['Sat, 99 Mar 2026 12:00:30 GMT', undefined],
    ['١٢', undefined],
    ['Sat Mar 17 12:00:30 2026', 10 * 86_400_000 + 30_000],
    ['before Sat, 07 Mar 2026 12:00:30 GMT', undefined],
    ['Sat, 07 Mar 2026 12:00:30 GMT+0100', undefined],
    ['Sat, 07 Mar 2026 12:00:30 GMT, then', undefined],
    ['before Saturday, 07-Mar-26 12:00:30 GMT', undefined],
    ['Saturday, 07-Mar-26 12:00:30 GMT+0100', undefined],
    ['about Sat Mar  7 12:00:30 2026', undefined],
    ['Sat Mar  7 12:00:30 20260', undefined],
    ['Sat Mar -7 12:00:30 2026', undefined],
  ])('%j is %s ms', (value, expected) => {
    expect(retryAfterMs(value, now)).toBe(expected)
  })

  test('absent is unknown', () => {
    expect(retryAfterMs(undefined, now)).toBeUndefined()
  })

  test("a date is held against the answer's Date, and against our clock where that is missing or nonsense", () => {
    const inTenSeconds = new Date(Date.now() + 10_500).toUTCString()
    for (const date of [undefined, 'nonsense']) {
      const wait = retryAfterMs(inTenSeconds, date)
      expect(wait).toBeGreaterThan(8000)
      expect(wait).toBeLessThanOrEqual(10_500)
    }
    expect(retryAfterMs('Fri, 01 Jan 1999 00:00:05 GMT', 'Fri, 01 Jan 1999 00:00:00 GMT')).toBe(5000)
  })

  test('whatever a header says, the wait is unknown or not negative', () => {
    const dates = fc.date({ noInvalidDate: true }).map((date) => date.toUTCString())
    const text = fc.oneof(fc.string(), dates, fc.nat().map(String))
    fc.assert(
      fc.property(text, fc.option(text, { nil: undefined }), (value, date) => {
        expect(retryAfterMs(value, date) ?? 0).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})

describe('the wait before a request is sent again', () => {
  const waitWith = (headers: Readonly<Record<string, string>>, attempt = 0) =>
    waitAfter((name) => headers[name], attempt)

  test('is that of Retry-After', () => {
    expect(waitWith({ 'retry-after': '7' })).toBe(7000)
    expect(waitWith({ 'retry-after': 'Sat, 07 Mar 2026 12:00:30 GMT', date: now })).toBe(30_000)
  })

  test.each(['0', 'soon', now])('with Retry-After %s is a back-off', (value) => {
    const wait = waitWith({ 'retry-after': value, date: now }, 2)
    expect(wait).toBeGreaterThanOrEqual(2000)
    expect(wait).toBeLessThanOrEqual(4000)
  })
})

test('back-off doubles from one second to thirty, half of it random', () => {
  const least = [0, 1, 2, 3, 4, 5, 20].map((attempt) => backoffMs(attempt, () => 0))
  const most = [0, 1, 2, 3, 4, 5, 20].map((attempt) => backoffMs(attempt, () => 1))
  expect(least).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000])
  expect(most).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
})
