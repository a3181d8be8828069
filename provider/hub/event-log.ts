import type { StoredEvent } from './events.ts'

/** Events in the order of their local times. */
export class EventLog {
  private readonly events: StoredEvent[]

  /** @param events sorted by local time */
  constructor(events: readonly StoredEvent[]) {
    this.events = [...events]
  }

  /** Inserts an event after those of the same local time. */
  insert(event: StoredEvent): void {
    this.events.splice(this.firstFrom(event.local + 1), 0, event)
  }

  /** Events from `from`, inclusive, to `to`, exclusive. */
  between(from: number, to: number): StoredEvent[] {
    return this.events.slice(this.firstFrom(from), this.firstFrom(to))
  }

  /** Index of the first event that is not before `local`. */
  private firstFrom(local: number): number {
    let low = 0
    let high = this.events.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.events[middle] as StoredEvent).local < local) low = middle + 1
      else high = middle
    }
    return low
  }
}
