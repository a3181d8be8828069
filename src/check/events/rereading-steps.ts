import { defaultPageSize, defaultPaging, type PageQuery, usedPageSize } from '../../event-hub/page.ts'
import { type Reading, readPagesBackwards } from '../../event-hub/paging.ts'
import type { EventWindow } from '../../event-hub/window.ts'
import type { HttpResponse } from '../../http/response.ts'
import { shuffled } from '../../random.ts'
import { RunSteps } from '../run-steps.ts'
import { Inconclusive } from '../verdict.ts'
import { pageLimit } from './closed-window.ts'
import { requireNothingOutside } from './comparable.ts'
import { areFinerThanBounds, type EdgeTimes, edgeTimesOf, edgeWindows } from './edges.ts'
import { evenPageSize, hasEventsOutside, partToPage, type WindowReading } from './reading.ts'
import { type EventReadingSteps, tooManyEvents } from './reading-steps.ts'
import type { EventSearchSteps } from './search-steps.ts'
import { shortageOfExactTimes } from './shortage.ts'
import { splitAtRandom, widestGap } from './split.ts'

// The closed window is a window in the past with events, which `EventReadingSteps` finds and reads.

/**
 * Number of events in the part of the closed window that is read page by page: in three pages of 7 or 8 events, and
 * in two full pages of 9.
 */
const pagedEvents = 18
/** The page size of that part is random: 7 or 8. */
const minPageSize = 7
const pageSizeCount = 2
/** Maximum number of pages in which that part is read. */
const maxPages = 8
/** Number of pages in which the closed window is read a second time, if the hub allows pages of that size. */
const pagesOfSecondReading = 4
/** Number of parts into which the closed window is split at random. */
const randomPartCount = 2
/** Smallest number of a page that counts as far from the first page. */
const firstDistantPage = 6

/** Readings of windows that begin or end a millisecond before an event, at its time, and a millisecond after it. */
interface Edges extends EdgeTimes {
  /**
   * By the position of the window's start relative to its event. `from` and `to` are the same readings if two events
   * are suitable, so that both ends of each window are near an event.
   */
  readonly from: Readonly<Record<'before' | 'at' | 'after', WindowReading>>
  /** By the position of the window's end relative to its event. */
  readonly to: Readonly<Record<'before' | 'at' | 'after', WindowReading>>
}

/** One window read twice: in the largest pages (`whole`), and in several small pages of a random size (`paged`). */
interface PageThrough {
  readonly window: EventWindow
  /** The page size of `paged`. */
  readonly pageSize: number
  /** The total on the first page of `whole`. */
  readonly total: number
  readonly whole: Reading
  readonly paged: Reading
}

/** The response to a search for the first page past the end of a window. */
interface PagePastEnd {
  readonly total: number
  readonly requested: PageQuery
  readonly response: HttpResponse
}

/** The response to a search for a page far from the first. */
interface DistantPage {
  /** The requested page; pageSize is 10 if the request has none. */
  readonly requested: PageQuery
  readonly response: HttpResponse
}

/**
 * Reads the closed window again, in other pages and in parts. These readings must have the same events as the first.
 */
