import { Temporal } from 'temporal-polyfill'
import { expect, test } from 'vitest'
import {
  shortageIn,
  shortageOfExactTimes,
  shortageOfTimes,
  shortageOfTimesIn,
  tooFewEvents,
} from '../../../src/check/events/shortage.ts'
import { readEvent } from '../../../src/event-hub/event.ts'
import { readPage } from '../../../src/event-hub/page.ts'
import { item } from '../../event-hub/events.ts'
import { hubFor, lawfulSearch, timesBeforeNow } from './hub.ts'

/** A reading of one page with events of these timestamps. */
function reading(timestamps: readonly string[], total = timestamps.length) {
  const items = timestamps.map((timestamp, index) => item({ id: `evt-${index}`, timestamp }))
  const page = readPage({ page: 0, pageSize: 10, total, items }, { page: 0, pageSize: 10 })
  if (!page) throw new Error('the page is malformed')
  return { pages: [page], events: page.events, complete: true }
}

const exact = '2026-03-02T10:15:30.125'
const whole = '2026-03-02T10:15:30'
const zulu = '2026-03-02T10:15:30.125Z'

test('a window with too few events is the reason if no requirement is', () => {
  expect(shortageIn(reading([zulu]))).toBe(tooFewEvents)
  expect(shortageOfTimes(reading([exact]), reading([whole]))).toBe(tooFewEvents)
  expect(shortageOfExactTimes(reading([exact, whole]), reading([]))).toBe(tooFewEvents)
  expect(shortageOfTimesIn([])).toBe(tooFewEvents)
})

test('a timestamp that cannot be read, or none with milliseconds, is the reason for too few times', () => {
  const { events } = reading([exact, zulu])
  expect(shortageOfTimes(reading([exact, zulu]))).toEqual(['EVENT-TIMESTAMP'])
  expect(shortageOfTimesIn(events)).toEqual(['EVENT-TIMESTAMP'])
  expect(shortageOfExactTimes(reading([whole, whole]))).toEqual(['EVENT-TIMESTAMP'])
  expect(shortageOfTimesIn([readEvent(item({ timestamp: 5 }))])).toEqual(['EVENT-TIMESTAMP'])
})

test('pages that lack events of their total are the reason for too few events', () => {
  expect(shortageIn(reading([exact], 3))).toEqual(['EVENT-PAGINATION'])
  expect(shortageOfTimes(reading([zulu], 3))).toEqual(['EVENT-PAGINATION', 'EVENT-TIMESTAMP'])
})

test('a search between two events is inside the window that it follows, after a search of that window', async () => {
  const { rereadings, readings, arrived } = await hubFor(lawfulSearch(timesBeforeNow(400, 72)), {
    EVENT_TIME_ZONE: 'UTC',
  })
  const { window, response } = await rereadings.emptySearch()
  const all = await readings.allEvents()
  expect(response.object).toMatchObject({ total: 0, items: [] })
  expect(Temporal.PlainDateTime.compare(window.from, all.window.from)).toBe(1)
  expect(Temporal.PlainDateTime.compare(window.to, all.window.to)).toBe(-1)
  const [before, last] = arrived.slice(-2).map(({ query }) => query)
  expect([before?.get('page'), before?.get('pageSize')]).toEqual([last?.get('page'), last?.get('pageSize')])
})
