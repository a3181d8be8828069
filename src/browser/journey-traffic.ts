import type { Page, Request } from 'playwright'
import type { Budget } from '../http/budget.ts'
import { endpointOf } from '../http/endpoint-circuit.ts'
import { HttpFailure } from '../http/failures.ts'
import type { Redirect } from './landing.ts'
import type { DirectResponse } from './protocol.ts'
import type { LoginRecipe } from './recipe.ts'

export interface DocumentResponse {
  readonly method: string
  readonly url: string
  readonly status: number
  readonly mediaType: string
  /** Statuses of the redirects to this document. */
  readonly redirects: readonly number[]
  /** Whether the journey ends with this document: it has no controls, so the browser need not render it. */
  readonly isEnd: boolean
  /** The delay of a Refresh header in milliseconds; 0 without it. */
  readonly refreshMs: number
}

export type TrafficEnd =
  | { readonly redirect: Omit<Redirect, 'kind' | 'interactive'> }
  | { readonly failure: Error }

/** Maximum number of retries of one request after responses that throttle or have status 503. */
const maxRetries = 3

/** The first 100 refused requests of a journey are recorded. The journey ends at the 300th. */
const [maxRecorded, maxRefused] = [100, 300]

/** Types of requests that no page waits for, or that stay open as long as the page. */
const unawaited: ReadonlySet<string> = new Set(['eventsource', 'websocket', 'ping', 'media'])

/** The requests that began in one journey, with their redirects. */
export class JourneyTraffic {
  /** Requests without a response, with the time of sending. */
  readonly #pending = new Map<Request, number>()
  readonly refusedHosts = new Set<string>()
  throttled = false
  /** The last document that the target returned; undefined before the first. */
  document: DocumentResponse | undefined
  /** Whether `document` has no scripts, so that it cannot change. */
  isStatic = false
  /** The response to the navigation of the user agent, if the request was sent without the page. */
  direct: DirectResponse | undefined
  /** Name of the pages in reasons, such as `the login pages`. */
  readonly pages: string
  readonly clock = new JourneyClock()
  readonly #budget: Budget
  readonly #end = Promise.withResolvers<TrafficEnd>()
  /** Address of the navigation of the user agent, which Plumbline itself began. Pages begin every other navigation. */
  #agentAddress = ''
  /** Address of an admitted navigation, until the browser sends the request. */
  #admittedAddress: string | undefined
  /** The request of the navigation of the user agent, with its redirects; undefined until the browser sends it. */
  #agentNavigation: { readonly networkId: string | undefined } | undefined
  /** Whether the target has returned a document. From then on, pages may navigate by themselves. */
  #hasPage = false
  #activeAt = performance.now()
  readonly #respondedAddresses = new Set<string>()
  readonly #retries = new Map<string, number>()
  #refusedCount = 0
  #respondedAt = 0
  #actedAt = 0

  constructor(budget: Budget, pages: string) {
    this.#budget = budget
    this.pages = pages
  }

  /** Settles when the target sends the browser to an address outside the target, or when the journey fails. */
  get end(): Promise<TrafficEnd> {
    return this.#end.promise
  }

  finish(end: TrafficEnd): void {
    this.#end.resolve(end)
  }

