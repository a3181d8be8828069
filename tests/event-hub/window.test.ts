import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import {
  clocksChange,
  compareLocal,
  formatLocal,
  millisecondsBetween,
  parseLocal,
} from '../../src/event-hub/local-time.ts'
import {
  certainPosition,
  isSameWindow,
  isWithin,
  monthEnd,
  newestPart,
  positionIn,
  startOfSteadyDay,
  windowsBack,
} from '../../src/event-hub/window.ts'

const local = (text: string) => Temporal.PlainDateTime.from(text)
const hours = 3_600_000

test.each([
  ['10:00', '12:00', true],
  ['10:00', '12:01', false],
  ['09:59', '12:00', false],
])('a window from %s to %s is the same as another: %o', (from, to, isSame) => {
  const at = (time: string) => local(`2026-03-02T${time}`)
  expect(isSameWindow({ from: at(from), to: at(to) }, { from: at('10:00'), to: at('12:00') })).toBe(isSame)
})

test.each([
  ['10:00', '12:00', true],
  ['10:30', '11:00', true],
  ['09:59', '11:00', false],
  ['11:00', '12:01', false],
])('a window from %s to %s is within another one: %o', (from, to, is) => {
  const at = (time: string) => local(`2026-03-02T${time}`)
  expect(isWithin({ from: at(from), to: at(to) }, { from: at('10:00'), to: at('12:00') })).toBe(is)
})

test('windows that go back are adjacent, and permitted on every day', () => {
  const to = local('2026-03-30T12:00')
  const windows = windowsBack(to, undefined, 5)
  expect(windows).toHaveLength(5)
  expect(windows[0]?.to.equals(to)).toBe(true)
  for (const [index, { from, to }] of windows.entries()) {
    // One more hour on the day on which clocks go back.
    expect(millisecondsBetween(from, to) + hours).toBeLessThanOrEqual(24 * hours)
    if (index > 0) expect(windows[index - 1]?.from.equals(to)).toBe(true)
  }
})

test('windows that go back stop at the earliest time', () => {
  const earliest = local('2026-03-01T00:00')
  const windows = windowsBack(local('2026-03-02T00:00'), earliest, 5)
  expect(windows.map(({ from }) => formatLocal(from))).toEqual([
    '2026-03-01T01:00:00.000',
    '2026-03-01T00:00:00.000',
  ])
  expect(windowsBack(earliest, earliest, 5)).toEqual([])
})

test('the newest part of a window keeps its end and is inside the window', () => {
  const window = { from: local('2026-03-01T00:00'), to: local('2026-03-01T20:00') }
  fc.assert(
    fc.property(fc.double({ min: 0, max: 2, noNaN: true }), (share) => {
      const { from, to } = newestPart(window, share)
      expect(to.equals(window.to)).toBe(true)
      expect(compareLocal(from, window.from)).toBeGreaterThanOrEqual(0)
      expect(millisecondsBetween(from, to)).toBeGreaterThanOrEqual(60_000)
    }),
  )
})

test.each([
  ['half of a window', 0.5, '2026-03-01T10:00:00.000'],
  ['a minute at least', 0, '2026-03-01T19:59:00.000'],
  ['whole minutes', 0.0026, '2026-03-01T19:57:00.000'],
  ['no more than the window', 2, '2026-03-01T00:00:00.000'],
])('the newest part of a window is %s', (_, share, from) => {
  const part = newestPart({ from: local('2026-03-01T00:00'), to: local('2026-03-01T20:00') }, share)
  expect(formatLocal(part.from)).toBe(from)
})

