import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import { settledTime } from '../../src/event-hub/clock-changes.ts'
import {
  clocksChange,
  compareLocal,
  formatLocal,
  millisecondsBetween,
  parseLocal,
} from '../../src/event-hub/local-time.ts'

const local = (text: string) => Temporal.PlainDateTime.from(text)

/** Any moment of the wall clock from 1970 to 2100, in whole milliseconds. */
const moments = fc
  .integer({ min: 0, max: Date.UTC(2100, 0, 1) })
  .map((milliseconds) => local('1970-01-01T00:00').add({ milliseconds }))

describe('reading local date-times', () => {
  test('what is written is read back, digit for digit', () => {
    fc.assert(
      fc.property(moments, (moment) => {
        const written = parseLocal(formatLocal(moment))
        expect(written?.at.equals(moment)).toBe(true)
        expect(written?.fractionDigits).toBe(3)
      }),
    )
  })

  test.each([
    ['2026-03-02T10:15:30.123', 3],
    ['2026-03-02T10:15:30.123456', 6],
    ['2026-03-02T10:15:30', 0],
    ['2026-03-02T10:15', 0],
    // On this hour clocks went forward in Helsinki: a local time knows nothing of that.
    ['2026-03-29T03:30:00.000', 3],
  ])('%s is one', (text, fractionDigits) => {
    expect(parseLocal(text)).toMatchObject({ fractionDigits })
  })

  test.each([
    '2026-03-02T10:15:30.123Z',
    '2026-03-02T10:15:30.123+02:00',
    '2026-03-02T10:15:30.123-0200',
    '2026-03-02T10:15:30.123[Europe/Helsinki]',
    '2026-03-02T10:15:30.123[u-ca=hebrew]',
    '2026-03-02 10:15:30.123',
    '2026-03-02t10:15:30.123',
    '2026-03-02T10:15:30,123',
    '2026-02-30T10:15:30.123',
    '2026-04-31T00:00:00.000',
    '2026-03-02T24:00:00.000',
    '2026-03-02T10:60:00.000',
    '2026-03-02T10:15:60.000',
    '+002026-03-02T10:15:30.123',
    '2026-03-02',
    '1772446530123',
    '',
    ' 2026-03-02T10:15:30.123',
  ])('%j is none', (text) => {
    expect(parseLocal(text)).toBeUndefined()
  })

  test('any suffix that is no digit makes it another text', () => {
    const suffix = fc.string({ minLength: 1, maxLength: 6 }).filter((text) => !/^\d/.test(text))
    fc.assert(
      fc.property(moments, suffix, (moment, more) => {
        expect(parseLocal(formatLocal(moment) + more)).toBeUndefined()
      }),
    )
  })
})

describe('arithmetic on the wall clock', () => {
  test('order is the order of time, whatever the number of digits', () => {
    fc.assert(
      fc.property(moments, fc.integer({ min: 1, max: 10 ** 9 }), (moment, milliseconds) => {
        const later = moment.add({ milliseconds })
        expect(compareLocal(moment, later)).toBe(-1)
        expect(millisecondsBetween(moment, later)).toBe(milliseconds)
      }),
    )
    expect(compareLocal(local('2026-03-02T10:15:30.5'), local('2026-03-02T10:15:30.123456'))).toBe(1)
  })

  test('24 hours are 24 hours on the day on which clocks change', () => {
    const from = local('2026-03-28T12:00')
    expect(formatLocal(from.add({ hours: 24 }))).toBe('2026-03-29T12:00:00.000')
  })
})

describe('up to when events are settled', () => {
  const now = Date.UTC(2026, 2, 2, 10, 15, 30, 123)

  test('in a known zone: ten minutes before now there', () => {
    expect(formatLocal(settledTime('Europe/Helsinki', now))).toBe('2026-03-02T12:05:00.000')
    expect(formatLocal(settledTime('America/New_York', now))).toBe('2026-03-02T05:05:00.000')
  })

  test('where the zone is unknown: past in every zone there is', () => {
    const settled = settledTime('unknown', now)
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      const there = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDateTime()
      expect(compareLocal(settled, there), zone).toBe(-1)
    }
  })

  test('a clock with fractions of a millisecond is no obstacle', () => {
    expect(formatLocal(settledTime('UTC', now + 0.61))).toBe('2026-03-02T10:05:00.000')
  })
})

describe('days on which clocks change', () => {
  const day = (date: string) => [local(`${date}T00:00`), local(`${date}T00:00`).add({ hours: 24 })] as const

  test.each([
    ['2026-03-29', 'Europe/Helsinki', true],
    ['2026-10-25', 'Europe/Helsinki', true],
    ['2026-03-08', 'Europe/Helsinki', false],
    ['2026-03-08', 'America/New_York', true],
    ['2026-03-29', 'UTC', false],
    ['2026-03-29', 'unknown', true],
    ['2026-03-08', 'unknown', true],
    ['2026-01-14', 'unknown', false],
  ])('%s in %s: %s', (date, zone, changes) => {
    expect(clocksChange(...day(date), zone)).toBe(changes)
  })
})
