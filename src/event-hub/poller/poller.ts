import { type FailureKind, HttpFailure } from '../../http/failures.ts'
import { backoffMs } from '../../http/retry-after.ts'
import type { HubEvent } from '../event.ts'
import { compareLocal, earlierOf, type LocalDateTime } from '../local-time.ts'
import type { EventPage } from '../page.ts'
import { pagesOf } from '../paging.ts'
import { type EventWindow, widestHours } from '../window.ts'
import type { Clock } from './clock.ts'
import type { PollerMemory } from './memory.ts'
import { keyOf, type Sink } from './sink.ts'
import type { PageSource } from './source.ts'

/** What a poller tells whoever watches it. */
export type PollerNews =
  | { readonly kind: 'waiting'; readonly milliseconds: number; readonly why: string }
  | { readonly kind: 'advanced'; readonly to: LocalDateTime; readonly handedOver: number }

export interface PollerParts {
  readonly source: PageSource
  readonly memory: Pick<PollerMemory, 'checkpoint' | 'position' | 'knows' | 'remember' | 'advance'>
  readonly sink: Sink
  readonly clock: Clock
  /** The local time of the hub up to which events are asked for at this moment. */
  readonly until: () => LocalDateTime
  /** Ends a wait, and the poller at the next place where nothing is half done. */
  readonly signal?: AbortSignal
  readonly tell?: (news: PollerNews) => void
  /** From 0 to 1, for the jitter of waits. */
  readonly random?: () => number
}

/** Failures that pass: the others say that asking again changes nothing. */
const passing: ReadonlySet<FailureKind> = new Set(['throttled', 'unavailable', 'timed-out', 'unreachable'])

/** The signal came while a batch was under way. */
class Interrupted extends Error {}

/**
 * Hands over all events of a hub from a checkpoint on (section Events, polling rules).
 *
 * A batch is a window from the checkpoint to a `to` that stays what it was when the batch began. Its pages are read
 * until there are no more; events not yet handed over go to the sink page by page, and are remembered. After the last
 * page, and only where the window did not change while it was read, the checkpoint moves to that `to`. Whatever
 * fails in between is asked for again, later each time; whatever is cut off is read anew after a restart, and what is
 * remembered, or found in the sink, is not handed over again.
 */
export class Poller {
  readonly #parts: PollerParts
  /** Failures in a row. */
  #failures = 0

  private constructor(parts: PollerParts) {
    this.#parts = parts
  }

  /** A poller that goes on where the one before it was cut off. @throws {SetupError} */
  static async resume(parts: PollerParts): Promise<Poller> {
    const { memory, sink } = parts
    const { keys, position } = await sink.since(memory.position)
    if (keys.length > 0) await memory.remember(keys, position)
    return new Poller(parts)
  }

  /**
   * Reads batch after batch until none is due.
   * @returns false where the signal ended it
   * @throws {SetupError} where waiting does not help
   */
  async catchUp(): Promise<boolean> {
    const { memory, signal } = this.#parts
    for (const due = this.#parts.until(); compareLocal(memory.checkpoint, due) < 0; ) {
      const from = memory.checkpoint
      try {
        await this.#batch({ from, to: earlierOf(due, from.add({ hours: widestHours })) })
      } catch (error) {
        if (error instanceof Interrupted) return false
        throw error
      }
    }
    return !signal?.aborted
  }

  /** Catches up again and again, so many milliseconds apart, until the signal ends it. */
  async follow(intervalMs: number): Promise<void> {
    const { clock, signal } = this.#parts
    while (await this.catchUp()) await clock.sleep(intervalMs, signal)
  }

  async #batch(window: EventWindow): Promise<void> {
    const { memory, tell, random } = this.#parts
    let handedOver = 0
    for (let changes = 0; ; changes += 1) {
      const pass = await this.#pass(window)
      handedOver += pass.handedOver
      if (pass.unlike === undefined) break
      await this.#wait(backoffMs(changes, random), pass.unlike)
    }
    await memory.advance(window.to)
    tell?.({ kind: 'advanced', to: window.to, handedOver })
  }

  /**
   * Reads a window once. It was whole where nothing was added to it meanwhile, which moves what is on later pages,
   * and as many events came as the total says: an event that comes on two pages may be counted once or twice.
   * @returns in `unlike` why it may not have been whole
   */
  async #pass(window: EventWindow): Promise<{ unlike?: string; handedOver: number }> {
    let handedOver = 0
    let items = 0
    const different = new Set<string>()
    const answers = new Set<string>()
    let total = 0
    for await (const page of pagesOf((number) => this.#page(window, number))) {
      handedOver += await this.#handOver(page.events)
      items += page.events.length
      for (const { members } of page.events) different.add(keyOf(members))
      total = page.total
      answers.add(`${page.total} in pages of ${page.pageSize}`)
    }
    if (answers.size > 1) return { unlike: 'the window changed while it was read', handedOver }
    if (items === total || different.size === total) return { handedOver }
    return { unlike: `the total of the window is ${total}, and its pages hold ${items} events`, handedOver }
  }

  async #handOver(events: readonly HubEvent[]): Promise<number> {
    const { memory, sink } = this.#parts
    const fresh = new Map<string, HubEvent>()
    for (const event of events) {
      const key = keyOf(event.members)
      if (!memory.knows(key)) fresh.set(key, event)
    }
    if (fresh.size > 0) await memory.remember([...fresh.keys()], await sink.take([...fresh.values()]))
    return fresh.size
  }

  /** A page, however often it has to be asked for. */
  async #page(window: EventWindow, number: number): Promise<EventPage> {
    const { source, signal, random } = this.#parts
    for (;;) {
      if (signal?.aborted) throw new Interrupted()
      try {
        const page = await source(window, number)
        this.#failures = 0
        return page
      } catch (error) {
        if (!(error instanceof HttpFailure) || !passing.has(error.kind)) throw error
        // Asked to come back at once, a poller still waits a little: it must never ask in a tight loop.
        const wait = error.retryAfterMs || backoffMs(this.#failures, random)
        this.#failures += 1
        await this.#wait(wait, error.message)
      }
    }
  }

  async #wait(milliseconds: number, why: string): Promise<void> {
    const { tell, clock, signal } = this.#parts
    tell?.({ kind: 'waiting', milliseconds, why })
    await clock.sleep(milliseconds, signal)
  }
}