describe('a steady day', () => {
  test.each([
    ['UTC', '2026-03-28T09:50', '2026-03-27T07:00:00.000'],
    ['UTC', '2026-03-28T10:00', '2026-03-27T08:00:00.000'],
    // Clocks went forward in Helsinki at 03:00 on 2026-03-29.
    ['Europe/Helsinki', '2026-03-30T07:00', '2026-03-29T05:00:00.000'],
    ['Europe/Helsinki', '2026-03-30T04:50', '2026-03-27T02:00:00.000'],
    ['Europe/Helsinki', '2026-03-29T05:50', '2026-03-27T03:00:00.000'],
    ['Europe/Helsinki', '2026-03-29T03:50', '2026-03-28T01:00:00.000'],
  ])('in %s before %s begins at %s', (zone, settled, start) => {
    expect(formatLocal(startOfSteadyDay(local(settled), zone))).toBe(start)
  })

  test.each(['Europe/Helsinki', 'America/New_York', 'unknown'])('has no change of clocks: %s', (zone) => {
    for (const date of ['2026-03-09', '2026-03-30', '2026-10-26', '2026-11-02', '2026-07-01']) {
      const settled = local(`${date}T09:50`)
      const start = startOfSteadyDay(settled, zone)
      expect(clocksChange(start, start.add({ hours: 24, minutes: 1 }), zone), date).toBe(false)
      expect(compareLocal(start.add({ hours: 25 }), settled)).toBe(-1)
    }
  })
})

test('places in a window: from belongs to it, to does not', () => {
  const window = { from: local('2026-03-01T10:00'), to: local('2026-03-01T11:00') }
  const place = (text: string) => positionIn(window, local(text))
  expect(place('2026-03-01T09:59:59.999')).toBe('before')
  expect(place('2026-03-01T10:00')).toBe('inside')
  expect(place('2026-03-01T10:59:59.999999')).toBe('inside')
  expect(place('2026-03-01T11:00')).toBe('at-to')
  expect(place('2026-03-01T11:00:00.001')).toBe('after')
})

test('the end of a month: an impossible day that is rolled over is the end of the window', () => {
  const days = fc
    .integer({ min: 0, max: 3000 })
    .map((count) => local('2024-01-01T13:00').add({ days: count }))
  fc.assert(
    fc.property(days, (from) => {
      const { window, impossible } = monthEnd({ from, to: from.add({ hours: 12 }) })
      expect(parseLocal(impossible)).toBeUndefined()
      const [date = '', time = ''] = impossible.split('T')
      const rolled = local(`${date.slice(0, 8)}01T${time}`).add({ days: 30 })
      expect(rolled.equals(window.to)).toBe(true)
      expect(millisecondsBetween(window.from, window.to)).toBe(12 * hours)
      expect(compareLocal(window.from, from)).toBe(-1)
    }),
  )
})

test.each([
  ['2026-05-17T13:30:20.5', '2026-04-30', '2026-04-31'],
  ['2026-07-01T00:00', '2026-06-30', '2026-06-31'],
  // No month before March has 30 days.
  ['2026-03-05T10:00', '2025-11-30', '2025-11-31'],
])('the end of a month before %s is %s', (from, last, impossible) => {
  const { window, impossible: end } = monthEnd({ from: local(from), to: local(from).add({ hours: 1 }) })
  expect(formatLocal(window.from)).toBe(`${last}T18:00:00.000`)
  expect(millisecondsBetween(window.from, window.to)).toBe(12 * hours)
  expect(end).toBe(`${impossible}T06:00:00.000`)
})

test.each([
  ['10:15:29.499', 'before'],
  ['10:15:30.500', 'inside'],
  ['10:20:00.000', 'at-to'],
  ['10:20:00.001', 'after'],
  // The window would still be out of reach if a minute had been cut off.
  ['10:14:29', 'before'],
  ['10:14:31', undefined],
  ['10:16:00', undefined],
  ['10:17:30.5', undefined],
  ['10:20:00', undefined],
  ['10:20:01', 'after'],
])('a time written as %s is certainly %s', (time, position) => {
  const window = { from: local('2026-03-02T10:15:30'), to: local('2026-03-02T10:20') }
  const written = parseLocal(`2026-03-02T${time}`)
  expect(written && certainPosition(window, written)).toBe(position)
})
