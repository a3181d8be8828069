import { windowsOver } from '../../event-hub/clock-changes.ts'
import { canonical, type HubEvent, problemsAt } from '../../event-hub/event.ts'
import type { EventTimeZone } from '../../event-hub/local-time.ts'
import { defaultPageSize, defaultPaging, type EventPage } from '../../event-hub/page.ts'
import { type Reading, readPages } from '../../event-hub/paging.ts'
import { type EventWindow, isSameWindow } from '../../event-hub/window.ts'
import { counted } from '../../text/format.ts'
import type { CheckExecution } from '../execution.ts'
import { kindOfText } from '../expect.ts'
import { RunSteps } from '../run-steps.ts'
import { Inconclusive, requireData } from '../verdict.ts'
import { returnsToEarlier } from './agreement.ts'
import { pagesToJudge } from './answered-search.ts'
import { type ClosedWindow, findClosedWindow, pageLimit } from './closed-window.ts'
import type { WindowReading } from './reading.ts'
import { FutureRefused } from './refused-search.ts'
import { type EventSearchSteps, pageOf } from './search-steps.ts'
import { noEvents } from './shortage.ts'

/**
 * Largest expected difference between the Date headers of the hub, its clock and its event times, in milliseconds.
 */
export const clockMarginMs = 15 * 60_000
/** If the hub refuses windows that end in the future, a window ends this number of milliseconds before the present. */
const beforePresentMs = 2000

/**
 * Reads windows of the Event Hub page by page. Checks share the result, a *reading*: all pages of a window.
 * `EventRereadingSteps` reads the same windows again, in other pages and parts.
 */
