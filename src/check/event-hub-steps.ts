import { canonical, type HubEvent, problemsAt } from '../event-hub/event.ts'
import {
  earlierOf,
  type LocalDateTime,
  laterOf,
  millisecondsBetween,
  parseLocal,
} from '../event-hub/local-time.ts'
import type { EventPage } from '../event-hub/page.ts'
import { type Reading, readPages, readPagesBackwards } from '../event-hub/paging.ts'
import {
  evenPageSize,
  exactTimesOf,
  hasStrangers,
  partToPage,
  type WindowReading,
} from '../event-hub/reading.ts'
import { quietMiddle, readPagesByChance, shuffled, splitByChance } from '../event-hub/split.ts'
import type { EventWindow } from '../event-hub/window.ts'
import { type ClosedWindow, findClosedWindow, pageLimit } from './closed-window.ts'
import { EventSearchSteps, pageOf } from './event-search-steps.ts'
import { kindOf } from './expect.ts'
import { Inconclusive } from './verdict.ts'

/** Events in the window that is read page by page, and the number of its pages. */
const pagedEvents = 25
const pagedPages = 4
/** Pages in which the closed window is read a second time, where the hub allows pages of that size. */
const otherPages = 6
/** Parts that the closed window is cut into by chance. */
const chanceParts = 4
/** Page sizes that chance may choose: so many, from the least one on. */
const leastChanceSize = 4
const chanceSizes = 3
/** What a page holds unless something else is asked for (section Event search). */
const defaultPageSize = 10
/** How far inside the closed window the event for edges lies at least, in milliseconds. */
const edgeMargin = 60_000
/** How far the windows around that event reach to the other side. */
const edgeReach = { minutes: 10 } as const

/** Readings of windows that begin or end a millisecond before an event, at it, and a millisecond after it. */
export interface Edges {
  readonly at: LocalDateTime
  /** Windows by where they begin. */
  readonly from: Readonly<Record<'before' | 'at' | 'after', WindowReading>>
  /** Windows by where they end. */
  readonly to: Readonly<Record<'before' | 'at' | 'after', WindowReading>>
}

/** One window read twice: with the largest pages, and in several small ones. */
export interface PageThrough {
  readonly window: EventWindow
  readonly pageSize: number
  /** As the first page of `whole` says. */
  readonly total: number
  readonly whole: Reading
  readonly paged: Reading
}

/** Steps with the Event Hub: searches, and readings of what it holds, which all checks share. */
export class EventHubSteps extends EventSearchSteps {
  /**
   * A window in the past that holds events: EVENT_WINDOW_FROM and EVENT_WINDOW_TO, or the newest part
   * of them that does; without them, what a search back finds. Never wider than 24 hours.
   * @throws {Inconclusive} where there are no events
   */
  closedWindow(): Promise<ClosedWindow> {
    return this.share('closed event window', async () => {
      await this.control()
      const { eventWindow } = this.world.target
      const end = localTime(eventWindow?.to) ?? this.settled()
      return findClosedWindow(this.hub, end, localTime(eventWindow?.from))
    })
  }

