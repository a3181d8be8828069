import { type HubEvent, problemsAt, timesOf } from '../event-hub/event.ts'
import { type LocalDateTime, parseLocal, settledTime } from '../event-hub/local-time.ts'
import { type EventPage, type Paging, readPage } from '../event-hub/page.ts'
import { type Reading, readPages } from '../event-hub/paging.ts'
import { placesOf, type WindowReading } from '../event-hub/reading.ts'
import {
  EventHub,
  type Header,
  type ParameterValue,
  parameterText,
  type SearchQuery,
} from '../event-hub/search.ts'
import {
  type EventWindow,
  newestPart,
  startOfSteadyDay,
  windowHolding,
  windowsBack,
} from '../event-hub/window.ts'
import type { HttpResponse } from '../http/response.ts'
import type { CheckContext } from './context.ts'
import { describe, kindOf } from './expect.ts'
import { Inconclusive } from './verdict.ts'
import type { World } from './world.ts'

/** A control older than this is made anew before a negative check relies on it. */
const controlLifetimeMs = 60_000
const controlName = 'event search'
/** Page sizes that are tried, largest first: the largest lawful one is not documented. */
const pageSizes = [1000, 100, 10] as const
/** The search for a window with events looks at so many windows, and stops at one with enough of them. */
const windowsLookedAt = 5
const enoughEvents = 30
/** Pages of one search at most; a window with more events is narrowed. */
const pageLimit = 25
/** Events in the window that is read page by page, and the number of its pages. */
const pagedEvents = 25
const pagedPages = 4
/** How far the windows around one event reach to the other side. */
const edgeReach = { minutes: 1 } as const

/** A window in the past that holds events, with the largest page size that a search of it may ask for. */
export interface ClosedWindow extends EventWindow {
  readonly total: number
  readonly pageSize: number
  /** Page size in the answer to a request for `pageSize`. */
  readonly answeredPageSize: number
  /** A smaller page size than the hub refuses, where it refused one. */
  readonly refusedPageSize: number | undefined
}

/** Readings of windows that begin or end a millisecond before an event, at it, and a millisecond after it. */
export interface Edges {
  readonly at: LocalDateTime
  readonly from: { readonly before: WindowReading; readonly at: WindowReading; readonly after: WindowReading }
  readonly to: { readonly before: WindowReading; readonly at: WindowReading; readonly after: WindowReading }
}

/** One window read twice: with the largest pages, and in several small ones. */
export interface PageThrough {
  readonly window: EventWindow
  readonly pageSize: number
  readonly whole: Reading
  readonly paged: Reading
}

/** Steps of event search, from which the Event Hub's checks are written. */
export class EventHubSteps {
  readonly #world: World
  readonly #context: CheckContext
  /** Searches without any judgement. */
  readonly hub: EventHub

  constructor(world: World, context: CheckContext) {
    this.#world = world
    this.#context = context
    this.hub = new EventHub(world.http, world.target)
  }

  // Controls: one valid search, and requests that differ from it in one thing

  /** The window of the control: 12 hours of a past day on which clocks do not change. */
  async controlWindow(): Promise<EventWindow> {
    const query = await this.#controlQuery()
    return { from: query.from, to: query.to }
  }

