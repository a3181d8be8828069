import { contentParts, isSameContent, partCount } from './content.ts'
import { type HubEvent, hasUsableId } from './event.ts'
import { FingerprintMap, fingerprint, shortFingerprint } from './fingerprint.ts'
import { formatLocal, wallClockMs } from './local-time.ts'
import type { EventPage } from './page.ts'
import { type TimeOrder, TimeOrderFinder } from './time-order.ts'
import { certainPosition, type EventWindow } from './window.ts'

/** Memory is reserved for at most this number of ids, since a total may be absurd; the map grows if there are more. */
const maxExpected = 1_000_000

/** The result of an audit, without content of events. */
export interface AuditFindings {
  readonly events: number
  readonly pages: number
  /** Number of events with an invalid member, by the path of the member. */
  readonly malformed: Readonly<Record<string, number>>
  /** Events before or after the window. */
  readonly outside: number
  /** The order of the times of events. */
  readonly order: TimeOrder
  /** Number of distinct ids. */
  readonly ids: number
  /** Events whose id occurred before: with the same content, and with other content than at first. */
  readonly repeated: number
  readonly conflicting: number
  /** Whether the total of every page matches the number of events; a repeated event may count once or twice. */
  readonly whole: boolean
}

/**
 * Compares the events of a window with the schema and rules, page by page, and stores no event: its memory is one page
 * and 39 bytes for each event of the window's total.
 */
export class EventAudit {
  readonly #window: EventWindow
  readonly #from: number
  readonly #to: number
  #contents: FingerprintMap | undefined
  readonly #malformed = new Map<string, number>()
  readonly #totals = new Set<number>()
  readonly #order = new TimeOrderFinder()
  #events = 0
  #pages = 0
  #outside = 0
  #repeated = 0
  #conflicting = 0

  constructor(window: EventWindow) {
    this.#window = window
    this.#from = wallClockMs(formatLocal(window.from)) as number
    this.#to = wallClockMs(formatLocal(window.to)) as number
  }

  take(page: EventPage): void {
    this.#contents ??= new FingerprintMap(Math.min(page.total, maxExpected), partCount)
    this.#pages += 1
    this.#totals.add(page.total)
    for (const event of page.events) this.#look(event, this.#contents)
  }

  findings(): AuditFindings {
    return {
      events: this.#events,
      pages: this.#pages,
      malformed: Object.fromEntries(this.#malformed),
      outside: this.#outside,
      order: this.#order.order,
      ids: this.#contents?.size ?? 0,
      repeated: this.#repeated,
      conflicting: this.#conflicting,
      whole: [...this.#totals].every(
        (total) => (this.#contents?.size ?? 0) <= total && total <= this.#events,
      ),
    }
  }

  #look(event: HubEvent, contents: FingerprintMap): void {
    const { members, problems } = event
    this.#events += 1
    if (problems.length > 0)
      for (const path of new Set(problems.map((problem) => problem.path))) this.#isMalformed(path)
    const { id, timestamp } = members
    if (typeof timestamp === 'string') this.#lookAtTime(event, timestamp)
    if (!hasUsableId(event)) return
    const content = contentParts(event, shortFingerprint)
    const before = contents.add(fingerprint(String(id)), content)
    if (before === undefined) return
    if (isSameContent(before, content)) this.#repeated += 1
    else this.#conflicting += 1
  }

  #lookAtTime(event: HubEvent, timestamp: string): void {
    const time = wallClockMs(timestamp)
    if (time === undefined) {
      if (event.problems.length === 0) this.#isMalformed('timestamp')
      return
    }
    this.#order.take(event)
    if (time >= this.#from && time < this.#to) return
    // A truncated time may still be inside the window.
    const position = event.time && certainPosition(this.#window, event.time)
    if (position !== undefined && position !== 'inside') this.#outside += 1
  }

  #isMalformed(path: string): void {
    this.#malformed.set(path, (this.#malformed.get(path) ?? 0) + 1)
  }
}
