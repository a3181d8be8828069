import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import {
  localAt,
  offsetBetween,
  settledTime,
  windowOver,
  windowsOver,
} from '../../src/event-hub/clock-changes.ts'
import { compareLocal, formatLocal, millisecondsBetween } from '../../src/event-hub/local-time.ts'
import { placeIn, windowsBack } from '../../src/event-hub/window.ts'

const minute = 60_000
const hour = 60 * minute
const local = (text: string) => Temporal.PlainDateTime.from(text)

/** Zones of the world, and instants of which every other lies within three hours of a change of their clocks. */
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
  test('what it shows at an instant leads back to that instant', () => {
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

  test('holds what the clock shows at each moment of it', () => {
    fc.assert(
      fc.property(spans, fc.double({ min: 0, max: 1, noNaN: true }), ([[zone, from], length], share) => {
        const window = windowOver(zone, from, from + length)
        expect(placeIn(window, localAt(zone, Math.floor(from + share * length)))).toBe('inside')
        expect(placeIn(window, localAt(zone, from + length))).toBe('inside')
      }),
    )
  })

  test('is as wide as the clock makes it: more where it is put forward, the hour itself where it is put back', () => {
    const width = (from: string, to: string) => {
      const window = windowOver('Europe/Helsinki', Date.parse(from), Date.parse(to))
      return millisecondsBetween(window.from, window.to) - 1
    }
    expect(width('2026-03-28T00:30:00Z', '2026-03-28T01:30:00Z')).toBe(hour)
    expect(width('2026-03-29T00:30:00Z', '2026-03-29T01:30:00Z')).toBe(2 * hour)
    expect(width('2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z')).toBe(hour - 1)
  })

  test('where the zone is unknown, two lawful ones hold what any zone shows', () => {
    fc.assert(
      fc.property(spans, ([[zone, from], length]) => {
        const windows = windowsOver('unknown', from, from + length)
        for (const window of windows)
          expect(millisecondsBetween(window.from, window.to)).toBeLessThanOrEqual(23 * hour)
        const shown = localAt(zone, from + Math.floor(length / 2))
        expect(windows.filter((window) => placeIn(window, shown) === 'inside')).toHaveLength(1)
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
  ])('is none for a time that is %s', (_, minutes) => {
    const at = Date.UTC(2026, 2, 2, 10, 15)
    const shown = localAt('Europe/Helsinki', at + minutes * minute)
    expect(offsetBetween(shown, at - minute, at + minute)).toBeUndefined()
  })

  test('is none where no zone of the run has it', () => {
    const at = Date.UTC(2026, 2, 2, 10, 15)
    expect(offsetBetween(local('9999-03-02T10:15'), at, at)).toBeUndefined()
    expect(offsetBetween(localAt('UTC', at + 15 * hour), at, at)).toBeUndefined()
  })
})

describe('up to when events are settled, around changes of clocks', () => {
  test('is never shown again', () => {
    fc.assert(
      fc.property(zoned, fc.integer({ min: 0, max: 2 * hour }), ([zone, now], later) => {
        const settled = settledTime(zone, now)
        expect(compareLocal(settled, localAt(zone, now + later))).toBeLessThanOrEqual(0)
        expect(compareLocal(settledTime('unknown', now), localAt(zone, now + later))).toBeLessThanOrEqual(0)
      }),
    )
  })

  test.each([
    // The hour from 03:00 to 04:00 comes again.
    ['2026-10-25T00:50:00Z', '2026-10-25T03:00:00.000'],
    ['2026-10-25T01:05:00Z', '2026-10-25T03:00:00.000'],
    ['2026-10-25T01:30:00Z', '2026-10-25T03:20:00.000'],
    ['2026-03-29T00:50:00Z', '2026-03-29T02:40:00.000'],
    ['2026-03-29T01:05:00Z', '2026-03-29T02:55:00.000'],
  ])('at %s in Helsinki: %s', (instant, settled) => {
    expect(formatLocal(settledTime('Europe/Helsinki', Date.parse(instant)))).toBe(settled)
  })

  test('windows that go back from there are lawful by the wall clock and by the time that goes by', () => {
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
