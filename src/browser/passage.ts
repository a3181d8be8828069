import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright'
import { HttpFailure } from '../http/failures.ts'
import { JourneyFailure } from './landing.ts'
import type { Traffic, TrafficEnd } from './traffic.ts'

/** How Playwright says that a page was left while it was used. */
const leftPage =
  /context was destroyed|because of a navigation|not attached|detached|Cannot find context|different document/i

/** Thrown inside a journey when its traffic has come to an end. */
export class Arrived extends Error {
  readonly end: TrafficEnd

  constructor(end: TrafficEnd) {
    super('arrived')
    this.name = 'Arrived'
    this.end = end
  }
}

/** The time a journey has, and what may end it while it works on a page: arrival, a page that is left, a deadline. */
export class Passage {
  readonly #page: Page
  readonly #traffic: Traffic
  readonly #timeoutMs: number
  readonly #what: string
  #deadline: number

  /** @param what is on its way, for the sentence on a time-out */
  constructor(page: Page, traffic: Traffic, timeoutMs: number, what = 'the authorization request') {
    this.#what = what
    this.#page = page
    this.#traffic = traffic
    this.#timeoutMs = timeoutMs
    this.#deadline = Date.now() + timeoutMs
  }

  get leftMs(): number {
    return Math.max(1, this.#end - Date.now())
  }

  /** Waiting for the budget is not the target's time. */
  get #end(): number {
    return this.#deadline + this.#traffic.waitedMs
  }

  /** Gives back time that was spent waiting for somebody else than the target. */
  extend(byMs: number): void {
    this.#deadline += byMs
  }

  /** Work, unless the journey arrives first or its time is over. @throws {Arrived | JourneyFailure} */
  async orArrive<T>(work: Promise<T>): Promise<T> {
    const done = new AbortController()
    try {
      return await Promise.race([
        work,
        this.#traffic.end.then((end) => {
          throw new Arrived(end)
        }),
        this.#expired(done.signal).then(() => {
          throw this.late()
        }),
      ])
    } finally {
      done.abort()
    }
  }

  /** Work on a page that may be left at any moment; undefined when it was. @throws {Arrived | JourneyFailure} */
  async inPage<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await this.orArrive(work)
    } catch (error) {
      if (error instanceof Arrived || error instanceof JourneyFailure || error instanceof HttpFailure)
        throw error
      if (this.#page.isClosed() || /crashed/.test(String(error))) {
        throw new JourneyFailure('environment', 'the browser page was closed or crashed')
      }
      if (leftPage.test(String(error))) return undefined
      throw error
    }
  }

  late(): JourneyFailure {
    return new JourneyFailure(
      'environment',
      `${this.#what} came to no end within ${this.#timeoutMs / 1000} s${this.refusedHosts()}`,
    )
  }

  /** A sentence on the hosts a page asked for in vain, which may be why it does not work; empty where there are none. */
  refusedHosts(): string {
    const hosts = [...this.#traffic.refusedHosts]
    if (hosts.length === 0) return ''
    return `. The page also needs ${hosts.slice(0, 5).join(', ')}, which may not be loaded unless a login recipe names it under hosts`
  }

  /** Settles when the time is over; the deadline may be moved meanwhile. */
  async #expired(signal: AbortSignal): Promise<void> {
    while (Date.now() < this.#end) await sleep(this.leftMs, undefined, { signal })
  }
}
