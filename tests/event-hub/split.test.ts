import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { expect, test } from 'vitest'
import { compareLocal, millisecondsBetween } from '../../src/event-hub/local-time.ts'
import type { EventPage } from '../../src/event-hub/page.ts'
import { randomFrom, readPagesInRandomOrder, shuffled, splitAtRandom } from '../../src/event-hub/split.ts'
import { placeIn } from '../../src/event-hub/window.ts'
import { eventsAt } from './events.ts'

const window = {
  from: Temporal.PlainDateTime.from('2026-03-02T10:15:00'),
  to: Temporal.PlainDateTime.from('2026-03-02T10:16:00'),
}
const seconds = fc.array(
  fc.integer({ min: 0, max: 59_999 }).map((ms) => (ms / 1000).toFixed(3).padStart(6, '0')),
  { maxLength: 40 },
)

test('parts lie end to end, make up the window, and are cut where there is no event', () => {
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
        expect(parts.filter((part) => time && placeIn(part, time.at) === 'inside')).toHaveLength(1)
    }),
  )
})

test('the same seed chooses the same, another name or seed something else', () => {
  const draw = (seed: number, name: string) => {
    const random = randomFrom(seed, name)
    return Array.from({ length: 8 }, random)
  }
  expect(draw(7, 'a')).toEqual(draw(7, 'a'))
  expect(draw(7, 'a')).not.toEqual(draw(7, 'b'))
  expect(draw(7, 'a')).not.toEqual(draw(8, 'a'))
  for (const number of draw(7, 'a')) expect(number >= 0 && number < 1).toBe(true)
})

test('another order holds the same', () => {
  fc.assert(
    fc.property(fc.nat(), fc.array(fc.integer()), (seed, values) => {
      const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)
      expect(sorted(shuffled(values, randomFrom(seed, 'order')))).toEqual(sorted(values))
    }),
  )
})

test('pages are asked for once each, the first one first, and given in the order of their numbers', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 0, max: 50 }), async (seed, total) => {
      const asked: number[] = []
      const readPage = async (page: number): Promise<EventPage> => {
        asked.push(page)
        const paging = { page, pageSize: 4 }
        return { ...paging, asked: paging, total, events: [], problems: [] }
      }
      const reading = await readPagesInRandomOrder(readPage, 8, randomFrom(seed, 'pages'))
      expect(asked[0]).toBe(0)
      expect(new Set(asked).size).toBe(asked.length)
      expect(reading.pages.map(({ page }) => page)).toEqual([...asked.keys()])
      expect(asked).toHaveLength(Math.min(8, Math.max(1, Math.ceil(total / 4))))
      expect(reading.complete).toBe(total <= 32)
    }),
  )
})
