import type { Page, Request } from 'playwright'
import type { Budget } from '../http/budget.ts'
import { endpointOf } from '../http/endpoint-circuit.ts'
import { HttpFailure } from '../http/failures.ts'
import type { Redirect } from './landing.ts'
import type { DirectResponse } from './protocol.ts'
import type { LoginRecipe } from './recipe.ts'

/** The response with the page's document. */
export interface DocumentResponse {
  readonly method: string
  readonly url: string
  readonly status: number
  readonly mediaType: string
  /** Statuses of the redirects to it. */
  readonly redirects: readonly number[]
  /** Whether it has no controls, so that the browser does not show it. */
  readonly isEnd: boolean
  /** The delay of a Refresh header in milliseconds; 0 without it. */
  readonly refreshMs: number
}

/** How the traffic of a journey ended. */
export type TrafficEnd =
  | { readonly redirect: Omit<Redirect, 'kind' | 'interactive'> }
  | { readonly failure: Error }

/** Maximum retries of a throttled request. */
const maxRetries = 3

/** Number of refused requests of a journey that are recorded, and number after which the journey ends. */
const [maxRecorded, maxRefused] = [100, 300]

/** Types of requests that may stay open as long as the page, or for which no page waits. */
const unawaited: ReadonlySet<string> = new Set(['eventsource', 'websocket', 'ping', 'media'])

/** The traffic of one journey: the requests that began in it, with their redirects. */
export class JourneyTraffic {
  /** Requests without a response, with the time when each was sent. */
  readonly #pending = new Map<Request, number>()
  /** Hosts to which the policy refused requests. */
  readonly refusedHosts = new Set<string>()
  /** Whether the target throttled a request of this journey. */
  throttled = false
  /** The last document that the target returned; undefined before the first. */
  document: DocumentResponse | undefined
  /** Whether that document has no scripts, so that it cannot change. */
  isStatic = false
  /** The response to the navigation of the user agent, if it was sent without the page. */
  direct: DirectResponse | undefined
  /** What its pages are called in reasons. */
  readonly pages: string
  readonly clock = new JourneyClock()
  readonly #budget: Budget
  readonly #end = Promise.withResolvers<TrafficEnd>()
  /** Address of the navigation of the user agent. */
  #opened = ''
  /** Address of a navigation that the budget has admitted, until its request leaves. */
  #admitted: string | undefined
  /** That navigation, including its redirects; undefined until it is requested. */
  #navigation: { readonly networkId: string | undefined } | undefined
  /** Whether a document was returned: from then on, pages navigate by themselves. */
  #hasPage = false
  #activeAt = performance.now()
  /** Addresses with a response since the user last acted. */
  readonly #responding = new Set<string>()
  /** Retries by request. */
  readonly #retries = new Map<string, number>()
  #refused = 0
  #respondedAt = 0
  #actedAt = 0

  constructor(budget: Budget, pages: string) {
    this.#budget = budget
    this.pages = pages
  }

  /** Settles when the target sends the browser elsewhere, or when a request fails. */
  get end(): Promise<TrafficEnd> {
    return this.#end.promise
  }

  finish(end: TrafficEnd): void {
    this.#end.resolve(end)
  }