export class EventRereadingSteps extends RunSteps<{
  readonly events: EventSearchSteps
  readonly readings: EventReadingSteps
}> {
  /**
   * A part of the closed window, read in the largest pages and in several small pages of a random size. The small pages
   * are requested in this order: the first one, then the others from the last one back.
   */
  pageThrough(): Promise<PageThrough> {
    return this.run.once(this.pageThrough, async () => {
      const { window, size } = await this.#partToPage()
      const whole = await this.steps.readings.read(window)
      const total = whole.pages[0]?.total ?? 0
      // Scaled by the total, which may be other than 18: a window of 9 events has three pages of at most 4.
      const pageSize = Math.min(
        (await this.steps.readings.closedWindow()).pageSize,
        Math.max(1, Math.ceil((total * size) / pagedEvents)),
      )
      const read = this.steps.readings.reader(window, pageSize)
      const paged = await readPagesBackwards(read, maxPages)
      return { window, pageSize, total, whole, paged }
    })
  }

  /** The part of the closed window to read page by page, and the size of its pages. */
  #partToPage(): Promise<{ readonly window: EventWindow; readonly size: number }> {
    return this.run.once(this.#partToPage, async () => {
      const all = await this.steps.readings.allEvents()
      const size = minPageSize + Math.floor(this.run.random('event pages')() * pageSizeCount)
      // Events outside the window may have times of another zone. A part chosen by such times could have no events.
      return { window: hasEventsOutside(all) ? all.window : partToPage(all, pagedEvents, size), size }
    })
  }

  /**
   * The closed window in pages of another size, requested in this order: the first, then from the last to the second.
   */
  allEventsBackwards(): Promise<WindowReading> {
    return this.run.once(this.allEventsBackwards, async () => {
      const { window, pages } = await this.steps.readings.allEvents()
      const { returnedPageSize } = await this.steps.readings.closedWindow()
      const pageSize = Math.min(
        Math.ceil((pages[0]?.total ?? 0) / pagesOfSecondReading),
        returnedPageSize - 1,
      )
      const read = this.steps.readings.reader(window, Math.max(1, pageSize))
      const reading = { window, ...(await readPagesBackwards(read, 2 * pageLimit)) }
      if (!reading.complete) throw tooManyEvents(reading)
      return reading
    })
  }

  /** The window of `pageThrough` in pages that are all full, including the last one. */
  evenPages(): Promise<Reading> {
    return this.run.once(this.evenPages, async () => {
      const { window, whole } = await this.pageThrough()
      return this.steps.readings.read(
        window,
        evenPageSize(Math.max(1, whole.pages[0]?.total ?? 0)),
        pagedEvents,
      )
    })
  }

  /**
   * The first page past the end of a window.
   * @param pages `full`: the window of `evenPages`, whose last page is full; `partial`: the closed window, whose last
   * page may have fewer events than the others
   */
  pagePastEnd(pages: 'partial' | 'full'): Promise<PagePastEnd> {
    return this.run.once([this.pagePastEnd, pages], async () => {
      const past = pages === 'full' ? await this.#pastFullPages() : await this.#pastFirstPages()
      const { from, to, page, pageSize } = past.requested
      return { ...past, response: await this.steps.events.hub.search({ from, to, page, pageSize }) }
    })
  }

  async #pastFirstPages(): Promise<Omit<PagePastEnd, 'response'>> {
    const { window, page } = await this.steps.readings.firstPage()
    const pageSize = Math.max(1, usedPageSize(page))
    return { total: page.total, requested: { ...window, page: Math.ceil(page.total / pageSize), pageSize } }
  }

  async #pastFullPages(): Promise<Omit<PagePastEnd, 'response'>> {
    const { window, total } = await this.pageThrough()
    const [first] = (await this.evenPages()).pages
    const pageSize = first ? Math.max(1, usedPageSize(first)) : total
    return { total, requested: { ...window, page: Math.ceil(total / pageSize), pageSize } }
  }

  /**
   * The response to a search for a page in the first half of the closed window: page 6 or a later one if there are
   * enough events.
   * @param pageSize null omits this parameter from the request
   */
  distantPage(pageSize: 1 | null): Promise<DistantPage> {
    return this.run.once([this.distantPage, pageSize], async () => {
      const { from, to, total } = await this.steps.readings.closedWindow()
      // The last page of the first half, in pages of ten.
      const last = Math.max(0, Math.floor(total / 20) - 1)
      const first = Math.min(firstDistantPage, last)
      const page = first + Math.floor(this.run.random('distant page')() * (last - first + 1))
      return {
        requested: { from, to, page, pageSize: pageSize ?? defaultPageSize },
        response: await this.steps.events.sendValidSearch({ from, to, page, pageSize }),
      }
    })
  }

  /**
   * The response to a search for a gap: a part of the closed window in which there are no events. It is sent after a
   * search for the closed window with the same page and pageSize.
   */
  emptySearch(): Promise<{ readonly window: EventWindow; readonly response: HttpResponse }> {
    return this.run.once(this.emptySearch, async () => {
      const window = widestGap(await this.steps.readings.allEvents())
      // A hub that confuses the two searches then returns events for the gap.
      await this.steps.readings.firstPage()
      return {
        window,
        response: await this.steps.events.search({ ...window, ...defaultPaging }),
      }
    })
  }

  /** The closed window in adjacent parts, split at random and requested in random order. */
  randomParts(): Promise<readonly WindowReading[]> {
    return this.run.once(this.randomParts, async () => {
      const random = this.run.random('event windows')
      const readings: WindowReading[] = []
      const windows = splitAtRandom(await this.steps.readings.allEvents(), randomPartCount, random)
      for (const window of shuffled(windows, random)) readings.push(await this.steps.readings.read(window))
      return readings
    })
  }

  /**
   * Windows that begin within 1 ms of an event near the middle of the closed window, and end within 1 ms of a later
   * event. If only one event is suitable, only one end of each window is near it.
   * @throws {Inconclusive} if no event is suitable
   */
  edges(): Promise<Edges> {
    return this.run.once(this.edges, async () => {
      const all = await this.steps.readings.allEvents()
      const times = edgeTimesOf(all, (await this.#partToPage()).window)
      if (!times) throw noSuitableEvent(all)
      const { from, to } = edgeWindows(times, all.window)
      const read = async (windows: Readonly<Record<keyof typeof from, EventWindow>>) => ({
        before: await this.steps.readings.read(windows.before),
        at: await this.steps.readings.read(windows.at),
        after: await this.steps.readings.read(windows.after),
      })
      const startReadings = await read(from)
      return { ...times, from: startReadings, to: from === to ? startReadings : await read(to) }
    })
  }

  /**
   * Like `edges`, but requires that no search returned events outside its window: checks then judge only events at
   * the bounds.
   * @throws {Inconclusive} if a search returned events outside its window, or an event has no readable time
   */
  async windowBounds(): Promise<Edges> {
    const edges = await this.edges()
    const readings = [
      await this.steps.readings.allEvents(),
      ...Object.values(edges.from),
      ...Object.values(edges.to),
    ]
    if (readings.some(({ events }) => events.some(({ time }) => !time)))
      throw new Inconclusive('events have no readable time', ['EVENT-TIMESTAMP'])
    requireNothingOutside(...readings)
    return edges
  }
}

/** Why no event of a reading is suitable for windows that begin or end at its time. */
function noSuitableEvent(all: WindowReading): Inconclusive {
  return areFinerThanBounds(all)
    ? new Inconclusive(
        'the times of all events are finer than a millisecond, so no bound of a window can equal the time of an event',
        'environment',
      )
    : new Inconclusive(
        'no event has a time with milliseconds that is at least a minute from both ends of the closed window',
        hasEventsOutside(all) ? ['EVENT-WINDOW-RESPECTED'] : shortageOfExactTimes(all),
      )
}
