import type { HttpRequest } from '../../../provider/http.ts'
import { lawfulHub } from '../../../provider/hub/behaviour.ts'
import type { StoredEvent } from '../../../provider/hub/events.ts'
import { createHub, type Hub } from '../../../provider/hub/hub.ts'
import { wallClock } from '../../../provider/hub/local-time.ts'
import { passedTime } from '../../../src/event-hub/clock-changes.ts'
import {
  formatLocal,
  type LocalDateTime,
  millisecondsBetween,
  parseLocal,
} from '../../../src/event-hub/local-time.ts'
import { type EventPage, hasMore, readPage } from '../../../src/event-hub/page.ts'
import { type Disk, memoryDisk } from '../../../src/event-hub/poller/disk.ts'
import { PollerMemory } from '../../../src/event-hub/poller/memory.ts'
import { Poller, type PollerParts } from '../../../src/event-hub/poller/poller.ts'
import { eventFile, keyOf } from '../../../src/event-hub/poller/sink.ts'
import type { EventWindow } from '../../../src/event-hub/window.ts'
import { HttpFailure } from '../../../src/http/failures.ts'
import { type DiskChange, Killed, killableDisk } from './killable-disk.ts'
import type { Scenario, Trouble } from './scenario.ts'

export const lagMs = 60_000
const intervalMs = 5 * 60_000
const zone = 'Europe/Helsinki'
const paths = { checkpoint: 'checkpoint', events: 'events' } as const
const feed = { hub: 'https://api.invalid', client: 'partner', zone } as const
const partner = { id: 'partner', secret: 'partner-secret', eventHub: true }

/** Replaces parts of the poller, to test that the simulation detects it. */
export interface Mutation {
  readonly parts?: (parts: PollerParts, simulation: Simulation) => Partial<PollerParts>
  readonly disk?: DiskChange
}

/** A hub, a disk, a clock, and processes that poll until they are killed, all in virtual time. */
export class Simulation {
  readonly #scenario: Scenario
  readonly #mutation: Mutation
  readonly #hub: Hub
  readonly #disk: Disk = memoryDisk()
  readonly #local = wallClock(zone)
  readonly #begin: LocalDateTime
  /** All events that searches have found or can find. */
  readonly #events: StoredEvent[] = []
  readonly #due: { at: number; event: StoredEvent }[]
  readonly #sent = new Set<string>()
  #now: number
  #requests = 0
  #inserted = 0
  #step = 0
  /** Steps of the longest-lived process. */
  steps = 0
  #kill: Scenario['kills'][number] | undefined
  /** No request may be sent before this time. */
  #notBefore = 0
  #frozen: EventWindow | undefined