  /** Waits until the budget admits a navigation of the agent itself. @throws {HttpFailure} */
  async admitNavigation(url: string): Promise<void> {
    const address = new URL(url)
    this.#budget.circuit.requireNotSuspended(endpointOf({ method: 'GET', url: address }))
    await this.clock.excuse(() => this.#budget.admit(address))
    this.#admitted = normal(url)
    this.#opened = normal(url)
    this.#navigation = undefined
    this.noteAct()
  }

  /** Waits until the budget admits a request; the navigation of the user agent is already admitted. */
  async admit(url: string, hosts: readonly string[]): Promise<void> {
    if (this.#admitted === normal(url)) {
      this.#admitted = undefined
      return
    }
    await this.clock.excuse(() => this.#budget.admit(new URL(url), hosts))
  }

  /** The response to a request of the page that was sent without the page; returned only once. */
  takeDirect(url: string): DirectResponse | undefined {
    if (!this.isAgentNavigation(url)) return undefined
    const { direct } = this
    this.direct = undefined
    return direct
  }

  /** Counts a refused request, and ends the journey after too many. */
  noteRefused(): void {
    this.#refused += 1
    if (this.#refused !== maxRefused) return
    const reason = `a page of the target requested ${maxRefused} addresses that it may not request`
    this.finish({ failure: new HttpFailure('unavailable', reason) })
  }

  /** Whether refused requests are still recorded. */
  get recordsRefused(): boolean {
    return this.#refused <= maxRecorded
  }

  /** How often a throttled request was retried. */
  timesRetried(networkId: string | undefined): number {
    return this.#retries.get(networkId ?? '') ?? 0
  }

  /** Counts another retry of a throttled request. @returns whether it is permitted */
  takeRetry(networkId: string): boolean {
    const times = this.timesRetried(networkId)
    this.#retries.set(networkId, times + 1)
    return times < maxRetries
  }

  /** Whether a request for a document is part of this journey. */
  includesDocument(networkId: string | undefined, url: string): boolean {
    if (this.#hasPage) return true
    if (this.isAgentNavigation(url)) this.#navigation ??= { networkId }
    return this.#navigation !== undefined && this.#navigation.networkId === networkId
  }

  /** Whether a navigation to a URL is part of this journey. */
  includesNavigation(url: string): boolean {
    return this.#hasPage || this.isAgentNavigation(url)
  }

  /** Whether it is the navigation of the user agent. */
  isAgentNavigation(url: string): boolean {
    return normal(url) === this.#opened
  }

  noteSent(request: Request): void {
    this.#pending.set(request, performance.now())
    this.noteActivity()
  }

  /** Records a response. The first one of an address since the last act is progress. */
  noteResponse(request: Request): void {
    this.noteActivity()
    this.#respondedAt = performance.now()
    const address = `${request.method()} ${request.url().split(/[?#]/, 1)[0]}`
    if (this.#responding.has(address)) return
    this.#responding.add(address)
    this.clock.noteProgress()
  }

  noteEnd(request: Request): void {
    this.#pending.delete(request)
    this.noteActivity()
  }

  noteDocument(document: DocumentResponse): void {
    this.document = document
    this.isStatic = document.isEnd
    this.#hasPage = true
  }

  /** Records that the page sends a request or is about to. */
  noteActivity(): void {
    this.#activeAt = performance.now()
  }

  /** Records that the user acted, which restarts the target's time limit. */
  noteAct(): void {
    this.#responding.clear()
    this.#actedAt = performance.now()
    this.clock.noteProgress()
  }

  /** Whether the target has responded since the last act. */
  get hasReacted(): boolean {
    return this.#respondedAt > this.#actedAt
  }

  /** Requests without a response. */
  get pending(): readonly Request[] {
    return [...this.#pending.keys()]
  }

  /** Milliseconds since the last request for which a page may wait; 0 while one is under way. */
  get idleMs(): number {
    // A request that was open before the last act waits for something else.
    const isAwaited = ([request, sentAt]: [Request, number]) =>
      !unawaited.has(request.resourceType()) && (sentAt >= this.#actedAt || request.isNavigationRequest())
    return [...this.#pending].some(isAwaited) ? 0 : Math.max(0.1, performance.now() - this.#activeAt)
  }

  /** Whether the page may still send requests or navigate by itself. */
  get mayGoOn(): boolean {
    return this.#pending.size > 0 || (this.#hasPage && !this.isStatic)
  }
}

/** An address without its fragment, in one encoding. */
function normal(url: string): string {
  const { origin, pathname, searchParams } = new URL(url)
  return `${origin}${pathname}?${searchParams}`
}

/** The time that a target has had in one journey. */
class JourneyClock {
  readonly #beganAt = performance.now()
  /** `totalMs` at the last progress. */
  #progressMs = 0
  /** Pieces of work under way that do not count, and when the first of them began. */
  #excuses = 0
  #excusedSince = 0
  /** Milliseconds of finished work that do not count towards the time limit. */
  #excusedMs = 0

  /** Records a step forward, by the target or by the user: the time limit for a response starts again. */
  noteProgress(): void {
    this.#progressMs = this.totalMs
  }

  /** Does work that does not count as the target's time: waits for the budget or for a one-time password. */
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

  /** The target's time since the last progress, in milliseconds. */
  get sinceProgressMs(): number {
    return this.totalMs - this.#progressMs
  }

  /** The target's time since the journey began, in milliseconds. */
  get totalMs(): number {
    const until = this.#excuses === 0 ? performance.now() : this.#excusedSince
    return until - this.#beganAt - this.#excusedMs
  }
}

/** The window of a user agent during one journey. */
export interface JourneyWindow {
  readonly page: Page
  readonly traffic: JourneyTraffic
  /** Sends a navigation without the page if it may need none. @returns whether the response ended the journey */
  readonly tryWithoutPage: (url: string) => Promise<boolean>
  readonly budget: Budget
  readonly recipe: LoginRecipe | undefined
  /** Time limit for each response of the target, in milliseconds. */
  readonly timeoutMs: number
  /** Aborted when the journey ends, so that none of its work continues in the next one. */
  readonly signal: AbortSignal
}