export class EventReadingSteps extends RunSteps<{
  readonly execution: CheckExecution
  readonly events: EventSearchSteps
}> {
  /**
   * A window in the past with events, at most 23 hours wide. It is *closed*: no new events in it are expected. A
   * search back in time finds it, between EVENT_WINDOW_FROM and EVENT_WINDOW_TO if these are set.
   * @throws {Inconclusive} if there are no events
   */
  closedWindow(): Promise<ClosedWindow> {
    return this.run.once(this.closedWindow, async () => {
      await this.steps.events.control()
      const { earliest, end } = this.steps.events.bounds()
      const window = await findClosedWindow(this.steps.events, end, earliest)
      if (!window) throw noEvents(this.run.target, end)
      return window
    })
  }

  /**
   * All events of the closed window. If the total changes meanwhile, reads the window again, at most twice.
   * @throws {Inconclusive} if the total keeps changing, or the window has more events than a run reads
   */
  allEvents(): Promise<WindowReading> {
    return this.run.once(this.allEvents, async () => {
      const window = await this.closedWindow()
      let { total } = window
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const reading = await this.read(window)
        if (!reading.complete) throw tooManyEvents(reading)
        if (reading.pages.every((page) => page.total === total)) return reading
        total = reading.pages.at(-1)?.total ?? 0
      }
      // Late events only increase a total. A total that returns to an earlier value violates EVENT-TOTAL.
      const reason = 'the total of a window in the past keeps changing, so nothing can be compared'
      if (returnsToEarlier(this.pagesRead(window).map((page) => page.total)))
        throw new Inconclusive(reason, ['EVENT-TOTAL'])
      throw new Inconclusive(reason, {
        cause: 'environment',
        variables: ['EVENT_WINDOW_FROM', 'EVENT_WINDOW_TO', 'EVENT_TIME_ZONE'],
        advice: 'set EVENT_WINDOW_FROM and EVENT_WINDOW_TO to an older window, and check EVENT_TIME_ZONE',
      })
    })
  }

  /**
   * The events of the closed window, then all other events that this run has received so far. Events with equal content
   * count once, except within the closed window. Records the number of events as the basis of the verdict.
   * @throws {Inconclusive} if there is no event
   */
  async someEvents(): Promise<readonly HubEvent[]> {
    const reading = await this.allEvents().catch((error: unknown) => {
      // Single events can be judged even if the window cannot be read as a whole.
      if (error instanceof Inconclusive && this.run.searchLog.events.size > 0) return undefined
      throw error
    })
    const closed = reading?.events ?? []
    const seen = new Set(closed.map(({ members }) => canonical(members)))
    const others = [...this.run.searchLog.events].flatMap(([content, event]) =>
      seen.has(content) ? [] : [event],
    )
    const events = [...closed, ...others]
    requireData(events.length, 1, 'event')
    this.steps.execution.basis({ events: events.length })
    return events
  }

  /**
   * Expects a member of every event to conform to the schema, which may permit that the member is absent.
   * @param path names from the top to the member, joined by slashes
   * @throws {Violation}
   */
  expectWellFormed(path: string, events: readonly HubEvent[], expected: string): void {
    const problems = problemsAt(events, path)
    const kinds = new Set(problems.map(({ value }) => kindOfText(value)))
    this.steps.execution.expect.that(
      problems.length === 0,
      `${path} as ${expected} in every event`,
      `${[...kinds].join(', ')} in ${problems.length} of ${counted(events.length, 'event')}`,
    )
  }

  /** The first page of the closed window, in pages of ten events. */
  firstPage(): Promise<{ readonly window: EventWindow; readonly total: number; readonly page: EventPage }> {
    return this.run.once(this.firstPage, async () => {
      const { from, to, total } = await this.closedWindow()
      return {
        window: { from, to },
        total,
        page: pageOf(await this.steps.events.search({ from, to, ...defaultPaging }), defaultPaging),
      }
    })
  }

  /** The current total of a window. Sends one search, with the page size that `read` uses by default. */
  async totalOf(window: EventWindow): Promise<number> {
    return (await this.read(window, undefined, 1)).pages[0]?.total ?? 0
  }

  /**
   * The events from 15 min before `fromMs` to 15 min after `untilMs`, because clocks may be wrong. If the hub refuses
   * windows that end in the future, the window ends at the present of the hub instead.
   * @param fromMs milliseconds since the epoch by the target's clock
   * @param untilMs milliseconds since the epoch by the target's clock
   * @throws {Inconclusive} if there are more events than a run reads, or if the window must end at the present but
   * the zone of the hub is unknown
   */
  async around(
    fromMs: number,
    untilMs: number,
    zone = this.run.target.eventTimeZone,
  ): Promise<readonly HubEvent[]> {
    const { searchLog } = this.run
    const read = (end: number) => this.#everythingBetween(zone, fromMs - clockMarginMs, end)
    if (!searchLog.refusesFuture) {
      try {
        return await read(untilMs + clockMarginMs)
      } catch (error) {
        if (!(error instanceof FutureRefused)) throw error
        if (zone === 'unknown')
          throw new Inconclusive(error.message, {
            variables: ['EVENT_TIME_ZONE'],
            advice: 'set EVENT_TIME_ZONE, so that the present of the Event Hub is known',
          })
        searchLog.refusesFuture = true
      }
    }
    return read(Math.min(untilMs + clockMarginMs, this.run.targetTime() - beforePresentMs))
  }

  async #everythingBetween(zone: EventTimeZone, fromMs: number, untilMs: number): Promise<HubEvent[]> {
    const events: HubEvent[] = []
    for (const window of windowsOver(zone, fromMs, untilMs))
      events.push(...(await this.#everythingIn(window)))
    return events
  }

  /**
   * All current events of a window, which may receive further events later.
   * @throws {Inconclusive} if there are more events than a run reads
   */
  async #everythingIn(window: EventWindow): Promise<readonly HubEvent[]> {
    const pageSize = await this.largestPageSize()
    const reading = await readPages(this.reader(window, pageSize), pageLimit)
    if (reading.complete) return reading.events
    throw new Inconclusive(
      `around the present the hub has ${reading.pages[0]?.total} events, more than a run reads`,
      { variables: ['EVENT_TIME_ZONE'], advice: 'set EVENT_TIME_ZONE, so that a shorter window is enough' },
    )
  }

  /** The largest page size that is known to work; the default if there is no closed window. */
  async largestPageSize(): Promise<number> {
    try {
      return (await this.closedWindow()).pageSize
    } catch (error) {
      if (error instanceof Inconclusive) return defaultPageSize
      throw error
    }
  }

  /**
   * Reads a window page by page.
   * @param pageSize by default the largest one that is known to work
   * @param limit maximum number of pages
   */
  async read(
    { from, to }: EventWindow,
    pageSize?: number,
    limit: number = pageLimit,
  ): Promise<WindowReading> {
    const window = { from, to }
    const size = pageSize ?? (await this.closedWindow()).pageSize
    return { window, ...(await readPages(this.reader(window, size), limit)) }
  }

  /** All pages of a window that this run has received, whichever check requested them, in the order received. */
  pagesRead(window: EventWindow): EventPage[] {
    return pagesToJudge(this.run.searchLog.searches).flatMap(({ requested, page }) =>
      page && requested && isSameWindow(requested, window) ? [page] : [],
    )
  }

  /** A function that requests one page of a window, by its number from 0. */
  reader(window: EventWindow, pageSize: number): (page: number) => Promise<EventPage> {
    return async (page) => {
      const paging = { page, pageSize }
      const read = pageOf(await this.steps.events.search({ ...window, ...paging }), paging)
      if (read.problems.some(({ path }) => path.startsWith('items/')))
        throw new Inconclusive('some items of a page are not objects', ['EVENT-PAGE-SHAPE'])
      return read
    }
  }
}

export function tooManyEvents({ pages }: Reading): Inconclusive {
  return new Inconclusive(`the window has ${pages[0]?.total} events, more than a run reads`, {
    variables: ['EVENT_WINDOW_FROM', 'EVENT_WINDOW_TO'],
    advice: 'set EVENT_WINDOW_FROM and EVENT_WINDOW_TO to a shorter window',
  })
}