  /**
   * All events of the closed window, after two equal totals.
   * @throws {Inconclusive} where the window's total changes, or it holds more events than a run reads
   */
  allEvents(): Promise<WindowReading> {
    return this.share('all events', async () => {
      const window = await this.closedWindow()
      let { total } = window
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const reading = await this.#read(window)
        if (!reading.complete) throw tooManyEvents(reading)
        if (reading.pages.every((page) => page.total === total)) return reading
        total = reading.pages.at(-1)?.total ?? 0
      }
      throw new Inconclusive(
        'the total of a window in the past keeps changing, so nothing can be compared; set EVENT_WINDOW_FROM and EVENT_WINDOW_TO to an older one, and see whether EVENT_TIME_ZONE is right',
      )
    })
  }

  /**
   * The events of the closed window, and whatever else this run has read so far, at least one; the verdict rests on
   * them. Each comes once, but for those that the closed window holds twice.
   * @throws {Inconclusive} where there is none
   */
  async someEvents(): Promise<readonly HubEvent[]> {
    const known = await this.allEvents().catch((error: unknown) => {
      // What single events are like can be seen in a window that keeps changing, too.
      if (error instanceof Inconclusive && this.world.eventsRead.size > 0) return undefined
      throw error
    })
    const closed = known?.events ?? []
    const seen = new Set(closed.map(({ members }) => canonical(members)))
    const others = [...this.world.eventsRead].flatMap(([content, event]) =>
      seen.has(content) ? [] : [event],
    )
    const events = [...closed, ...others]
    this.context.needs(events.length, 1, 'event')
    this.context.basis({ events: events.length })
    return events
  }

  /**
   * Expects a member, where the schema asks for it or it is there, to be as the schema says.
   * @param path names from the top to the member, joined by slashes
   * @throws {Violation}
   */
  wellFormed(path: string, events: readonly HubEvent[], acceptable: string): void {
    const problems = problemsAt(events, path)
    const kinds = new Set(problems.map(({ value }) => kindOf(value)))
    this.context.expect.that(
      problems.length === 0,
      `${path} as ${acceptable} in every event`,
      `in ${problems.length} of ${events.length} events it was ${[...kinds].join(', ')}`,
    )
  }

  /** A part of the closed window, read with the largest pages and in several small ones. */
  pageThrough(): Promise<PageThrough> {
    return this.share('event pages', async () => {
      const all = await this.allEvents()
      // Where times lie elsewhere, a window around them would hold other events, or none.
      const window = hasStrangers(all)
        ? all.window
        : partToPage(all, pagedEvents, Math.ceil(pagedEvents / pagedPages))
      const whole = await this.#read(window)
      const total = whole.pages[0]?.total ?? 0
      const pageSize = Math.min(
        (await this.closedWindow()).pageSize,
        Math.max(1, Math.ceil(total / pagedPages)),
      )
      return { window, pageSize, total, whole, paged: await this.#read(window, pageSize, 2 * pagedPages) }
    })
  }

  /** The closed window once more, in pages of another size, asked for from the last one back. */
  allEventsOtherwise(): Promise<WindowReading> {
    return this.share('all events in other pages', async () => {
      const { window, pages } = await this.allEvents()
      const { answeredPageSize } = await this.closedWindow()
      const pageSize = Math.min(Math.ceil((pages[0]?.total ?? 0) / otherPages), answeredPageSize - 1)
      const read = this.#reader(window, Math.max(1, pageSize))
      const reading = { window, ...(await readPagesBackwards(read, 2 * pageLimit)) }
      if (!reading.complete) throw tooManyEvents(reading)
      return reading
    })
  }

  /** The part of the closed window in pages that all come out full, the last one too. */
  evenPages(): Promise<Reading> {
    return this.share('event pages without a rest', async () => {
      const { window, whole } = await this.pageThrough()
      return this.#read(window, evenPageSize(Math.max(1, whole.pages[0]?.total ?? 0)), pagedEvents)
    })
  }

  /** The closed window as two that lie end to end, parted where there is no event. */
  halves(): Promise<readonly [WindowReading, WindowReading]> {
    return this.share('adjacent event windows', async () => {
      const all = await this.allEvents()
      const middle = quietMiddle(all)
      const { from, to } = all.window
      return [await this.#read({ from, to: middle }), await this.#read({ from: middle, to })] as const
    })
  }

  /** The closed window in parts that lie end to end, cut by chance and asked for in any order. */
  partsByChance(): Promise<readonly WindowReading[]> {
    return this.share('event windows by chance', async () => {
      const random = this.world.random('event windows')
      const readings: WindowReading[] = []
      const windows = splitByChance(await this.allEvents(), chanceParts, random)
      for (const window of shuffled(windows, random)) readings.push(await this.#read(window))
      return readings
    })
  }

  /** The part of the closed window that is read page by page, in pages of any size and asked for in any order. */
  pagesByChance(): Promise<Reading> {
    return this.share('event pages by chance', async () => {
      const { window, total } = await this.pageThrough()
      const random = this.world.random('event pages')
      const pageSize = Math.max(
        leastChanceSize + Math.floor(random() * chanceSizes),
        Math.ceil(total / pageLimit),
      )
      return readPagesByChance(this.#reader(window, pageSize), 2 * pageLimit, random)
    })
  }

  /** The first page of the closed window, ten events to a page. */
  firstPage(): Promise<{ readonly window: EventWindow; readonly total: number; readonly page: EventPage }> {
    return this.share('first page', async () => {
      const { from, to, total } = await this.closedWindow()
      const paging = { page: 0, pageSize: 10 }
      return {
        window: { from, to },
        total,
        page: pageOf(await this.search({ from, to, ...paging }), paging),
      }
    })
  }

  /** Windows that begin or end around an event in the middle of the closed window. */
  edges(): Promise<Edges> {
    return this.share('event edges', async () => {
      const all = await this.allEvents()
      const at = eventInside(all)
      if (!at)
        throw new Inconclusive(
          'the closed window has no event a minute away from its ends with a time written in milliseconds',
        )
      const around = async (read: (moment: LocalDateTime) => Promise<WindowReading>) => ({
        before: await read(at.subtract({ milliseconds: 1 })),
        at: await read(at),
        after: await read(at.add({ milliseconds: 1 })),
      })
      return {
        at,
        from: await around((from) => this.#read({ from, to: earlierOf(at.add(edgeReach), all.window.to) })),
        to: await around((to) => this.#read({ from: laterOf(at.subtract(edgeReach), all.window.from), to })),
      }
    })
  }

  /**
   * Whatever a window holds at this moment, which need not be closed.
   * @throws {Inconclusive} where that is more than a run reads
   */
  async everythingIn(window: EventWindow): Promise<readonly HubEvent[]> {
    const pageSize = await this.#largestPageSize()
    const reading = await readPages(this.#reader(window, pageSize), pageLimit)
    if (reading.complete) return reading.events
    throw new Inconclusive(
      `around the present the hub holds ${reading.pages[0]?.total} events, more than a run reads; set EVENT_TIME_ZONE, so that a shorter window is enough`,
      'configuration',
    )
  }

  /** The largest page size that is known to work: without events nobody has tried any. */
  async #largestPageSize(): Promise<number> {
    try {
      return (await this.closedWindow()).pageSize
    } catch (error) {
      if (error instanceof Inconclusive) return defaultPageSize
      throw error
    }
  }

  /**
   * The edges where windows hold nothing from elsewhere, so that only the edge itself is in question.
   * @throws {Inconclusive} where they do
   */
  async respectedEdges(): Promise<Edges> {
    const edges = await this.edges()
    const readings = [await this.allEvents(), ...Object.values(edges.from), ...Object.values(edges.to)]
    if (readings.some(hasStrangers))
      throw new Inconclusive('events from outside the window are given out; see EVENT-WINDOW-RESPECTED')
    return edges
  }

  /** Total of a window at this moment, asked for as a reading of the window does. */
  async totalOf(window: EventWindow): Promise<number> {
    return (await this.#read(window, undefined, 1)).pages[0]?.total ?? 0
  }

  async #read(
    { from, to }: EventWindow,
    pageSize?: number,
    limit: number = pageLimit,
  ): Promise<WindowReading> {
    const window = { from, to }
    const size = pageSize ?? (await this.closedWindow()).pageSize
    return { window, ...(await readPages(this.#reader(window, size), limit)) }
  }

  /** Pages of a window in the order in which this run has asked for them, up to now. */
  pagesAskedFor({ from, to }: EventWindow): EventPage[] {
    const key = `${from} ${to}`
    const pages = this.world.pagesRead.get(key) ?? []
    this.world.pagesRead.set(key, pages)
    return pages
  }

  #reader(window: EventWindow, pageSize: number): (page: number) => Promise<EventPage> {
    return async (page) => {
      const paging = { page, pageSize }
      const read = pageOf(await this.search({ ...window, ...paging }), paging)
      if (read.problems.some(({ path }) => path.startsWith('items/')))
        throw new Inconclusive('some items of a page are no objects; see EVENT-PAGE-SHAPE')
      this.pagesAskedFor(window).push(read)
      for (const event of read.events) this.world.eventsRead.set(canonical(event.members), event)
      return read
    }
  }
}

function tooManyEvents({ pages }: Reading): Inconclusive {
  return new Inconclusive(
    `the window holds ${pages[0]?.total} events, more than a run reads; set EVENT_WINDOW_FROM and EVENT_WINDOW_TO to a shorter one`,
    'configuration',
  )
}

/** The time of the event nearest to the middle that is fit for edges. */
function eventInside({ window, events }: WindowReading): LocalDateTime | undefined {
  const fit = exactTimesOf(events).filter(
    (at) =>
      at.microsecond === 0 &&
      at.nanosecond === 0 &&
      millisecondsBetween(window.from, at) > edgeMargin &&
      millisecondsBetween(at, window.to) > edgeMargin,
  )
  // A fraction shows a hub that cuts it off.
  const fractional = fit.filter((at) => at.millisecond !== 0)
  const choice = fractional.length > 0 ? fractional : fit
  return choice[Math.floor(choice.length / 2)]
}

function localTime(text: string | undefined): LocalDateTime | undefined {
  return text === undefined ? undefined : parseLocal(text)?.at
}
