import type { Exchange } from '../evidence/exchange.ts'
import type { HttpResponse } from '../http/response.ts'
import type { IdentityProvider } from '../oauth/identity-provider.ts'
import type { Target } from '../target/target.ts'
import { AuthorizationSteps } from './authorization-steps.ts'
import { ClaimSteps } from './claim-steps.ts'
import { DiscoverySteps } from './discovery-steps.ts'
import { PartnerCredentialSteps } from './events/credential-steps.ts'
import { EventReadingSteps } from './events/reading-steps.ts'
import { EventRereadingSteps } from './events/rereading-steps.ts'
import { EventSearchSteps } from './events/search-steps.ts'
import { Expect } from './expect.ts'
import { ResourceSteps } from './resource-steps.ts'
import type { Note, Observation } from './result.ts'
import type { RunContext } from './run-context.ts'
import { TokenProbes } from './token-probes.ts'
import { TokenSteps } from './token-steps.ts'
import { Inconclusive, type InconclusiveOptions, NotApplicable } from './verdict.ts'
import { AttemptSteps } from './webhooks/attempt-steps.ts'
import { DeliverySteps } from './webhooks/delivery-steps.ts'
import { SubscriptionRefusalSteps } from './webhooks/refusal-steps.ts'
import { SubscriptionSteps } from './webhooks/subscription-steps.ts'

/**
 * What a check is written with. One is made for each check; what is shared lives in the world.
 * Its functions are properties, so that checks can take apart what they need.
 */
export class CheckContext {
  readonly target: Target
  readonly expect: Expect
  /** Requests to the identity provider without a browser, one by one. */
  readonly provider: IdentityProvider
  readonly discovery: DiscoverySteps
  readonly authorization: AuthorizationSteps
  readonly tokens: TokenSteps
  /** Steps with user-info and introspection. */
  readonly resources: ResourceSteps
  /** Requests with codes and tokens that several checks look at. */
  readonly probes: TokenProbes
  /** Single searches of the Event Hub. */
  readonly events: EventSearchSteps
  /** Searches with credentials that lack something. */
  readonly credentials: PartnerCredentialSteps
  /** What the Event Hub holds. */
  readonly readings: EventReadingSteps
  /** The same, read in other ways. */
  readonly rereadings: EventRereadingSteps
  /** Steps with a claim of the test user. */
  readonly claims: ClaimSteps
  /** Management of webhook subscriptions (planned). */
  readonly subscriptions: SubscriptionSteps
  /** Requests to that management which have to be refused. */
  readonly refusals: SubscriptionRefusalSteps
  /** Deliveries to webhooks (planned). */
  readonly deliveries: DeliverySteps
  /** Further attempts of deliveries that failed. */
  readonly attempts: AttemptSteps
  /** Makes something that several checks look at once a run, under a name. */
  readonly once: <T>(name: string, make: () => Promise<T>) => Promise<T>
  /** Target's clock minus ours, in milliseconds. */
  readonly clockOffsetMs: () => number | undefined
  /** What chance is made of in this run. */
  readonly seed: number
  /** Every 429 so far, but for those of the browser. */
  readonly throttledAnswers: readonly HttpResponse[]
  readonly notes: Note[] = []
  readonly observations: Observation[] = []
  /** Exchanges this check rests on, shared ones included. */
  readonly evidence: Exchange[] = []
  readonly basisCounts: Record<string, number> = {}
  readonly #requirement: string
  readonly #closers: (() => Promise<void>)[] = []

  constructor(run: RunContext, requirement: string) {
    this.#requirement = requirement
    this.target = run.target
    this.expect = new Expect((text) => this.note(text))
    this.throttledAnswers = run.http.throttledAnswers
    this.seed = run.seed
    this.clockOffsetMs = () => run.http.clockOffsetMs
    this.once = (name, make) => run.shared(name, make)
    this.provider = run.provider
    this.discovery = new DiscoverySteps(run)
    this.authorization = new AuthorizationSteps(run, this)
    this.tokens = new TokenSteps(run, this.authorization)
    this.resources = new ResourceSteps(run, this.tokens)
    this.probes = new TokenProbes(run, this)
    this.events = new EventSearchSteps(run, this)
    this.credentials = new PartnerCredentialSteps(run, this.events)
    this.readings = new EventReadingSteps(run, this, this.events)
    this.rereadings = new EventRereadingSteps(run, this.readings)
    this.claims = new ClaimSteps(run, this)
    this.subscriptions = new SubscriptionSteps(run)
    this.refusals = new SubscriptionRefusalSteps(run, this)
    this.deliveries = new DeliverySteps(run, this)
    this.attempts = new AttemptSteps(run, this)
  }

  /** Records behaviour the specification is silent about; compared between runs, never judged. */
  readonly observe = (key: string, value: Observation['value']): void => {
    this.observations.push({ key, value, requirement: this.#requirement })
  }

  /** A graded finding that changes no verdict. The same text is kept once. */
  readonly note = (text: string): void => {
    if (!this.notes.some((note) => note.text === text)) this.notes.push({ text })
  }

  /** How much data the verdict rests on. */
  readonly basis = (counts: Readonly<Record<string, number>>): void => {
    Object.assign(this.basisCounts, counts)
  }

  /**
   * States the least data the check needs.
   * @throws {Inconclusive} where there is less
   */
  readonly needs = (count: number, least: number, what: string, options: InconclusiveOptions = {}): void => {
    if (count < least) {
      throw new Inconclusive(`needs at least ${least} ${what}, but there were ${count}`, options)
    }
  }

  readonly inconclusive = (reason: string, options?: InconclusiveOptions): never => {
    throw new Inconclusive(reason, options)
  }

  readonly notApplicable = (
    reason: string,
    cause?: ConstructorParameters<typeof NotApplicable>[1],
  ): never => {
    throw new NotApplicable(reason, cause)
  }

  /** Runs when the check ends. What cannot be closed any more changes nothing about what was found. */
  onClose(close: () => Promise<void>): void {
    this.#closers.unshift(close)
  }

  async close(): Promise<void> {
    for (const close of this.#closers) await close().catch(() => undefined)
  }
}
