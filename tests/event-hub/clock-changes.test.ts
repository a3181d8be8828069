import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import {
  localAt,
  offsetBetween,
  offsetText,
  passedTime,
  settledTime,
  windowOver,
  windowsOver,
} from '../../src/event-hub/clock-changes.ts'
import { compareLocal, formatLocal, millisecondsBetween } from '../../src/event-hub/local-time.ts'
import { positionIn, windowsBack } from '../../src/event-hub/window.ts'

const minute = 60_000
const hour = 60 * minute
const local = (text: string) => Temporal.PlainDateTime.from(text)
const at = (text: string) => Temporal.Instant.from(text).epochMilliseconds

/** Zones of the world, and instants of which every second one is within three hours of a clock change. */
const zoned = fc
  .tuple(
    fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
    fc.integer({ min: Date.UTC(2015, 0, 1), max: Date.UTC(2035, 0, 1) }),
    fc.boolean(),
    fc.integer({ min: -3 * hour, max: 3 * hour }),
  )
  .map(([zone, at, near, by]) => {
    const here = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
    const change = near ? here.getTimeZoneTransition('next') : undefined
    return [zone, change ? change.epochMilliseconds + by : at] as const
  })

describe('the wall clock of a zone', () => {
  test('the local time of an instant leads back to that instant', () => {
    fc.assert(
      fc.property(zoned, ([zone, at]) => {
        const shown = localAt(zone, at)
        const instants = (['earlier', 'later'] as const).map(
          (disambiguation) => shown.toZonedDateTime(zone, { disambiguation }).epochMilliseconds,
        )
        expect(instants).toContain(at)
      }),
    )
  })
})

describe('a window over a span of time', () => {
  const spans = fc.tuple(zoned, fc.integer({ min: 0, max: 6 * hour }))

  test('that ends as the clock goes back includes the hour that is repeated', () => {
    const change = at('2026-10-25T01:00:00Z')
    const { from, to } = windowOver('Europe/Helsinki', change - 30 * minute, change)
    expect([from, to].map(formatLocal)).toEqual(['2026-10-25T03:00:00.000', '2026-10-25T04:00:00.000'])
  })

  test('contains the time on the clock at each of its moments', () => {
    fc.assert(
      fc.property(spans, fc.double({ min: 0, max: 1, noNaN: true }), ([[zone, from], length], share) => {
        const window = windowOver(zone, from, from + length)
        expect(positionIn(window, localAt(zone, Math.floor(from + share * length)))).toBe('inside')
        expect(positionIn(window, localAt(zone, from + length))).toBe('inside')
      }),
    )
  })

  test('is as wide as the clock change makes it: wider when clocks go forward, the hour itself when they go back', () => {
    const width = (from: string, to: string) => {
      const window = windowOver('Europe/Helsinki', Date.parse(from), Date.parse(to))
      return millisecondsBetween(window.from, window.to) - 1
    }
    expect(width('2026-03-28T00:30:00Z', '2026-03-28T01:30:00Z')).toBe(hour)
    expect(width('2026-03-29T00:30:00Z', '2026-03-29T01:30:00Z')).toBe(2 * hour)
    expect(width('2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z')).toBe(hour - 1)
  })

  test('is one window if the zone is known, otherwise two adjacent ones', () => {
    const [from, until] = [at('2026-03-02T10:00:00Z'), at('2026-03-02T11:00:00Z')]
    const texts = (zone: string) =>
      windowsOver(zone, from, until).map((window) => [formatLocal(window.from), formatLocal(window.to)])
    expect(texts('Europe/Helsinki')).toEqual([['2026-03-02T12:00:00.000', '2026-03-02T13:00:00.001']])
    expect(texts('unknown')).toEqual([
      ['2026-03-01T22:00:00.000', '2026-03-02T11:00:00.000'],
      ['2026-03-02T11:00:00.000', '2026-03-03T01:00:00.001'],
    ])
  })

  test('if the zone is unknown, two permitted windows contain the times of all zones', () => {
    fc.assert(
      fc.property(spans, ([[zone, from], length]) => {
        const windows = windowsOver('unknown', from, from + length)
        for (const window of windows)
          expect(millisecondsBetween(window.from, window.to)).toBeLessThanOrEqual(23 * hour)
        const shown = localAt(zone, from + Math.floor(length / 2))
        expect(windows.filter((window) => positionIn(window, shown) === 'inside')).toHaveLength(1)
      }),
    )
  })
})

