import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import { settledTime } from '../../src/event-hub/clock-changes.ts'
import {
  clocksChange,
  compareLocal,
  earlierOf,
  formatLocal,
  laterOf,
  millisecondsBetween,
  parseLocal,
  wallClockMs,
  wholeSeconds,
  withoutFinalZeros,
} from '../../src/event-hub/local-time.ts'

const local = (text: string) => Temporal.PlainDateTime.from(text)

/** Any moment of the wall clock from 1970 to 2100, in whole milliseconds. */
const moments = fc
  .integer({ min: 0, max: Date.UTC(2100, 0, 1) })
  .map((milliseconds) => local('1970-01-01T00:00').add({ milliseconds }))

describe('a local date-time without final zeros of its fraction', () => {
  test.each([
    ['2026-03-02T10:15:30.100', '2026-03-02T10:15:30.1'],
    ['2026-03-02T10:15:30.123000', '2026-03-02T10:15:30.123'],
    ['2026-03-02T10:15:30.010', '2026-03-02T10:15:30.01'],
    ['2026-03-02T10:15:30.000', '2026-03-02T10:15:30'],
    ['2026-03-02T10:15:30.0', '2026-03-02T10:15:30'],
    ['2026-03-02T10:15:30', '2026-03-02T10:15:30'],
    ['2026-03-02T10:20:00', '2026-03-02T10:20:00'],
    ['2026-03-02T10:15:30.101', '2026-03-02T10:15:30.101'],
    ['2026-03-02T10:15:30.100Z', '2026-03-02T10:15:30.100Z'],
    ['2026-03-02T10:15:30.100+02:00', '2026-03-02T10:15:30.100+02:00'],
    ['100', '100'],
  ])('%s is %s', (text, expected) => {
    expect(withoutFinalZeros(text)).toBe(expected)
  })

  test('is the same time, and the same text for the same time', () => {
    fc.assert(
      fc.property(moments, fc.integer({ min: 3, max: 9 }), (moment, digits) => {
        const written = moment.toString({ fractionalSecondDigits: digits as 3 })
        expect(parseLocal(withoutFinalZeros(written))?.at.equals(moment)).toBe(true)
        expect(withoutFinalZeros(written)).toBe(withoutFinalZeros(formatLocal(moment)))
      }),
    )
  })
})

describe('reading local date-times', () => {
  test('a written time is read back, digit for digit', () => {
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
    // At this hour clocks went forward in Helsinki, which a local time does not show.
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
    'x2026-03-02T10:15:30.123',
    '2026-03-02T10:15:30.',
    '2026-03-02T10:15:30.1234567890',
    '2026-03-02T10:15:3',
    '2026-03-02T10:15:70',
    '2026-3-2T10:15',
  ])('%j is none', (text) => {
    expect(parseLocal(text)).toBeUndefined()
  })

  test('a suffix other than a digit is invalid', () => {
    const suffix = fc.string({ minLength: 1, maxLength: 6 }).filter((text) => !/^\d/.test(text))
    fc.assert(
      fc.property(moments, suffix, (moment, more) => {
        expect(parseLocal(formatLocal(moment) + more)).toBeUndefined()
      }),
    )
  })
})

