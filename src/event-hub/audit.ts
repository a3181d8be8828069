import { contentParts, isSameContent, partCount } from './content.ts'
import { type HubEvent, hasUsableId } from './event.ts'
import { formatLocal, wallClockMs } from './local-time.ts'
import type { EventPage } from './page.ts'
import { type TimeOrder, TimeOrderFinder } from './time-order.ts'
import { certainPosition, type EventWindow } from './window.ts'

/** Maximum number of ids to reserve memory for: a hub may state an absurd total. The map grows if there are more. */
const maxExpected = 1_000_000

/** The result of an audit, without content of events. */
export interface AuditFindings {
  readonly events: number
  readonly pages: number
  /** Number of events with an invalid member, by the path of the member. */
  readonly malformed: Readonly<Record<string, number>>
  /** Number of events before or after the window. */
  readonly outside: number
  /** The order of the times of events. */
  readonly order: TimeOrder
  /** Number of distinct ids. */
  readonly ids: number
  /** Number of events whose id occurred before, with the same content as the first event with this id. */
  readonly repeated: number
  /** Number of events whose id occurred before, with other content than the first event with this id. */
  readonly conflicting: number
  /** Whether the total of every page matches the number of events. A repeated event may count once or each time. */
  readonly whole: boolean
}

/**
 * Audits the events of a window page by page: schema, times, ids and totals. Stores no events, so that it needs memory
 * only for one page, and 39 bytes for each event of the window's total.
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
    for (const event of page.events) this.#audit(event, this.#contents)
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

  #audit(event: HubEvent, contents: FingerprintMap): void {
    const { members, problems } = event
    this.#events += 1
    if (problems.length > 0)
      for (const path of new Set(problems.map((problem) => problem.path))) this.#countMalformed(path)
    const { id, timestamp } = members
    if (typeof timestamp === 'string') this.#auditTime(event, timestamp)
    if (!hasUsableId(event)) return
    const content = contentParts(event, shortFingerprint)
    const before = contents.add(fingerprint(String(id)), content)
    if (before === undefined) return
    if (isSameContent(before, content)) this.#repeated += 1
    else this.#conflicting += 1
  }

  #auditTime(event: HubEvent, timestamp: string): void {
    const time = wallClockMs(timestamp)
    if (time === undefined) {
      if (event.problems.length === 0) this.#countMalformed('timestamp')
      return
    }
    this.#order.take(event)
    if (time >= this.#from && time < this.#to) return
    // A time without milliseconds may be truncated: the full time may be inside the window.
    const position = event.time && certainPosition(this.#window, event.time)
    if (position !== undefined && position !== 'inside') this.#outside += 1
  }

  #countMalformed(path: string): void {
    this.#malformed.set(path, (this.#malformed.get(path) ?? 0) + 1)
  }
}

/**
 * A hash of a text, from 0 to 2^53 - 1 (cyrb53, in the public domain). The probability of a collision among 100,000
 * texts is below one in a million. The hash does not resist deliberate collisions.
 */
export function fingerprint(text: string): number {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    high = Math.imul(high ^ unit, 2654435761)
    low = Math.imul(low ^ unit, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return 4294967296 * (2097151 & low) + (high >>> 0)
}

/**
 * A 32-bit hash of a JSON value that does not depend on the order of members. The probability that two different values
 * collide is one in four billion.
 */
export function contentFingerprint(value: unknown, seed = 1): number {
  if (typeof value === 'string') return textFingerprint(value, seed)
  if (value === null || typeof value !== 'object') return textFingerprint(`${value}`, seed + 1)
  let sum = seed
  if (Array.isArray(value)) {
    for (const element of value) sum = (Math.imul(sum, 31) + contentFingerprint(element, 2)) | 0
    return mixed(sum + 3)
  }
  // A sum does not depend on the order of its terms. Objects from JSON.parse have no inherited members.
  for (const name in value) {
    const member = (value as Readonly<Record<string, unknown>>)[name]
    sum = (sum + contentFingerprint(member, nameFingerprint(name))) | 0
  }
  return mixed(sum + 4)
}

/**
 * `contentFingerprint` in 16 bits. Two different values collide with a probability of one in 65,000. Never 0, which
 * stands for a member that is not compared (`contentParts`).
 */
function shortFingerprint(value: unknown): number {
  return 1 + ((contentFingerprint(value) >>> 0) % 0xffff)
}

/** Cache of name hashes, since names recur in every event. */
const nameHashes = new Map<string, number>()
const maxNameHashes = 1000

function nameFingerprint(name: string): number {
  const known = nameHashes.get(name)
  if (known !== undefined) return known
  const hash = textFingerprint(name, 5)
  if (nameHashes.size < maxNameHashes) nameHashes.set(name, hash)
  return hash
}

function textFingerprint(text: string, seed: number): number {
  let hash = seed
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 2654435761)
  return mixed(hash ^ text.length)
}

/** Mixes all bits (finalizer of MurmurHash3). */
function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 2246822507)
  const twice = Math.imul(once ^ (once >>> 13), 3266489909)
  return twice ^ (twice >>> 16)
}

/** Maps fingerprints to rows of 16-bit values. Uses 12 bytes per expected row, and 3 bytes per value of such a row. */
export class FingerprintMap {
  readonly #width: number
  #keys: Float64Array
  #values: Uint16Array
  #size = 0

  /**
   * @param expected number of rows; the map grows if there are more
   * @param width number of values in a row
   */
  constructor(expected: number, width: number) {
    const slots = Math.max(16, Math.ceil(1.5 * expected))
    this.#width = width
    this.#keys = new Float64Array(slots).fill(Number.NaN)
    this.#values = new Uint16Array(width * slots)
  }

  get size(): number {
    return this.#size
  }

  /**
   * Stores the row of a key, unless the key already has a row.
   * @returns the row that the key already has; undefined if it had none
   */
  add(key: number, row: ArrayLike<number>): Uint16Array | undefined {
    if (this.#size * 5 >= this.#keys.length * 4) this.#grow()
    const slot = this.#slotOf(key)
    if (this.#keys[slot] === key) return rowAt(this.#values, slot, this.#width)
    this.#put(slot, key, row)
    this.#size += 1
    return undefined
  }

  /** The slot of the key, or the free slot for it. */
  #slotOf(key: number): number {
    let slot = key % this.#keys.length
    for (
      let storedKey = this.#keys[slot] as number;
      !Number.isNaN(storedKey) && storedKey !== key;
      storedKey = this.#keys[slot] as number
    )
      slot = (slot + 1) % this.#keys.length
    return slot
  }

  #put(slot: number, key: number, row: ArrayLike<number>): void {
    this.#keys[slot] = key
    this.#values.set(row, slot * this.#width)
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values]
    this.#keys = new Float64Array(2 * keys.length).fill(Number.NaN)
    this.#values = new Uint16Array(2 * values.length)
    for (const [slot, key] of keys.entries())
      if (!Number.isNaN(key)) this.#put(this.#slotOf(key), key, rowAt(values, slot, this.#width))
  }
}

function rowAt(values: Uint16Array, slot: number, width: number): Uint16Array {
  return values.subarray(slot * width, (slot + 1) * width)
}