  /**
   * The answer to a valid search, given within the last minute.
   * @throws {Inconclusive} where a valid search is not answered with JSON and 200
   */
  async control(): Promise<HttpResponse> {
    const good = this.#world.lastGood.get(controlName)
    if (good !== undefined && Date.now() - good > controlLifetimeMs) this.#world.forget(controlName)
    return this.#share(controlName, async () => {
      const response = await this.#search(await this.#controlQuery())
      this.#world.lastGood.set(controlName, Date.now())
      return response
    })
  }

  /** Sends the control with changed parameters (`null` leaves one out); the answer is the caller's to judge. */
  async answer(change: SearchQuery): Promise<HttpResponse> {
    await this.control()
    this.#context.expect.sending(`a valid search with ${inWords(change)}`)
    return this.hub.search({ ...(await this.#controlQuery()), ...change })
  }

  /**
   * Sends the control with changed parameters and expects 200.
   * @throws {Violation}
   */
  async accepts(change: SearchQuery): Promise<HttpResponse> {
    const response = await this.answer(change)
    this.#context.expect.status(response, 200)
    return response
  }

  /** Sends the control with changed parameters and expects it to be rejected. @throws {Violation} */
  async rejects(change: SearchQuery, status: number): Promise<void> {
    this.#context.expect.status(await this.answer(change), status)
  }

  /**
   * Sends a search of another window, as the control of a check that cannot use the usual one.
   * @throws {Inconclusive} where it is not answered with JSON and 200
   */
  async controlOf(window: EventWindow): Promise<void> {
    await this.control()
    await this.#search({ ...(await this.#controlQuery()), ...window })
  }

  /** Sends the control with other headers in place of the partner's credentials. */
  async answerTo(headers: readonly Header[], what: string): Promise<HttpResponse> {
    await this.control()
    this.#context.expect.sending(`a valid search ${what}`)
    return this.hub.search(await this.#controlQuery(), headers)
  }

  /** Expects the answer to give nothing away: which status refuses is not documented. @throws {Violation} */
  refused(response: HttpResponse): void {
    this.#context.expect.that(
      response.status >= 300,
      'a refusal with any status',
      `it was answered ${response.status}`,
    )
  }

  /** The answer to a search without any credentials. */
  answerToNobody(): Promise<HttpResponse> {
    return this.#share('event search by nobody', () =>
      this.answerTo([], 'without X-Client-Id and X-Client-Secret'),
    )
  }

  /**
   * Makes sure that credentials matter at all, before kinds of them are told apart.
   * @throws {Inconclusive} where a search without any is answered
   */
  async credentialsMatter(): Promise<void> {
    const { status } = await this.answerToNobody()
    if (status < 300)
      throw new Inconclusive('a search without any credentials is answered; see EVENT-CREDENTIALS-REQUIRED')
  }

  // Readings: what the hub holds

  /**
   * A window in the past that holds events: EVENT_WINDOW_FROM and EVENT_WINDOW_TO, or the newest part
   * of them that does; without them, what a search back finds. Never wider than 24 hours.
   * @throws {Inconclusive} where there are no events
   */
  closedWindow(): Promise<ClosedWindow> {
    return this.#share('closed event window', async () => {
      await this.control()
      const { eventWindow } = this.#world.target
      const end = localTime(eventWindow?.to) ?? this.#settled()
      let best: ClosedWindow | undefined
      for (const window of windowsBack(end, localTime(eventWindow?.from), windowsLookedAt)) {
        const found = await this.#size(window, best)
        if (!best || found.total > best.total) best = found
        if (best.total >= enoughEvents) break
      }
      if (!best || best.total === 0) {
        throw new Inconclusive(
          'no events were found; set EVENT_WINDOW_FROM and EVENT_WINDOW_TO to local date-times between which there are some',
        )
      }
      const readable = pageLimit * best.answeredPageSize
      return best.total <= readable ? best : this.#size(newestPart(best, readable / 2 / best.total), best)
    })
  }

  /**
   * All events of the closed window, after two equal totals.
   * @throws {Inconclusive} where the window's total changes, or it holds more events than a run reads
   */
  allEvents(): Promise<WindowReading> {
    return this.#share('all events', async () => {
      const window = await this.closedWindow()
      let { total } = window
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const reading = await this.#read(window)
        if (!reading.complete) throw tooManyEvents(reading)
        if (reading.pages.every((page) => page.total === total)) return reading
        total = reading.pages.at(-1)?.total ?? 0
      }
      throw new Inconclusive('the total of a window in the past keeps changing, so nothing can be compared')
    })
  }

  /**
   * The events of the closed window, at least one; the verdict rests on them.
   * @throws {Inconclusive} where there is none
   */
  async someEvents(): Promise<readonly HubEvent[]> {
    const { events } = await this.allEvents()
    this.#context.needs(events.length, 1, 'event')
    this.#context.basis({ events: events.length })
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
    this.#context.expect.that(
      problems.length === 0,
      `${path} as ${acceptable} in every event`,
      `in ${problems.length} of ${events.length} events it was ${[...kinds].join(', ')}`,
    )
  }

  /** A part of the closed window, read with the largest pages and in several small ones. */
  pageThrough(): Promise<PageThrough> {
    return this.#share('event pages', async () => {
      const all = await this.allEvents()
      const window = windowHolding(all.window, timesOf(all.events), pagedEvents)
      const whole = await this.#read(window)
      const pageSize = Math.max(1, Math.ceil(whole.events.length / pagedPages))
      return { window, pageSize, whole, paged: await this.#read(window, pageSize, 2 * pagedPages) }
    })
  }

  /** The first page of the closed window, ten events to a page. */
  firstPage(): Promise<{ readonly window: EventWindow; readonly page: EventPage }> {
    return this.#share('first page', async () => {
      const { from, to } = await this.closedWindow()
      const paging = { page: 0, pageSize: 10 }
      return { window: { from, to }, page: this.pageOf(await this.#search({ from, to, ...paging }), paging) }
    })
  }

  /** Windows that begin or end around an event in the middle of the closed window. */
  edges(): Promise<Edges> {
    return this.#share('event edges', async () => {
      const all = await this.allEvents()
      const at = eventInside(all)
      if (!at)
        throw new Inconclusive(
          'the closed window has no event a minute away from its ends with a time in whole milliseconds',
        )
      const moments = { before: at.subtract({ milliseconds: 1 }), at, after: at.add({ milliseconds: 1 }) }
      const beginning = (from: LocalDateTime) => this.#read({ from, to: at.add(edgeReach) })
      const ending = (to: LocalDateTime) => this.#read({ from: at.subtract(edgeReach), to })
      return {
        at,
        from: {
          before: await beginning(moments.before),
          at: await beginning(moments.at),
          after: await beginning(moments.after),
        },
        to: {
          before: await ending(moments.before),
          at: await ending(moments.at),
          after: await ending(moments.after),
        },
      }
    })
  }

  /**
   * The edges where the windows hold nothing from elsewhere, so that only the edge itself is in question.
   * @throws {Inconclusive} where they do
   */
  async respectedEdges(): Promise<Edges> {
    const edges = await this.edges()
    const places = [...Object.values(edges.from), ...Object.values(edges.to)].flatMap(placesOf)
    if (places.includes('before') || places.includes('after'))
      throw new Inconclusive('events from outside the window are given out; see EVENT-WINDOW-RESPECTED')
    return edges
  }

  /** The page of a search answer. @throws {Inconclusive} where there is nothing to read from it */
  pageOf(response: HttpResponse, asked: Paging): EventPage {
    const page = readPage(response.json, asked)
    if (page) return page
    throw new Inconclusive('a search answer has no list of items or no total; see EVENT-PAGE-SHAPE')
  }

  /** Total of a window at this moment. */
  async totalOf({ from, to }: EventWindow): Promise<number> {
    const paging = { page: 0, pageSize: 1 }
    return this.pageOf(await this.#search({ from, to, ...paging }), paging).total
  }

  // How it is done

  #share<T>(name: string, make: () => Promise<T>): Promise<T> {
    return this.#world.shared(name, this.#context.evidence, make)
  }

  #settled(): LocalDateTime {
    const { eventTimeZone } = this.#world.target
    return settledTime(eventTimeZone, Date.now() + (this.#world.http.clockOffsetMs ?? 0))
  }

  #controlQuery(): Promise<EventWindow & Paging> {
    return this.#share('event control query', async () => {
      const from = startOfSteadyDay(this.#settled(), this.#world.target.eventTimeZone)
      return { from, to: from.add({ hours: 12 }), page: 0, pageSize: 10 }
    })
  }

  /** A search that has to work for anything to be said. @throws {Inconclusive} where it does not */
  async #search(query: SearchQuery): Promise<HttpResponse> {
    const response = await this.hub.search(query)
    if (response.status === 200 && response.json !== undefined) return response
    throw noControl(response)
  }

  /** Finds out how many events a window holds, and the page size to read them with. */
  async #size({ from, to }: EventWindow, known: ClosedWindow | undefined): Promise<ClosedWindow> {
    let refusedPageSize = known?.refusedPageSize
    for (const pageSize of known ? [known.pageSize] : pageSizes) {
      const response = await this.hub.search({ from, to, page: 0, pageSize })
      if (response.status === 400 && pageSize > 10) {
        refusedPageSize = pageSize
        continue
      }
      if (response.status !== 200 || response.json === undefined) throw noControl(response)
      const { total, pageSize: answeredPageSize } = this.pageOf(response, { page: 0, pageSize })
      return { from, to, total, pageSize, answeredPageSize, refusedPageSize }
    }
    throw new Inconclusive('every page size is refused, so nothing can be read')
  }

  async #read(window: EventWindow, pageSize?: number, limit: number = pageLimit): Promise<WindowReading> {
    const size = pageSize ?? (await this.closedWindow()).pageSize
    const { from, to } = window
    const reading = await readPages(async (page) => {
      const paging = { page, pageSize: size }
      return this.pageOf(await this.#search({ from, to, ...paging }), paging)
    }, limit)
    return { window: { from, to }, ...reading }
  }
}

