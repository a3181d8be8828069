import { setTimeout as sleep } from 'node:timers/promises'
import { HttpFailure } from '../http/failures.ts'
import { JourneyFailure } from './landing.ts'
import type { TrafficEnd } from './traffic.ts'
import type { BrowserWindow } from './window.ts'

/** How Playwright reports that a page was left while it was used. */
const leftPage =
  /context was destroyed|because of a navigation|not attached|detached|Cannot find context|different document/i

/** Ends a journey from inside when its traffic ends. */
export class TrafficEnded extends Error {
  readonly end: TrafficEnd

  constructor(end: TrafficEnd) {
    super('the traffic ended')
    this.name = 'TrafficEnded'
    this.end = end
  }
}

/** The time a journey has. Whatever it waits for ends with that time, and with its traffic. */
export class Deadline {
  readonly #window: BrowserWindow
  readonly #subject: string
  #at: number

  /** @param subject of the sentence on a time-out */
  constructor(window: BrowserWindow, subject = 'the authorization request') {
    this.#window = window
    this.#subject = subject
    this.#at = Date.now() + window.timeoutMs
  }

  /** At least 1. Waiting for the budget is not the target's time. */
  get leftMs(): number {
    return Math.max(1, this.#at + this.#window.traffic.waitedMs - Date.now())
  }

  /** Gives back time that was not spent waiting for the target. */
  extend(byMs: number): void {
    this.#at += byMs
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
    const within = `${this.#window.timeoutMs / 1000} s${this.refusedHosts()}`
    throw new JourneyFailure('environment', `${this.#subject} did not end within ${within}`)
  }
}
