import type { HubEvent } from './event.ts'
import { contentFingerprint, FingerprintMap, fingerprint } from './fingerprint.ts'
import { formatLocal, wallClockMs } from './local-time.ts'
import type { EventPage } from './page.ts'
import { type Direction, placesOf } from './reading.ts'
import type { EventWindow } from './window.ts'

/** A total that is nonsense must not take all memory; ids beyond this are taken as they come. */
const mostExpected = 1_000_000

/** What an audit found. Nothing in it is an event's own. */
export interface AuditFindings {
  readonly events: number
  readonly pages: number
  /** Events that depart from their schema or have a time that does not exist, by the member that is wrong. */
  readonly malformed: Readonly<Record<string, number>>
  /** Events from before or after the window. */
  readonly outside: number
  readonly direction: Direction['direction']
  /** Different ids; events without one are left out. */
  readonly ids: number
  /** Events that came again with the content they had, and with another one. */
  readonly repeated: number
  readonly conflicting: number
  /** Whether the total of every page fits the number of events; one that comes again may count once or twice. */
  readonly whole: boolean
}

/**
 * Holds the events of a window against schema and rules as they come, and keeps none of them: whatever their
 * number, an audit holds the page it is looking at and 18 bytes for each event that the window's total promises.
 */
export class EventAudit {
  readonly #window: EventWindow
  readonly #from: number
  readonly #to: number
  #contents: FingerprintMap | undefined
  readonly #malformed = new Map<string, number>()
  readonly #totals = new Set<number>()
  #events = 0
  #pages = 0
  #outside = 0
  #repeated = 0
  #conflicting = 0
  #rises = false
  #falls = false
  #latest: number | undefined

  constructor(window: EventWindow) {
    this.#window = window
    this.#from = wallClockMs(formatLocal(window.from)) as number
    this.#to = wallClockMs(formatLocal(window.to)) as number
  }

  take(page: EventPage): void {
    this.#contents ??= new FingerprintMap(Math.min(page.total, mostExpected))
    this.#pages += 1
    this.#totals.add(page.total)
    for (const event of page.events) this.#look(event, this.#contents)
  }

  findings(): AuditFindings {
    const constant = !this.#rises && !this.#falls
    return {
      events: this.#events,
      pages: this.#pages,
      malformed: Object.fromEntries(this.#malformed),
      outside: this.#outside,
      direction: constant
        ? 'constant'
        : this.#rises && this.#falls
          ? 'mixed'
          : this.#rises
            ? 'ascending'
            : 'descending',
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
    if (typeof id !== 'string' || id === '') return
    const content = contentFingerprint(members)
    const before = contents.add(fingerprint(id), content)
    if (before === undefined) return
    if (before === content) this.#repeated += 1
    else this.#conflicting += 1
  }

  #lookAtTime(event: HubEvent, timestamp: string): void {
    const time = wallClockMs(timestamp)
    if (time === undefined) {
      if (event.problems.length === 0) this.#isMalformed('timestamp')
      return
    }
    if (this.#latest !== undefined && time > this.#latest) this.#rises = true
    if (this.#latest !== undefined && time < this.#latest) this.#falls = true
    this.#latest = time
    if (time >= this.#from && time < this.#to) return
    // Where part of a time is cut off, it may lie inside all the same.
    const [place] = placesOf({ window: this.#window, pages: [], events: [event], complete: true })
    if (place !== undefined && place !== 'inside') this.#outside += 1
  }

  #isMalformed(path: string): void {
    this.#malformed.set(path, (this.#malformed.get(path) ?? 0) + 1)
  }
}
