import { setTimeout as sleep } from 'node:timers/promises'
import { HttpFailure } from '../http/failures.ts'
import type { JourneyWindow, TrafficEnd } from './journey-traffic.ts'
import { JourneyFailure } from './landing.ts'

/** Playwright's error messages if the page was left during an action. */
const leftPage =
  /context was destroyed|because of a navigation|not attached|detached|Cannot find context|different document/i

/** Actions of Playwright time out this many ms before the deadline, because their errors name the missing element. */
const marginMs = 200

/** Time limit of a journey, as a multiple of the time limit of a response: 90 s with the default of 15 s. */
const maxResponses = 6

/** Whether an error is a timeout of Playwright. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}

/** Thrown inside a journey when its traffic ends. */
export class TrafficEnded extends Error {
  readonly end: TrafficEnd

  constructor(end: TrafficEnd) {
    super('the traffic ended')
    this.name = 'TrafficEnded'
    this.end = end
  }
}

/**
 * The time limits of a journey: one for each response of the target, and one for the whole journey. Every wait ends at
 * the earlier limit, or when the traffic ends.
 */
export class Deadline {
  readonly #window: JourneyWindow
  readonly #subject: string

  /** @param subject begins the reason after a timeout: "the authorization request made no progress for 15 s" */
  constructor(window: JourneyWindow, subject = 'the authorization request') {
    this.#window = window
    this.#subject = subject
  }

  /** Remaining time, at least 1 ms. Waits for the budget or for a one-time password do not count. */
  get leftMs(): number {
    return Math.max(1, Math.min(this.#leftForResponseMs, this.#leftInTotalMs))
  }

  /**
   * Retries an action of Playwright that times out, until the deadline.
   * @param work receives its time limit in milliseconds
   */
  async patiently<T>(work: (timeoutMs: number) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work(Math.max(1, this.leftMs - marginMs))
      } catch (error) {
        if (!isTimeout(error)) throw error
        // Retry if the deadline has moved meanwhile, or if a request is still pending.
        if (this.leftMs <= 2 * marginMs && this.#window.traffic.idleMs > 0) throw error
        await sleep(marginMs / 10)
      }
    }
  }

  get responseSeconds(): number {
    return this.#window.timeoutMs / 1000
  }

  get #leftForResponseMs(): number {
    return this.#window.timeoutMs - this.#window.traffic.clock.sinceProgressMs
  }

  get #leftInTotalMs(): number {
    return maxResponses * this.#window.timeoutMs - this.#window.traffic.clock.totalMs
  }

  /** Awaits work. @throws {TrafficEnded | JourneyFailure} if the traffic or the time ends first */
  async race<T>(work: Promise<T>): Promise<T> {
    const done = new AbortController()
    try {
      return await Promise.race([
        work,
        this.#window.traffic.end.then((end) => {
          throw new TrafficEnded(end)
        }),
        this.#expired(done.signal),
      ])
    } finally {
      done.abort()
    }
  }

  /** Like `race`, for work on a page. @returns undefined if the page was left meanwhile */
  async inPage<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await this.race(work)
    } catch (error) {
      if ([TrafficEnded, JourneyFailure, HttpFailure].some((known) => error instanceof known)) throw error
      if (this.#window.page.isClosed() || /crashed/.test(String(error))) {
        throw new JourneyFailure('environment', 'the browser page was closed or crashed')
      }
      if (leftPage.test(String(error))) return undefined
      throw error
    }
  }

  /** The hosts that the policy refused, as the end of a reason: the page may need them. Empty without such hosts. */
  refusedHosts(): string {
    const hosts = [...this.#window.traffic.refusedHosts]
    if (hosts.length === 0) return ''
    return ` (the page also needs ${hosts.slice(0, 5).join(', ')}, which the browser may load only if listed under hosts in a login recipe)`
  }

  /** Rejects at the deadline. Progress of the target moves the deadline meanwhile. */
  async #expired(signal: AbortSignal): Promise<never> {
    while (this.leftMs > 1) await sleep(this.leftMs, undefined, { signal })
    const { timeoutMs } = this.#window
    const what =
      this.#leftInTotalMs > 1
        ? `made no progress for ${timeoutMs / 1000} s`
        : `did not end within ${(maxResponses * timeoutMs) / 1000} s`
    throw new JourneyFailure('environment', `${this.#subject} ${what}${this.refusedHosts()}`, {
      variables: ['LOGIN_TIMEOUT_SECONDS'],
      advice: 'raise LOGIN_TIMEOUT_SECONDS if the target takes longer to respond',
    })
  }
}
