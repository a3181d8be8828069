import { notify } from './notify.ts'

export interface ReceivedEvent {
  readonly id: string
  readonly type: string
  /** The whole envelope. */
  readonly envelope: Readonly<Record<string, unknown>>
}

export interface InboxOptions {
  /** Processes an event; called for one event at a time, in order of arrival. */
  readonly handle: (event: ReceivedEvent) => Promise<void> | void
  /** Called with an event whose processing failed: it was acknowledged, so the service will not deliver it again. */
  readonly onFailure: (event: ReceivedEvent, error: unknown) => void
  /** Maximum number of waiting events. */
  readonly limit?: number
  /** Maximum number of remembered ids. */
  readonly memory?: number
}

/**
 * A queue of acknowledged events. It ignores an event whose id is in the queue or, as far back as its memory reaches, was
 * processed before (section Events).
 */
export class Inbox {
  readonly #options: InboxOptions
  readonly #limit: number
  readonly #memory: number
  /** Ids of waiting and processed events, oldest first. */
  readonly #known = new Set<string>()
  #waiting = 0
  #last: Promise<void> = Promise.resolve()

  constructor(options: InboxOptions) {
    this.#options = options
    this.#limit = options.limit ?? 1000
    this.#memory = options.memory ?? 100_000
  }

  get waiting(): number {
    return this.#waiting
  }

  /** @param more number of events to add */
  hasRoom(more = 1): boolean {
    return this.#waiting + more <= this.#limit
  }

  /** Adds an event. @returns false if it was added before */
  put(event: ReceivedEvent): boolean {
    if (this.#known.has(event.id)) return false
    this.#known.add(event.id)
    if (this.#known.size > this.#memory)
      for (const oldest of this.#known) {
        this.#known.delete(oldest)
        break
      }
    this.#waiting += 1
    this.#last = this.#last.then(() => this.#process(event))
    return true
  }

  /** Resolves when all events added until now are processed. */
  drained(): Promise<void> {
    return this.#last
  }

  async #process(event: ReceivedEvent): Promise<void> {
    try {
      await this.#options.handle(event)
    } catch (error) {
      // Permits another attempt, for example with the event from the Event Hub.
      this.#known.delete(event.id)
      notify(() => this.#options.onFailure(event, error))
    } finally {
      this.#waiting -= 1
    }
  }
}
