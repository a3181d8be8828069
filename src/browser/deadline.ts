import { setTimeout as sleep } from 'node:timers/promises'
import { HttpFailure } from '../http/failures.ts'
import type { TrafficEnd } from './journey-traffic.ts'
import { JourneyFailure } from './landing.ts'
import type { BrowserWindow } from './window.ts'

/** How Playwright reports that a page was left while it was used. */
const leftPage =
  /context was destroyed|because of a navigation|not attached|detached|Cannot find context|different document/i

/** How long before the deadline Playwright has to give up, so that it can say what it waited for, in milliseconds. */
const marginMs = 200

/** A journey may take so many times as long as a single response. */
const mostAnswers = 6

/** Whether an error is a time-out of Playwright. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}

/** Ends a journey from inside when its traffic ends. */
export class TrafficEnded extends Error {
  readonly end: TrafficEnd

  constructor(end: TrafficEnd) {
    super('the traffic ended')
    this.name = 'TrafficEnded'
    this.end = end
  }
}

/**
 * The time a journey has: so much for each answer of the target, and a multiple of that in all. Whatever it waits for
 * ends with that time, and with its traffic.
 */
export class Deadline {
  readonly #window: BrowserWindow
  readonly #subject: string

  /** @param subject of the sentence on a time-out */
  constructor(window: BrowserWindow, subject = 'the authorization request') {
    this.#window = window
    this.#subject = subject
  }

  /** At least 1. Waiting for the budget or for a one-time password is not the target's time. */
  get leftMs(): number {
    return Math.max(1, Math.min(this.#leftForAnswerMs, this.#leftInAllMs))
  }

  /**
   * Does something that Playwright gives up after some time: for as long as there is time.
   * @param work is given the milliseconds that it may take
   */
  async patiently<T>(work: (timeoutMs: number) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work(Math.max(1, this.leftMs - marginMs))
      } catch (error) {
        if (!isTimeout(error)) throw error
        // The target has answered meanwhile, or owes an answer, for which the time then ends.
        if (this.leftMs <= 2 * marginMs && this.#window.traffic.idleMs > 0) throw error
        await sleep(marginMs / 10)
      }
    }
  }

  /** The time for one answer, in seconds. */
  get answerSeconds(): number {
    return this.#window.timeoutMs / 1000
  }

  get #leftForAnswerMs(): number {
    return this.#window.timeoutMs - this.#window.traffic.spent.sinceProgressMs
  }

  get #leftInAllMs(): number {
    return mostAnswers * this.#window.timeoutMs - this.#window.traffic.spent.inAllMs
  }

  /** The result of some work. @throws {TrafficEnded | JourneyFailure} where traffic or time ends first */
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

  /** The result of work on a page; undefined where the page was left meanwhile. @throws {TrafficEnded | JourneyFailure} */
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

  /** The hosts that a page requested in vain, which may be why it does not work; empty without any. */
  refusedHosts(): string {
    const hosts = [...this.#window.traffic.refusedHosts]
    if (hosts.length === 0) return ''
    return ` (the page also needs ${hosts.slice(0, 5).join(', ')}, which may not be loaded unless a login recipe names it under hosts)`
  }

  /** The end may move while this waits. */
  async #expired(signal: AbortSignal): Promise<never> {
    while (this.leftMs > 1) await sleep(this.leftMs, undefined, { signal })
    const { timeoutMs } = this.#window
    const what =
      this.#leftInAllMs > 1
        ? `made no progress for ${timeoutMs / 1000} s`
        : `did not end within ${(mostAnswers * timeoutMs) / 1000} s`
    throw new JourneyFailure('environment', `${this.#subject} ${what}${this.refusedHosts()}`, {
      variables: ['LOGIN_TIMEOUT_SECONDS'],
      advice: 'raise LOGIN_TIMEOUT_SECONDS if the target takes longer to answer',
    })
  }
}
