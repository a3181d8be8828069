import type { HubEvent } from './event.ts'
import { compareLocal, type LocalDateTime, wallClockMs } from './local-time.ts'

/** The order of times; `mixed` if they both rise and fall. */
export type TimeOrder = 'ascending' | 'descending' | 'constant' | 'mixed'

/** Finds the time order of events that it receives one by one. Keeps only the latest event. */
export class TimeOrderFinder {
  #latest: { readonly event: HubEvent; readonly ms: number } | undefined
  #rises = false
  #falls = false

  /** Skips an event without a readable time. */
  take(event: HubEvent): void {
    const { timestamp } = event.members
    const ms = typeof timestamp === 'string' ? wallClockMs(timestamp) : undefined
    if (ms === undefined) return
    const before = this.#latest
    const step = before ? ms - before.ms || finerStep(before.event, event) : 0
    this.#rises ||= step > 0
    this.#falls ||= step < 0
    this.#latest = { event, ms }
  }

  get order(): TimeOrder {
    if (this.#rises) return this.#falls ? 'mixed' : 'ascending'
    return this.#falls ? 'descending' : 'constant'
  }
}

/** Compares two times with equal milliseconds, which may differ in finer digits. */
function finerStep(earlier: HubEvent, later: HubEvent): number {
  if (earlier.members.timestamp === later.members.timestamp) return 0
  return compareLocal(later.time?.at as LocalDateTime, earlier.time?.at as LocalDateTime)
}