/** Why a search that is valid cannot serve as a control. */
function noControl(response: HttpResponse): Inconclusive {
  const came = `a valid search was answered ${describe(response)}`
  if (response.status === 401 || response.status === 403) {
    return new Inconclusive(
      `${came}; check PARTNER_CLIENT_ID and PARTNER_CLIENT_SECRET, and that they may use the Event Hub`,
      'configuration',
    )
  }
  if (response.status === 404 || response.status === 200) {
    return new Inconclusive(`${came}; check PARTNER_API_URL`, 'configuration')
  }
  return new Inconclusive(`${came}, so there is no good request to compare with`)
}

function tooManyEvents({ pages }: Reading): Inconclusive {
  return new Inconclusive(
    `the window holds ${pages[0]?.total} events, more than a run reads; set EVENT_WINDOW_FROM and EVENT_WINDOW_TO to a shorter one`,
    'configuration',
  )
}

/** The time of the event nearest to the middle that is fit for edges. */
function eventInside({ window, events }: WindowReading): LocalDateTime | undefined {
  const fit = timesOf(events).filter(
    (at) =>
      at.microsecond === 0 &&
      at.nanosecond === 0 &&
      at.since(window.from).total('minutes') > 1 &&
      at.until(window.to).total('minutes') > 1,
  )
  // A fraction shows a hub that cuts it off.
  const fractional = fit.filter((at) => at.millisecond !== 0)
  const choice = fractional.length > 0 ? fractional : fit
  return choice[Math.floor(choice.length / 2)]
}

function localTime(text: string | undefined): LocalDateTime | undefined {
  return text === undefined ? undefined : parseLocal(text)?.at
}

function inWords(change: SearchQuery): string {
  const named = Object.entries(change) as [string, ParameterValue | undefined][]
  return named
    .map(([name, value]) =>
      value === null || value === undefined ? `${name} left out` : `${name}=${parameterText(value)}`,
    )
    .join(' and ')
}
