import { requireUnchanged } from '../../src/check/events/comparable.ts'
import { countAt, distinctWithin, isWhole, type WindowReading } from '../../src/check/events/reading.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { Inconclusive } from '../../src/check/verdict.ts'
import type { HubEvent } from '../../src/event-hub/event.ts'
import { compareLocal, type LocalDateTime } from '../../src/event-hub/local-time.ts'
import { counted } from '../../src/text/format.ts'
import { check } from './requirements.ts'

// `readings` reads all events of the closed window, a window in the past with events. `rereadings` reads that window
// again, in other pages and in parts. `basis` records how much data the verdict is based on.

check(
  'EVENT-FROM-INCLUSIVE',
  'an event at `from` and an event a millisecond later are in the window',
  async ({ readings, rereadings, expect, basis }) => {
    // `start` is the time of an event. `from` has readings of windows that begin at this time and 1 ms before it.
    const { start, from } = await rereadings.windowBounds()
    const all = await readings.allEvents()
    const { events } = all
    const expectedCount = distinctWithin(events, { from: start, to: start.add({ milliseconds: 1 }) }).length
    basis({ windows: 2, events: from.at.events.length + from.before.events.length })
    for (const [reading, where, expected] of [
      [from.at, 'the time of an event', 'at `from`'],
      [from.before, 'a millisecond before an event', 'a millisecond after `from`'],
    ] as const) {
      expect.describeRequest(`a search from ${where}`)
      const found = countAt(reading, start)
      if (found < expectedCount) await requireUnchanged(readings, all)
      const eventsText = expectedCount === 1 ? 'the event' : `the ${expectedCount} events`
      expect.that(
        found >= expectedCount,
        `${eventsText} ${expected}`,
        `a page with ${counted(found, 'event')} of that time`,
      )
    }
    for (const reading of (await pagedReadings(rereadings)).filter(isWhole)) {
      const expected = countDistinctAt(events, reading.window.from)
      expect.describeRequest(`searches from the time of an event, with \`pageSize=${sizeOf(reading)}\``)
      const found = countAt(reading, reading.window.from)
      if (found < expected) await requireUnchanged(readings, all)
      expect.that(found >= expected, 'the event at `from`', 'pages without that event')
    }
  },
)

check(
  'EVENT-TO-EXCLUSIVE',
  'an event at `to` is outside the window, and an event a millisecond earlier is inside',
  async ({ readings, rereadings, expect, basis }) => {
    // `end` is the time of an event. `to` has readings of windows that end at this time and 1 ms after it.
    const { end, to } = await rereadings.windowBounds()
    basis({ windows: 2, events: to.at.events.length + to.after.events.length })
    expect.describeRequest('a search to the time of an event')
    expect.that(countAt(to.at, end) === 0, 'no event at `to`', 'the event at `to`')
    expect.describeRequest('a search to a millisecond after an event')
    const found = countAt(to.after, end)
    if (found === 0) await requireUnchanged(readings, await readings.allEvents())
    expect.that(found > 0, 'the event a millisecond before `to`', 'a page without that event')
    for (const reading of await pagedReadings(rereadings)) {
      expect.describeRequest(`searches to the time of an event, with \`pageSize=${sizeOf(reading)}\``)
      const found = countAt(reading, reading.window.to)
      expect.that(found === 0, 'no event at `to`', 'the event at `to`')
    }
  },
)

/**
 * Two readings of a part of the closed window, in large and in small pages. Its `from` and `to` are times of events,
 * unless it is the whole closed window. Empty if the part cannot be read.
 */
async function pagedReadings(rereadings: CheckContext['rereadings']): Promise<WindowReading[]> {
  try {
    const { window, whole, paged } = await rereadings.pageThrough()
    return [whole, paged].map((reading) => ({ ...reading, window }))
  } catch (error) {
    if (error instanceof Inconclusive) return []
    throw error
  }
}

function sizeOf({ pages }: WindowReading): number | undefined {
  return pages[0]?.requested.pageSize
}

/** Number of distinct events with this time; 0 if the time is finer than a millisecond. */
function countDistinctAt(events: readonly HubEvent[], at: LocalDateTime): number {
  const within = distinctWithin(events, { from: at, to: at.add({ milliseconds: 1 }) })
  return at.microsecond + at.nanosecond === 0
    ? within.filter(({ time }) => time && compareLocal(time.at, at) === 0).length
    : 0
}
