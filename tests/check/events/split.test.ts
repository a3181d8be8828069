import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { expect, test } from 'vitest'
import { splitAtRandom, widestGap } from '../../../src/check/events/split.ts'
import { compareLocal, formatLocal, millisecondsBetween } from '../../../src/event-hub/local-time.ts'
import { positionIn } from '../../../src/event-hub/window.ts'
import { randomFrom } from '../../../src/random.ts'
import { eventsAt } from '../../event-hub/events.ts'

const window = {
  from: Temporal.PlainDateTime.from('2026-03-02T10:15:00'),
  to: Temporal.PlainDateTime.from('2026-03-02T10:16:00'),
}
const seconds = fc.array(
  fc.integer({ min: 0, max: 59_999 }).map((ms) => (ms / 1000).toFixed(3).padStart(6, '0')),
  { maxLength: 40 },
)

test('parts are adjacent, cover the window, and are split at times without events', () => {
  fc.assert(
    fc.property(fc.nat(), seconds, fc.integer({ min: 2, max: 6 }), (seed, at, count) => {
      const events = eventsAt(...at)
      const parts = splitAtRandom(
        { window, events, pages: [], complete: true },
        count,
        randomFrom(seed, 'test'),
      )
      expect(parts).toHaveLength(count)
      expect(parts[0]?.from.equals(window.from)).toBe(true)
      expect(parts.at(-1)?.to.equals(window.to)).toBe(true)
      for (const [index, { from, to }] of parts.entries()) {
        expect(compareLocal(from, to)).toBe(-1)
        if (index === 0) continue
        expect(parts[index - 1]?.to.equals(from)).toBe(true)
        for (const { time } of events)
          if (time) expect(Math.abs(millisecondsBetween(from, time.at))).toBeGreaterThan(1)
      }
      for (const { time } of events)
        expect(parts.filter((part) => time && positionIn(part, time.at) === 'inside')).toHaveLength(1)
    }),
  )
})

const reading = (...seconds: readonly string[]) => ({
  window,
  events: eventsAt(...seconds),
  pages: [],
  complete: true,
})

test.each([
  [0, [12, 32]],
  [0.5, [20, 40]],
  [1, [28, 48]],
])('a number of %d moves the cuts of three parts of a minute to the seconds %j', (random, cuts) => {
  const [, ...others] = splitAtRandom(reading(), 3, () => random)
  expect(others).toHaveLength(2)
  for (const [index, { from }] of others.entries())
    expect(millisecondsBetween(window.from, from) / 1000).toBeCloseTo(cuts[index] ?? 0, 2)
})

test.each([
  [[], '10:15:20.000', '10:15:40.000'],
  [['15.000', '12.000', '45.000', '50.000'], '10:15:25.000', '10:15:35.000'],
  [['40.000', '42.001'], '10:15:13.333', '10:15:26.666'],
  [['20.000', '22.000'], '10:15:34.666', '10:15:47.332'],
  [['30.000'], '10:15:10.000', '10:15:20.000'],
])('the widest gap of a window with events at %j is around %s to %s', (seconds, from, to) => {
  const gap = widestGap(reading(...seconds))
  expect([gap.from, gap.to].map((time) => formatLocal(time).slice(11))).toEqual([from, to])
})

test('events outside the window do not widen its gaps', () => {
  const gap = widestGap({
    ...reading('00.000', '30.000'),
    window: { ...window, to: window.from.add({ seconds: 3 }) },
  })
  expect([gap.from, gap.to].map((time) => formatLocal(time).slice(17))).toEqual(['01.000', '02.000'])
})

test('the widest gap of a very short window is not empty', () => {
  const short = { from: window.from, to: window.from.add({ milliseconds: 2 }) }
  const { from, to } = widestGap({ ...reading(), window: short })
  expect([from, to].map((time) => millisecondsBetween(window.from, time))).toEqual([1, 2])
})

test('a window that is too short has fewer parts', () => {
  const short = { from: window.from, to: window.from.add({ milliseconds: 2 }) }
  const parts = splitAtRandom({ ...reading(), window: short }, 6, () => 0.5)
  expect(parts.map(({ from, to }) => millisecondsBetween(from, to))).toEqual([1, 1])
})

test.each([
  [['00.000'], '10:15:30.000'],
  [['29.998'], '10:15:30.000'],
  [['29.999'], '10:15:30.003'],
  [['30.001'], '10:15:30.003'],
  [['30.002'], '10:15:30.000'],
  [['30.001', '30.004', '30.006'], '10:15:30.009'],
])('the middle of a window with events at %j is %s', (seconds, middle) => {
  const [first] = splitAtRandom(reading(...seconds), 2, () => 0.5)
  expect(formatLocal(first?.to as Temporal.PlainDateTime).slice(11)).toBe(middle)
})
