import { unharmed } from './unharmed.ts'

export interface ReceivedEvent {
  readonly id: string
  readonly type: string
  /** The whole envelope. */
  readonly envelope: Readonly<Record<string, unknown>>
}

export interface InboxOptions {
  /** Processes an event; one at a time, in the order in which they came. */
  readonly handle: (event: ReceivedEvent) => Promise<void> | void
  /** Told of an event that could not be processed: it was acknowledged, and will not be delivered again. */
  readonly onFailure: (event: ReceivedEvent, error: unknown) => void
  /** Events that may wait at once. */
  readonly limit?: number
  /** Ids of processed events that are remembered. */
  readonly memory?: number
}

/**
 * Events that were acknowledged and wait to be processed. One that comes again, by its id, is put in once
 * (section Events): while it waits and, as far back as memory goes, after it was processed.
 */
export class Inbox {
  readonly #options: InboxOptions
  readonly #limit: number
  readonly #memory: number
  /** Ids that wait or were processed, oldest first. */
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

  /** @param more events that will be put in, beside those that wait */
  hasRoom(more = 1): boolean {
    return this.#waiting + more <= this.#limit
  }

  /** @returns whether it was put in; false where it came before */
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

  /** When all that were put in until now have been processed. */
  drained(): Promise<void> {
    return this.#last
  }

  async #process(event: ReceivedEvent): Promise<void> {
    try {
      await this.#options.handle(event)
    } catch (error) {
      // Whoever brings it again, from the Event Hub for example, gets another try.
      this.#known.delete(event.id)
      unharmed(() => this.#options.onFailure(event, error))
    } finally {
      this.#waiting -= 1
    }
  }
}
