import type { Request } from 'playwright'
import type { Budget } from '../http/budget.ts'
import { endpointOf } from '../http/endpoint-circuit.ts'
import { HttpFailure } from '../http/failures.ts'
import type { Redirect } from './landing.ts'

/** The response that the page came from. */
interface DocumentResponse {
  readonly method: string
  readonly url: string
  readonly status: number
  readonly mediaType: string
  /** The browser came here by a redirect. */
  readonly redirected: boolean
  /** Nothing on it can be answered, and the browser does not show it. */
  readonly isEnd: boolean
  /** When a Refresh header lets the page go on, in milliseconds; 0 where there is none. */
  readonly refreshMs: number
}

/** What the traffic of a journey ended with, before anything was recognised on a page. */
export type TrafficEnd =
  | { readonly redirect: Omit<Redirect, 'kind' | 'interactive'> }
  | { readonly failure: Error }

/** A request that the target throttles is repeated so often. */
const mostRepeats = 3

/** So many refused requests of one journey are recorded, and after so many its page is given up. */
const [mostRecorded, mostRefused] = [100, 300]

/** Types of requests that may stay open for as long as a page is shown, or that no page waits for. */
const unawaited: ReadonlySet<string> = new Set(['eventsource', 'websocket', 'ping', 'media'])

/** What one journey sends and receives: the requests that began in it, and the redirects that they lead to. */
export class JourneyTraffic {
  /** Requests without a response yet, and when each was sent. */
  readonly #pending = new Map<Request, number>()
  /** Hosts that a page requested against the policy. */
  readonly refusedHosts = new Set<string>()
  /** The target throttled a request of this journey. */
  throttled = false
  /** The last document that the target returned; undefined while the first one is requested. */
  document: DocumentResponse | undefined
  /** Whether that document was seen to have no scripts, so that it stays as it is. */
  isStatic = false
  readonly #budget: Budget
  readonly #end = Promise.withResolvers<TrafficEnd>()
  readonly #beganAt = performance.now()
  /** Navigation of the agent itself, which the budget has let through already. */
  #opened = ''
  #passed: string | undefined
  /** That navigation, redirects included, once it is requested. */
  #navigation: { readonly networkId: string | undefined } | undefined
  /** A document of this journey was returned: pages navigate by themselves from then on. */
  #hasPage = false
  #activeAt = performance.now()
  /** Addresses that were answered since the last progress by an act of the user. */
  readonly #answered = new Set<string>()
  /** How often requests were repeated. */
  readonly #repeats = new Map<string, number>()
  #refused = 0
  #answeredAt = 0
  #actedAt = 0
  #progress = { at: performance.now(), excusedMs: 0 }
  #excuses = 0
  #excusedMs = 0
  #excusedSince = 0

  constructor(budget: Budget) {
    this.#budget = budget
  }

  /** Settles when the browser is sent out of the target, or a request fails. */
  get end(): Promise<TrafficEnd> {
    return this.#end.promise
  }

  finish(end: TrafficEnd): void {
    this.#end.resolve(end)
  }

