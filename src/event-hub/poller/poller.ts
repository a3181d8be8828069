import { setTimeout as sleep } from 'node:timers/promises'
import { type FailureKind, HttpFailure } from '../../http/failures.ts'
import { backoffMs } from '../../http/retry-after.ts'
import { counted } from '../../text/format.ts'
import type { HubEvent } from '../event.ts'
import { compareLocal, earlierOf, type LocalDateTime } from '../local-time.ts'
import type { EventPage } from '../page.ts'
import { pagesOf } from '../paging.ts'
import { type EventWindow, usedHours } from '../window.ts'
import type { PollerMemory } from './memory.ts'
import { keyOf, type Sink } from './sink.ts'
import type { PageSource } from './source.ts'

/** The clock of a poller. Tests provide their own. */
interface Clock {
  /** Resolves after a number of milliseconds, or when the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

/** Longest timer of Node, in milliseconds. A longer timer would fire at once. */
const longestTimerMs = 2 ** 31 - 1

export const systemClock: Clock = {
  async sleep(milliseconds, signal) {
    const end = Date.now() + milliseconds
    try {
      for (let left = milliseconds; left > 0; left = end - Date.now()) {
        await sleep(Math.min(left, longestTimerMs), undefined, { ...(signal && { signal }) })
      }
    } catch (error) {
      if (!signal?.aborted) throw error
    }
  },
}

export type PollerProgress =
  | { readonly kind: 'waiting'; readonly milliseconds: number; readonly why: string }
  | { readonly kind: 'advanced'; readonly to: LocalDateTime; readonly delivered: number }

export interface PollerParts {
  readonly source: PageSource
  readonly memory: Pick<PollerMemory, 'checkpoint' | 'position' | 'knows' | 'remember' | 'advance'>
  readonly sink: Sink
  readonly clock: Clock
  /** The local time of the hub up to which events are searched now. */
  readonly until: () => LocalDateTime
  /** Ends a wait, and stops the poller after the current page. */
  readonly signal?: AbortSignal
  readonly onProgress?: (news: PollerProgress) => void
  /** A random number from 0 to 1, for the jitter of waits. */
  readonly random?: () => number
}

/** Failures after which a retry may succeed. */
const transient: ReadonlySet<FailureKind> = new Set(['throttled', 'unavailable', 'timed-out', 'unreachable'])

/** The signal aborted a batch. */
class Interrupted extends Error {}

/**
 * Delivers all events of a hub from a checkpoint on (section Events, polling rules).
 *
 * A batch is a window that begins at the checkpoint. The end of the window is fixed when the batch starts. The poller
 * reads the pages of the window, delivers new events to the sink page by page, and remembers them. After the last page,
 * the checkpoint advances to the end of the window, but only if the window did not change meanwhile. The poller retries
 * a failed request with growing delays. After a restart, the poller reads an interrupted batch again, but does not
 * deliver events that are remembered or already in the sink.
 */
export class Poller {
  readonly #parts: PollerParts
  /** Failures in a row. */
  #failures = 0

  private constructor(parts: PollerParts) {
    this.#parts = parts
  }

  /** Creates a poller that resumes where the previous one stopped. @throws {SetupError} */
  static async resume(parts: PollerParts): Promise<Poller> {
    const { memory, sink } = parts
    const { keys, position } = await sink.since(memory.position)
    if (keys.length > 0) await memory.remember(keys, position)
    return new Poller(parts)
  }

  /**
   * Reads batches until the checkpoint has reached the current `until`.
   * @returns false if the signal stopped the poller
   * @throws {SetupError} if a retry does not help
   */
  async catchUp(): Promise<boolean> {
    const { memory, signal } = this.#parts
    for (const due = this.#parts.until(); compareLocal(memory.checkpoint, due) < 0; ) {
      const from = memory.checkpoint
      try {
        await this.#batch({ from, to: earlierOf(due, from.add({ hours: usedHours })) })
      } catch (error) {
        if (error instanceof Interrupted) return false
        throw error
      }
    }
    return !signal?.aborted
  }

  /** Catches up at an interval, in milliseconds, until the signal stops the poller. */
  async follow(intervalMs: number): Promise<void> {
    const { clock, signal } = this.#parts
    while (await this.catchUp()) await clock.sleep(intervalMs, signal)
  }

  async #batch(window: EventWindow): Promise<void> {
    const { memory, onProgress, random } = this.#parts
    let delivered = 0
    for (let attempt = 0; ; attempt += 1) {
      const pass = await this.#pass(window)
      delivered += pass.delivered
      if (pass.incomplete === undefined) break
      await this.#wait(backoffMs(attempt, random), pass.incomplete)
    }
    await memory.advance(window.to)
    onProgress?.({ kind: 'advanced', to: window.to, delivered })
  }

  /**
   * Reads a window once. The pass is complete if the number of events equals the total, and if the window did not
   * change meanwhile: a change shifts later pages. An event on two pages may count once or twice.
   * @returns `incomplete`: why the pass may be incomplete
   */
  async #pass(window: EventWindow): Promise<{ incomplete?: string; delivered: number }> {
    let delivered = 0
    let items = 0
    const distinctKeys = new Set<string>()
    const sizes = new Set<string>()
    let total = 0
    for await (const page of pagesOf((number) => this.#page(window, number))) {
      delivered += await this.#deliver(page.events)
      items += page.events.length
      for (const { members } of page.events) distinctKeys.add(keyOf(members))
      total = page.total
      sizes.add(`${page.total} in pages of ${page.pageSize}`)
    }
    if (sizes.size > 1) return { incomplete: 'the window changed while it was read', delivered }
    if (items === total || distinctKeys.size === total) return { delivered }
    return {
      incomplete: `the total of the window is ${total}, but its pages contain ${counted(items, 'event')}`,
      delivered,
    }
  }

  async #deliver(events: readonly HubEvent[]): Promise<number> {
    const { memory, sink } = this.#parts
    const fresh = new Map<string, HubEvent>()
    for (const event of events) {
      const key = keyOf(event.members)
      if (!memory.knows(key)) fresh.set(key, event)
    }
    if (fresh.size > 0) await memory.remember([...fresh.keys()], await sink.take([...fresh.values()]))
    return fresh.size
  }

  /** Reads a page, with as many retries as necessary. */
  async #page(window: EventWindow, number: number): Promise<EventPage> {
    const { source, signal, random } = this.#parts
    for (;;) {
      if (signal?.aborted) throw new Interrupted()
      try {
        const page = await source(window, number)
        this.#failures = 0
        return page
      } catch (error) {
        if (!(error instanceof HttpFailure) || !transient.has(error.kind)) throw error
        // Retry-After: 0 is still followed by a short wait, to avoid a tight loop.
        const wait = error.retryAfterMs || backoffMs(this.#failures, random)
        this.#failures += 1
        await this.#wait(wait, error.message)
      }
    }
  }

  async #wait(milliseconds: number, why: string): Promise<void> {
    const { onProgress, clock, signal } = this.#parts
    onProgress?.({ kind: 'waiting', milliseconds, why })
    await clock.sleep(milliseconds, signal)
  }
}