  /** Waits until the budget admits a navigation of the user agent. @throws {HttpFailure} */
  async admitNavigation(url: string): Promise<void> {
    const address = new URL(url)
    this.#budget.circuit.requireNotSuspended(endpointOf({ method: 'GET', url: address }))
    await this.clock.excuse(() => this.#budget.admit(address))
    this.#admittedAddress = normalised(url)
    this.#agentAddress = normalised(url)
    this.#agentNavigation = undefined
    this.noteAct()
  }

  /** Waits until the budget admits a request, unless `admitNavigation` has already admitted the request. */
  async admit(url: string, hosts: readonly string[]): Promise<void> {
    if (this.#admittedAddress === normalised(url)) {
      this.#admittedAddress = undefined
      return
    }
    await this.clock.excuse(() => this.#budget.admit(new URL(url), hosts))
  }

  /** Takes the response to a request that was already sent without the page; undefined for other requests. */
  takeDirect(url: string): DirectResponse | undefined {
    if (!this.isAgentNavigation(url)) return undefined
    const { direct } = this
    this.direct = undefined
    return direct
  }

  /** Counts a refused request, and ends the journey at the 300th. */
  noteRefused(): void {
    this.#refusedCount += 1
    if (this.#refusedCount !== maxRefused) return
    const reason = `a page of the target requested ${maxRefused} addresses that it may not request`
    this.finish({ failure: new HttpFailure('unavailable', reason) })
  }

  /** Whether a further refused request is recorded. */
  get recordsRefused(): boolean {
    return this.#refusedCount <= maxRecorded
  }

  timesRetried(networkId: string | undefined): number {
    return this.#retries.get(networkId ?? '') ?? 0
  }

  /** Counts another retry of a request. @returns whether the retry is permitted */
  takeRetry(networkId: string): boolean {
    const times = this.timesRetried(networkId)
    this.#retries.set(networkId, times + 1)
    return times < maxRetries
  }

  /**
   * Whether the request for a document belongs to this journey. Before the first document, only the navigation of the
   * user agent does, with its redirects, which have the same `networkId`.
   */
  includesDocument(networkId: string | undefined, url: string): boolean {
    if (this.#hasPage) return true
    if (this.isAgentNavigation(url)) this.#agentNavigation ??= { networkId }
    return this.#agentNavigation !== undefined && this.#agentNavigation.networkId === networkId
  }

  /** Like `includesDocument`, for a navigation without an earlier redirect. */
  includesNavigation(url: string): boolean {
    return this.#hasPage || this.isAgentNavigation(url)
  }

  /** Whether a URL is that of the navigation of the user agent. */
  isAgentNavigation(url: string): boolean {
    return normalised(url) === this.#agentAddress
  }

  noteSent(request: Request): void {
    this.#pending.set(request, performance.now())
    this.noteActivity()
  }

  /** Records a response. The first response of each address after an act of the user is progress. */
  noteResponse(request: Request): void {
    this.noteActivity()
    this.#respondedAt = performance.now()
    const address = `${request.method()} ${request.url().split(/[?#]/, 1)[0]}`
    if (this.#respondedAddresses.has(address)) return
    this.#respondedAddresses.add(address)
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

  /** Records that the page sends a request, or is about to send one. */
  noteActivity(): void {
    this.#activeAt = performance.now()
  }

  /** Records that the user acted, which restarts the target's time limit. */
  noteAct(): void {
    this.#respondedAddresses.clear()
    this.#actedAt = performance.now()
    this.clock.noteProgress()
  }

  /** Whether the target has responded since the last act. */
  get hasReacted(): boolean {
    return this.#respondedAt > this.#actedAt
  }

  get pending(): readonly Request[] {
    return [...this.#pending.keys()]
  }

  /** Milliseconds since the last activity, at least 0.1; 0 while the page may wait for a response. */
  get idleMs(): number {
    // A request that was open before the user acted, such as long polling, does not count.
    const isAwaited = ([request, sentAt]: [Request, number]) =>
      !unawaited.has(request.resourceType()) && (sentAt >= this.#actedAt || request.isNavigationRequest())
    return [...this.#pending].some(isAwaited) ? 0 : Math.max(0.1, performance.now() - this.#activeAt)
  }

  /** Whether the page may still send requests. */
  get mayContinue(): boolean {
    return this.#pending.size > 0 || (this.#hasPage && !this.isStatic)
  }
}

/** An address without its fragment, in a uniform encoding. */
function normalised(url: string): string {
  const { origin, pathname, searchParams } = new URL(url)
  return `${origin}${pathname}?${searchParams}`
}

/** The time that the target has used in one journey. */
class JourneyClock {
  readonly #beganAt = performance.now()
  /** `totalMs` at the last progress. */
  #progressMs = 0
  /** Number of excused waits that are under way, and the time when the first of them began. */
  #excuses = 0
  #excusedSince = 0
  #excusedMs = 0

  /** Records progress by the target or the user: the time limit for a response starts again. */
  noteProgress(): void {
    this.#progressMs = this.totalMs
  }

  /** Runs work whose time does not count: a wait for the budget or for a one-time password. */
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

  /** Time of the target since the last progress, in milliseconds. */
  get sinceProgressMs(): number {
    return this.totalMs - this.#progressMs
  }

  /** Time of the target since the journey began, in milliseconds. */
  get totalMs(): number {
    const until = this.#excuses === 0 ? performance.now() : this.#excusedSince
    return until - this.#beganAt - this.#excusedMs
  }
}

/** The window of a user agent during one journey. */
export interface JourneyWindow {
  readonly page: Page
  readonly traffic: JourneyTraffic
  /** Sends a navigation without the page if possible. @returns whether the response ended the journey */
  readonly tryWithoutPage: (url: string) => Promise<boolean>
  readonly budget: Budget
  readonly recipe: LoginRecipe | undefined
  /** Time limit for each response of the target, in milliseconds. */
  readonly timeoutMs: number
  /** Aborts when the journey ends, so that no work continues in the next journey. */
  readonly signal: AbortSignal
}