  /** Waits until the budget lets one navigation of the agent itself through. @throws {HttpFailure} */
  async pass(url: string): Promise<void> {
    const address = new URL(url)
    this.#budget.circuit.require(endpointOf({ method: 'GET', url: address }))
    await this.excuse(() => this.#budget.admit(address))
    this.#passed = normal(url)
    this.#opened = normal(url)
    this.#navigation = undefined
    this.acted()
  }

  /** Waits until the budget lets a request through; a document that the agent itself opens has passed it already. */
  async admit(url: string, hosts: readonly string[]): Promise<void> {
    if (this.#passed === normal(url)) {
      this.#passed = undefined
      return
    }
    await this.excuse(() => this.#budget.admit(new URL(url), hosts))
  }

  /** Counts a request that is not sent, and ends the journey of a page that goes on and on. */
  refused(): void {
    this.#refused += 1
    if (this.#refused !== mostRefused) return
    const reason = `a page of the target requested ${mostRefused} addresses that it may not`
    this.finish({ failure: new HttpFailure('unavailable', reason) })
  }

  /** Whether requests that are not sent are recorded, as the first of them are. */
  get recordsRefused(): boolean {
    return this.#refused <= mostRecorded
  }

  /** Whether a request that the target throttled is repeated. */
  repeats(networkId: string): boolean {
    const times = this.#repeats.get(networkId) ?? 0
    this.#repeats.set(networkId, times + 1)
    return times < mostRepeats
  }

  /** Whether a document that the page is about to request is part of this journey. */
  ownsDocument(networkId: string | undefined, url: string): boolean {
    if (this.#hasPage) return true
    if (this.opened(url)) this.#navigation ??= { networkId }
    return this.#navigation !== undefined && this.#navigation.networkId === networkId
  }

  /** Whether a navigation that begins with a URL is part of this journey. */
  ownsNavigation(url: string): boolean {
    return this.#hasPage || this.opened(url)
  }

  /** Whether it is the agent's own request. */
  opened(url: string): boolean {
    return normal(url) === this.#opened
  }

  sent(request: Request): void {
    this.#pending.set(request, performance.now())
    this.active()
  }

  /** Notes a response, which is progress where its address was not answered since the last act. */
  responded(request: Request): void {
    this.active()
    this.#answeredAt = performance.now()
    const address = `${request.method()} ${request.url().split(/[?#]/, 1)[0]}`
    if (this.#answered.has(address)) return
    this.#answered.add(address)
    this.#progressed()
  }

  done(request: Request): void {
    this.#pending.delete(request)
    this.active()
  }

  showed(document: DocumentResponse): void {
    this.document = document
    this.isStatic = document.isEnd
    this.#hasPage = true
  }

  /** Notes that the page requests something or is about to. */
  active(): void {
    this.#activeAt = performance.now()
  }

  /** Notes that something was typed or pressed, after which the target has its time anew. */
  acted(): void {
    this.#answered.clear()
    this.#actedAt = performance.now()
    this.#progressed()
  }

  /** Whether the target has answered anything since the last act. */
  get hasReacted(): boolean {
    return this.#answeredAt > this.#actedAt
  }

  /** Requests without a response yet. */
  get pending(): readonly Request[] {
    return [...this.#pending.keys()]
  }

  /** How long no request that a page may wait for has been under way, in milliseconds; 0 while one is. */
  get idleMs(): number {
    // What was asked for before the last act, and is open still, waits for something else than its answer.
    const isAwaited = ([request, sentAt]: [Request, number]) =>
      !unawaited.has(request.resourceType()) && (sentAt >= this.#actedAt || request.isNavigationRequest())
    return [...this.#pending].some(isAwaited) ? 0 : Math.max(0.1, performance.now() - this.#activeAt)
  }

  /** Whether the page, left alone, could still request something or go elsewhere. */
  get mayGoOn(): boolean {
    return this.#pending.size > 0 || (this.#hasPage && !this.isStatic)
  }

  /** Does something whose time is not the target's: waits for the budget, or for a one-time password. */
  async excuse<T>(work: () => Promise<T>): Promise<T> {
    if (this.#excuses === 0) this.#excusedSince = performance.now()
    this.#excuses += 1
    try {
      return await work()
    } finally {
      this.#excuses -= 1
      if (this.#excuses === 0) this.#excusedMs += performance.now() - this.#excusedSince
    }
  }

  /** Milliseconds that the target has taken since the last progress, and since the journey began. */
  get spent(): { readonly sinceProgressMs: number; readonly inAllMs: number } {
    const now = performance.now()
    const excusedMs = this.#excused(now)
    return {
      sinceProgressMs: now - this.#progress.at - (excusedMs - this.#progress.excusedMs),
      inAllMs: now - this.#beganAt - excusedMs,
    }
  }

  #excused(now: number): number {
    return this.#excusedMs + (this.#excuses === 0 ? 0 : now - this.#excusedSince)
  }

  #progressed(): void {
    const at = performance.now()
    this.#progress = { at, excusedMs: this.#excused(at) }
  }
}

/** An address without its fragment, in one form where browsers and libraries encode it differently. */
function normal(url: string): string {
  const { origin, pathname, searchParams } = new URL(url)
  return `${origin}${pathname}?${searchParams}`
}