describe('the offset of a time', () => {
  test('is found where the instant is known to some minutes', () => {
    fc.assert(
      fc.property(
        zoned,
        fc.integer({ min: 0, max: 7 * minute }),
        fc.integer({ min: 0, max: 7 * minute }),
        ([zone, at], before, after) => {
          const shown = localAt(zone, at)
          const offset =
            Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).offsetNanoseconds / 6e10
          expect(offsetBetween(shown, at - before, at + after)).toBe(offset)
        },
      ),
    )
  })

  test.each([
    ['five minutes early', -5],
    ['four minutes late', 4],
  ])('is undefined for a time that is %s', (_, minutes) => {
    const at = Date.UTC(2026, 2, 2, 10, 15)
    const shown = localAt('Europe/Helsinki', at + minutes * minute)
    expect(offsetBetween(shown, at - minute, at + minute)).toBeUndefined()
  })

  test('is a number of minutes at the ends of the world, and zero without a sign', () => {
    const instant = Date.UTC(2026, 2, 2, 10, 15)
    const offset = (hours: number) => offsetBetween(localAt('UTC', instant + hours * hour), instant, instant)
    expect([-12.25, -12, -0, 14, 14.25].map(offset)).toEqual([undefined, -720, 0, 840, undefined])
  })

  test('is undefined if no zone has it', () => {
    const at = Date.UTC(2026, 2, 2, 10, 15)
    expect(offsetBetween(local('9999-03-02T10:15'), at, at)).toBeUndefined()
    expect(offsetBetween(localAt('UTC', at + 15 * hour), at, at)).toBeUndefined()
  })
})

describe('the time up to which events are settled, around clock changes', () => {
  test('is never shown', () => {
    fc.assert(
      fc.property(zoned, fc.integer({ min: 0, max: 2 * hour }), ([zone, now], later) => {
        const settled = settledTime(zone, now)
        expect(compareLocal(settled, localAt(zone, now + later))).toBeLessThanOrEqual(0)
        expect(compareLocal(settledTime('unknown', now), localAt(zone, now + later))).toBeLessThanOrEqual(0)
      }),
    )
  })

  test.each([
    // The hour from 03:00 to 04:00 repeats.
    ['2026-10-25T00:50:00Z', '2026-10-25T03:00:00.000'],
    ['2026-10-25T01:05:00Z', '2026-10-25T03:00:00.000'],
    ['2026-10-25T01:30:00Z', '2026-10-25T03:20:00.000'],
    ['2026-03-29T00:50:00Z', '2026-03-29T02:40:00.000'],
    ['2026-03-29T01:05:00Z', '2026-03-29T02:55:00.000'],
  ])('at %s in Helsinki: %s', (instant, settled) => {
    expect(formatLocal(settledTime('Europe/Helsinki', Date.parse(instant)))).toBe(settled)
  })

  test('windows that go back from there are permitted by wall-clock time and by elapsed time', () => {
    fc.assert(
      fc.property(zoned, ([zone, now]) => {
        for (const { from, to } of windowsBack(settledTime(zone, now), undefined, 3)) {
          expect(millisecondsBetween(from, to)).toBeLessThanOrEqual(24 * hour)
          const gone =
            to.toZonedDateTime(zone).epochMilliseconds - from.toZonedDateTime(zone).epochMilliseconds
          expect(gone).toBeLessThanOrEqual(25 * hour)
        }
      }),
    )
  })
})

test.each([
  [0, '+00:00'],
  [60, '+01:00'],
  [345, '+05:45'],
  [-210, '-03:30'],
  [840, '+14:00'],
  [-15, '-00:15'],
])('an offset of %i minutes is written %s', (minutes, text) => {
  expect(offsetText(minutes)).toBe(text)
})

describe('the local time up to which a poller searches', () => {
  const zones = fc.constantFrom(
    'Europe/Helsinki',
    'America/St_Johns',
    'Australia/Lord_Howe',
    'Asia/Kolkata',
    'UTC',
  )
  const instants = fc.integer({ min: at('2020-01-01T00:00Z'), max: at('2035-01-01T00:00Z') })
  const nearChanges = fc
    .tuple(
      fc.constantFrom('2026-10-25T01:00Z', '2026-03-29T01:00Z', '2026-11-01T04:30Z', '2026-04-04T15:00Z'),
      fc.integer({ min: -3 * hour, max: 3 * hour }),
    )
    .map(([change, off]) => at(change) + off)

  test('never goes back, and no later event is before it', () => {
    fc.assert(
      fc.property(
        zones,
        fc.oneof(instants, nearChanges),
        fc.integer({ min: 0, max: 5 * hour }),
        (zone, instant, later) => {
          const now = passedTime(zone, instant)
          expect(compareLocal(now, passedTime(zone, instant + later))).toBeLessThanOrEqual(0)
          const shown = Temporal.Instant.fromEpochMilliseconds(instant + later).toZonedDateTimeISO(zone)
          expect(compareLocal(now, shown.toPlainDateTime())).toBeLessThanOrEqual(0)
        },
      ),
    )
  })

  test.each([
    // Helsinki shows the hour from 03:00 twice, until 00:59:59Z and until 01:59:59Z.
    ['2026-10-24T23:59:00Z', '2026-10-25T02:59:00'],
    ['2026-10-25T00:30:00Z', '2026-10-25T02:59:59.999'],
    ['2026-10-25T00:59:59Z', '2026-10-25T02:59:59.999'],
    ['2026-10-25T01:30:00Z', '2026-10-25T03:30:00'],
    ['2026-03-29T00:59:59Z', '2026-03-29T02:59:59'],
    ['2026-03-29T01:00:00Z', '2026-03-29T04:00:00'],
  ])('at %s is %s in Helsinki', (instant, local) => {
    expect(passedTime('Europe/Helsinki', at(instant)).toString()).toBe(local)
  })
})