describe('milliseconds on the wall clock', () => {
  const written = fc.tuple(
    fc.integer({ min: 1900, max: 2100 }),
    fc.integer({ min: 0, max: 13 }),
    fc.integer({ min: 0, max: 32 }),
    fc.integer({ min: 0, max: 25 }),
    fc.constantFrom('', ':00', ':59.5', ':07.123', ':60', ':00.123456'),
  )
  const two = (number: number) => String(number).padStart(2, '0')
  const text = written.map(
    ([year, month, day, hour, rest]) => `${year}-${two(month)}-${two(day)}T${two(hour)}:30${rest}`,
  )

  test('exist for exactly the valid local date-times, and compare like them', () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        const [a, b] = [parseLocal(one)?.at, parseLocal(other)?.at]
        const [x, y] = [wallClockMs(one), wallClockMs(other)]
        expect(x === undefined).toBe(a === undefined)
        if (a && b && x !== undefined && y !== undefined) expect(Math.sign(x - y)).toBe(compareLocal(a, b))
      }),
      { numRuns: 1000 },
    )
  })

  test.each([
    ['1970-01-01T00:00:00.000', 0],
    ['2026-03-02T10:15:30.123', Date.UTC(2026, 2, 2, 10, 15, 30, 123)],
    ['1999-12-28T23:59:59.999', Date.UTC(1999, 11, 28, 23, 59, 59, 999)],
    ['2026-03-31T10:15:30.987', Date.UTC(2026, 2, 31, 10, 15, 30, 987)],
    ['2026-03-02T10:15', Date.UTC(2026, 2, 2, 10, 15)],
    ['2026-03-02T10:15:30.123456', Date.UTC(2026, 2, 2, 10, 15, 30, 123) + 0.456],
    ['2026-03-02T10:15:30.000000007', Date.UTC(2026, 2, 2, 10, 15, 30) + 0.000007],
    ['0099-03-02T10:15:30.123', Date.parse('0099-03-02T10:15:30.123Z')],
    ['3000-01-01T00:00:00.000', Date.UTC(3000, 0, 1)],
  ])('of %s are %i', (text, milliseconds) => {
    expect(wallClockMs(text)).toBeCloseTo(milliseconds, 5)
  })

  test.each([
    'x2026-03-02T10:15:30.123',
    '2026-03-02T10:15:30.123Z',
    // Each has one character that is not a digit, or a day that some months lack.
    '20-03-02T10:15:30.123',
    '2abc-03-02T10:15:30.123',
    '2026-03-1xT10:15:30.123',
    '2026-02-29T10:15:30.123',
    '2026-03-02T1x:15:30.123',
    '2026-03-02T10:75:30.123',
    '2026-03-02T10:15:75.123',
    '2026-03-02T10:1x:30.123',
    '2026-03-02T10:15:x0.123',
    '2026-03-02T10:15:3x.123',
    '2026-03-02T10:15:30.xyz',
    '2026-13-02T10:15:30.123',
    '2026-02-30T10:15:30.123',
  ])('there are none of %s', (text) => {
    expect(wallClockMs(text)).toBeUndefined()
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

  test('a duration is exact to the nanosecond, and negative for times in reverse order', () => {
    const [one, other] = [local('2026-03-02T10:15:30'), local('2026-03-02T10:15:30.001002003')]
    expect(millisecondsBetween(one, other)).toBe(1.002003)
    expect(millisecondsBetween(other, one)).toBe(-1.002003)
    expect(millisecondsBetween(local('0099-12-31T00:00'), local('0100-01-01T00:00'))).toBe(86_400_000)
  })

  test('the earlier and the later of two times', () => {
    const [one, other] = [local('2026-03-02T10:15'), local('2026-03-02T10:15:00.001')]
    for (const pair of [[one, other] as const, [other, one] as const]) {
      expect(earlierOf(...pair)).toBe(one)
      expect(laterOf(...pair)).toBe(other)
    }
    const equal = local('2026-03-02T10:15')
    expect(earlierOf(one, equal)).toBe(one)
    expect(laterOf(one, equal)).toBe(one)
  })

  test('digits finer than milliseconds are truncated in the output, and fractions if it has none', () => {
    expect(formatLocal(local('2026-03-02T10:15:30.123999'))).toBe('2026-03-02T10:15:30.123')
    expect(wholeSeconds(local('2026-03-02T10:15:30.999'))).toBe('2026-03-02T10:15:30')
  })

  test('a window of 24 wall-clock hours is accepted on the day of a clock change', () => {
    const from = local('2026-03-28T12:00')
    expect(formatLocal(from.add({ hours: 24 }))).toBe('2026-03-29T12:00:00.000')
  })
})

describe('the time up to which events are settled', () => {
  const now = Date.UTC(2026, 2, 2, 10, 15, 30, 123)

  test('in a known zone: ten minutes before now there', () => {
    expect(formatLocal(settledTime('Europe/Helsinki', now))).toBe('2026-03-02T12:05:00.000')
    expect(formatLocal(settledTime('America/New_York', now))).toBe('2026-03-02T05:05:00.000')
  })

  test('if the zone is unknown: past in every zone', () => {
    const settled = settledTime('unknown', now)
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      const there = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDateTime()
      expect(compareLocal(settled, there), zone).toBe(-1)
    }
  })

  test('a clock with fractions of a millisecond is accepted', () => {
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