  constructor(scenario: Scenario, mutation: Mutation = {}) {
    this.#scenario = scenario
    this.#mutation = mutation
    this.#now = scenario.start
    const behaviour = lawfulHub()
    if (scenario.hub === 'newest first') behaviour.order = (found) => found.toReversed()
    if (scenario.hub === 'twice') behaviour.order = (found) => found.flatMap((event) => [event, event])
    if (scenario.hub === 'small pages') behaviour.parsePageSize = (text) => Math.min(Number(text), 2)
    if (scenario.hub === 'inclusive to') behaviour.effectiveRange = ({ from, to }) => ({ from, to: to + 1 })
    this.#hub = createHub(behaviour, [partner], [])
    for (const [index, ago] of scenario.past.entries())
      this.#publish(eventOf(`past-${index}`, this.#local(scenario.start - lagMs - ago)))
    this.#due = scenario.live
      .map(({ after, stored }, index) => ({
        at: scenario.start + after + stored,
        event: eventOf(`live-${index}`, this.#local(scenario.start + after)),
      }))
      .sort((one, other) => one.at - other.at)
    const furthest = Math.max(0, ...scenario.past) + 1000
    this.#begin = passedTime(zone, scenario.start - lagMs - furthest)
  }

  /** The hub's local time up to which a poller searches now. */
  until(lag = lagMs): LocalDateTime {
    return passedTime(zone, this.#now - lag)
  }

  get zone(): string {
    return zone
  }

  get now(): number {
    return this.#now
  }

  /**
   * Lets processes poll until they are killed, and then one process without failures. Compares the delivered events
   * with those of the hub.
   */
  async run(): Promise<void> {
    for (const kill of [...this.#scenario.kills, undefined]) {
      this.#kill = kill
      try {
        await this.#process(this.#scenario.polls)
      } catch (error) {
        if (!(error instanceof Killed)) throw error
        // The process is restarted after a while.
        this.#now += 1000
      }
    }
    this.#kill = undefined
    this.#requests = Number.POSITIVE_INFINITY
    const last = Math.max(this.#now, ...this.#due.map(({ at }) => at))
    // After the end of an hour that a clock change may repeat.
    this.#now = last + lagMs + 2 * 3_600_000
    await this.#process(1)
    await this.#compare(Number.POSITIVE_INFINITY)
  }

  /** Runs a poller process until it is killed, or has polled this number of times. */
  async #process(polls: number): Promise<void> {
    this.#step = 0
    this.#notBefore = 0
    this.#frozen = undefined
    const disk = killableDisk(
      this.#disk,
      () => this.#passStep(),
      () => this.#kill?.share ?? 0,
      this.#mutation.disk,
    )
    const memory = await PollerMemory.open(disk, paths.checkpoint, feed, () => this.#begin)
    const parts: PollerParts = {
      memory: {
        get checkpoint() {
          return memory.checkpoint
        },
        get position() {
          return memory.position
        },
        knows: (key) => memory.knows(key),
        remember: (keys, position) => memory.remember(keys, position),
        advance: async (to) => {
          await memory.advance(to)
          await this.#advanced(to)
        },
      },
      sink: eventFile(disk, paths.events),
      source: async (window, page) => this.#answer(window, page),
      clock: {
        sleep: async (milliseconds) => {
          this.#passStep()
          this.#now += milliseconds
        },
      },
      until: () => this.until(),
      random: () => 0.5,
    }
    const poller = await Poller.resume({ ...parts, ...this.#mutation.parts?.(parts, this) })
    for (let poll = 0; poll < polls; poll += 1) {
      await poller.catchUp()
      this.#now += intervalMs
    }
  }

  /** A step of a process, at which it may be killed. */
  #passStep(): void {
    this.#step += 1
    this.steps = Math.max(this.steps, this.#step)
    if (this.#step > 20_000) throw new Error('the poller does not come to an end')
    if (this.#kill && this.#step >= this.#kill.step) throw new Killed()
  }

  #publish(event: StoredEvent): void {
    this.#events.push(event)
    this.#hub.publish(event)
  }

  #answer(window: EventWindow, page: number): EventPage {
    this.#passStep()
    if (this.#now < this.#notBefore) throw new Error(`a request ${this.#notBefore - this.#now} ms too early`)
    if (millisecondsBetween(window.from, window.to) > 24 * 3_600_000) throw new Error('more than 24 hours')
    if (this.#frozen && !this.#frozen.to.equals(window.to)) throw new Error('to changed within a batch')
    this.#frozen = window
    this.#sent.add(formatLocal(window.to))
    this.#now += 20
    while (this.#due[0] && this.#due[0].at <= this.#now)
      this.#publish(this.#due.shift()?.event as StoredEvent)
    const trouble = this.#scenario.troubles[this.#requests] ?? 'none'
    this.#requests += 1
    const answered = this.#troubled(trouble, window) ?? this.#search(window, page)
    this.#passStep()
    if (answered instanceof HttpFailure) {
      this.#notBefore = this.#now + (answered.retryAfterMs || 500)
      throw answered
    }
    // After the last page either the checkpoint moves, or the window is read again, but not at once.
    if (!hasMore(answered)) this.#notBefore = this.#now + 500
    return trouble === 'short page' ? { ...answered, events: answered.events.slice(1) } : answered
  }

  #troubled(trouble: Trouble, { from, to }: EventWindow): HttpFailure | undefined {
    if (trouble === 'unavailable') return new HttpFailure('unavailable', 'answered 503')
    if (trouble === 'reset') return new HttpFailure('unreachable', 'the connection broke')
    if (trouble === 'no page') return new HttpFailure('unavailable', 'answered 200 with a page of a proxy')
    if (typeof trouble === 'object')
      return new HttpFailure('throttled', 'answered 429', { retryAfterMs: trouble.retryAfterMs })
    if (trouble === 'insert') {
      const middle = from.add({ milliseconds: Math.floor(millisecondsBetween(from, to) / 2) })
      this.#inserted += 1
      this.#publish(eventOf(`late-${this.#inserted}`, millisecondsOf(middle)))
    }
    const [earliest] = this.#events
    if (trouble === 'repeat' && earliest) this.#hub.publish(earliest)
    return undefined
  }

  #search({ from, to }: EventWindow, page: number): EventPage {
    const { pageSize } = this.#scenario
    const query = { from: formatLocal(from), to: formatLocal(to), page: `${page}`, pageSize: `${pageSize}` }
    const request: HttpRequest = {
      at: this.#now,
      method: 'GET',
      path: '/events/search',
      query: new URLSearchParams(query),
      headers: { 'x-client-id': partner.id, 'x-client-secret': partner.secret },
      address: '127.0.0.1',
    }
    const { status, body } = this.#hub.handle(request, '/events/search')
    if (status !== 200) throw new Error(`the response to a search was ${status}`)
    return readPage(JSON.parse(JSON.stringify(body)), { page, pageSize }) as EventPage
  }

  /** Checks that the checkpoint is the `to` of a search, and that all events before it are delivered. */
  async #advanced(to: LocalDateTime): Promise<void> {
    this.#frozen = undefined
    this.#notBefore = 0
    if (!this.#sent.has(formatLocal(to))) throw new Error('the checkpoint is not the to of a search')
    await this.#compare(millisecondsOf(to))
  }

  /** Compares the file of events with the events of the hub before a local time. */
  async #compare(before: number): Promise<void> {
    const lines = ((await this.#disk.read(paths.events)) ?? '').split('\n').slice(0, -1)
    const keys = lines.map((line) => keyOf(JSON.parse(line)))
    const held = new Set(keys)
    if (held.size !== keys.length) throw new Error('delivered twice')
    const begin = millisecondsOf(this.#begin)
    const lost = this.#events.filter(({ id, local }) => local >= begin && local < before && !held.has(id))
    if (lost.length > 0) throw new Error(`lost: ${lost.map(({ id }) => id)}`)
  }
}

function eventOf(id: string, local: number): StoredEvent {
  return { id, local, type: 'ClaimValuesChanged', version: '1', payload: { changedClaims: ['email'] } }
}

function millisecondsOf(time: LocalDateTime): number {
  return Date.parse(`${formatLocal(time)}Z`)
}

/** Wall-clock time of an event. */
export function timeOf(timestamp: unknown): LocalDateTime {
  return parseLocal(String(timestamp))?.at as LocalDateTime
}
