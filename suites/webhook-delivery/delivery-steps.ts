import { setTimeout as sleep } from 'node:timers/promises'
import type { ClaimChangeMade } from '../../src/check/claim-steps.ts'
import { changeEventOf, isChangeOf } from '../../src/check/events/claim-change.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { unlessUndecided } from '../../src/check/obstacle.ts'
import type { RequirementId } from '../../src/check/requirement.ts'
import { RunSteps } from '../../src/check/run-steps.ts'
import { Inconclusive } from '../../src/check/verdict.ts'
import type { ReceiverName } from '../../src/check/webhooks/receivers.ts'
import { type Arrival, idOf } from '../../src/check/webhooks/registry.ts'
import { type HubEvent, readEvent } from '../../src/event-hub/event.ts'
import { counted } from '../../src/text/format.ts'
import { deliveryHeaders, headerOf } from '../../src/webhook/delivery.ts'
import { NonceStore } from '../../src/webhook/nonce-store.ts'
import { instantOf, isCurrent } from '../../src/webhook/timestamp.ts'
import {
  deliveryRules,
  type Rule,
  type Verification,
  verifyDelivery,
} from '../../src/webhook/verification.ts'
import { deliveredChanges, isAnotherTime, missedIds } from './events-in-hub.ts'
import type { RetryClock } from './retry-clock.ts'
import type { Scenario } from './scenario.ts'

/** Members of an envelope, delivered or returned by the Event Hub. */
export type Members = Readonly<Record<string, unknown>>

/** An event as it was delivered and as the Event Hub returns it. */
export interface HubPair {
  readonly pushed: Members
  readonly found: Members
  /** Milliseconds since the epoch. */
  readonly receivedAt: number
}

/** Requirements on first deliveries to single targets. WEBHOOK-DELIVERY-POST judges all targets. */
const deliveryIds: Readonly<Partial<Record<ReceiverName, RequirementId>>> = {
  'open to all types': 'WEBHOOK-DELIVERY-ALL-TYPES',
  'not found, for two types': 'WEBHOOK-DELIVERY-FILTERS',
  updated: 'WEBHOOK-DELIVERY-UPDATED',
}

/** Requirements that deliveries have a header. */
const headerIds = {
  signature: 'WEBHOOK-HEADER-SIGNATURE',
  timestamp: 'WEBHOOK-HEADER-TIMESTAMP',
  nonce: 'WEBHOOK-HEADER-NONCE',
} as const

/** Additional time for an event to appear in the Event Hub, in milliseconds. */
const reserveMs = 3000

interface Steps extends CheckContext {
  readonly scenario: () => Promise<Scenario>
  readonly clock: RetryClock
}

/** Steps with the deliveries (planned) of one claim change to all targets. */
export class DeliverySteps extends RunSteps<Steps> {
  /**
   * Deliveries of the claim change to one target, without events of other users.
   * @throws {Inconclusive | HttpFailure} if Plumbline could not create the subscription of the target
   */
  async to(name: ReceiverName): Promise<readonly Arrival[]> {
    const { endpoints, obstacles, change, ids } = await this.steps.scenario()
    if (obstacles.has(name)) throw obstacles.get(name)
    const endpoint = endpoints.get(name)
    if (!endpoint)
      throw new Inconclusive(`there is no target ${name}, since the management refused its subscription`, [
        'WEBHOOK-SUBSCRIPTION-CREATE',
        'WEBHOOK-SUBSCRIPTION-UPDATE',
        'WEBHOOK-SUBSCRIPTION-DELETE',
      ])
    const foreign = foreignIds(endpoints.get('accepting')?.arrivals ?? [], change, ids)
    return withoutCopies(
      endpoint.arrivals.filter((arrival) => arrival.slot >= 0 && !foreign.has(idOf(arrival) ?? '')),
    )
  }

  /** The first deliveries to a target, before any later attempt is due. */
  async firstTo(name: ReceiverName): Promise<readonly Arrival[]> {
    return (await this.to(name)).filter(({ slot }) => slot === 0)
  }

  /**
   * Requires that a target received first attempts, before a check judges later attempts.
   * @throws {Inconclusive} if the target received no first attempt
   */
  async deliveredTo(name: ReceiverName): Promise<readonly Arrival[]> {
    const first = await this.firstTo(name)
    if (first.length > 0) return first
    const requirement = deliveryIds[name]
    throw new Inconclusive(`nothing was delivered to the target ${name}`, [
      ...(requirement ? [requirement] : []),
      'WEBHOOK-DELIVERY-POST',
    ])
  }

  /**
   * All deliveries to all receivers, including later attempts as far as the clock allows.
   * @param only `first`: only first attempts
   * @throws {Inconclusive} if there is no delivery
   */
  async all(only: 'first' | 'all' = 'all'): Promise<readonly Arrival[]> {
    const { endpoints } = await this.steps.scenario()
    if (only === 'all') await unlessUndecided(this.steps.clock.advanceAsAllowed())
    const all: Arrival[] = []
    for (const name of endpoints.keys())
      all.push(...(await (only === 'first' ? this.firstTo(name) : this.to(name))))
    if (all.length === 0) throw new Inconclusive('nothing was delivered', ['WEBHOOK-DELIVERY-POST'])
    this.steps.basis({ deliveries: all.length })
    return all
  }

  /**
   * Expects a first delivery to a target. After the first event that the target received, also expects all events of
   * the change and its restoration.
   * @param expected what findings expect: `one` if there is no delivery, `all` if an event is missing
   * @param of `hub`: all events in the Event Hub; `accepting`: only those that the accepting target received
   * @throws {Violation}
   */
  async expectEvents(
    name: ReceiverName,
    { one = 'a delivery', all = 'every event' } = {},
    of: 'hub' | 'accepting' = 'accepting',
  ): Promise<void> {
    const { expect } = this.steps
    expect.that((await this.firstTo(name)).length > 0, one, 'no delivery')
    const { ids } = await this.steps.scenario()
    const arrivedAtAccepting = new Set((await this.to('accepting')).map(idOf))
    const missed = missedIds(ids, await this.to(name)).filter(
      (id) => of === 'hub' || arrivedAtAccepting.has(id),
    )
    expect.that(missed.length === 0, all, `${counted(missed.length, 'event')} not delivered`)
  }

  /** First deliveries, each with the event that the Event Hub returns under the same id. */
  async pairsWithHub(): Promise<readonly HubPair[]> {
    const inHub = (await this.#changes()).map(({ members }) => members)
    return (await this.all('first')).flatMap(({ event: pushed, delivery: { receivedAt } }) => {
      const found = inHub.find(({ id }) => typeof id === 'string' && id === pushed?.id)
      return pushed && found ? [{ pushed, found, receivedAt }] : []
    })
  }

  /** Whether a current timestamp differs from that in the Event Hub. Another requirement judges older timestamps. */
  isAnotherTime({ pushed, found, receivedAt }: HubPair): boolean {
    const instant = instantOf(pushed.timestamp)
    if (!instant || !isCurrent(instant, this.run.targetTime(receivedAt))) return false
    return isAnotherTime(pushed.timestamp, found.timestamp)
  }

  /** Number of delivered claim changes of the user that the Event Hub lacks, even some time later. */
  async unknownToHub(): Promise<number> {
    const { change } = await this.steps.scenario()
    const ids = deliveredChanges(await this.all('first'), change)
    const unknown = ids.filter(missingFrom(await this.#changes()))
    if (unknown.length === 0) return 0
    // Waits as long as the first event of the change took, and a reserve.
    await sleep(change.changed.until - change.saved.until + reserveMs)
    const later = await this.steps.readings.around(change.saved.from, this.run.targetTime())
    return unknown.filter(missingFrom(later)).length
  }

  /** Events in the Event Hub after the change and after its restoration, including events of other users. */
  async #changes(): Promise<readonly HubEvent[]> {
    const { change } = await this.steps.scenario()
    return [...change.changed.events, ...change.restored.events]
  }

  /** Deliveries with a header. @throws {Inconclusive} if there is none */
  async having(name: keyof typeof headerIds, only: 'first' | 'all' = 'all'): Promise<readonly Arrival[]> {
    const withHeader = (await this.all(only)).filter(({ delivery }) => headerOf(delivery, name))
    if (withHeader.length === 0) throw new Inconclusive('no delivery has the header', [headerIds[name]])
    return withHeader
  }

  /** Deliveries whose X-Service-Timestamp can be parsed. @throws {Inconclusive} if there is none */
  withReadableTimestamp(arrivals: readonly Arrival[]): readonly Arrival[] {
    const readable = arrivals.filter(({ delivery }) => instantOf(headerOf(delivery, 'timestamp')))
    if (readable.length === 0)
      throw new Inconclusive('no timestamp can be read', [
        'WEBHOOK-HEADER-TIMESTAMP',
        'WEBHOOK-DELIVERY-TIMESTAMP-Z',
      ])
    return readable
  }

  /**
   * Requires that there was an event to deliver.
   * @throws {Inconclusive} if the Event Hub has no event of the claim change either
   */
  async requireEvent(): Promise<void> {
    const { change } = await this.steps.scenario()
    if (!changeEventOf(change))
      throw new Inconclusive('the changed claim caused no event', ['EVENT-SUBSCRIBER'])
  }

  /** Number of requests to receivers of the run that were not deliveries. */
  async otherRequests(): Promise<number> {
    const { endpoints } = await this.steps.scenario()
    return [...endpoints.values()].reduce((sum, { otherRequests }) => sum + otherRequests, 0)
  }

  /**
   * Expects deliveries to follow rules of verification.
   * @param see the requirement to name if other findings prevent a verdict
   * @throws {Violation}
   */
  async expectRules(arrivals: readonly Arrival[], rules: readonly Rule[], see: RequirementId): Promise<void> {
    let undecidable = 0
    const broken: Verification['findings'][number][] = []
    for (const arrival of arrivals) {
      const { findings, unjudged } = await this.#verified(arrival)
      const found = findings.find(({ rule }) => rules.includes(rule))
      if (found) broken.push(found)
      else if (rules.some((rule) => unjudged.has(rule))) undecidable += 1
    }
    const judged = arrivals.length - undecidable
    if (judged === 0) throw new Inconclusive('no delivery has the values that this check compares', [see])
    const [first] = broken
    this.steps.expect.that(
      first === undefined,
      `in every delivery, ${first && deliveryRules[first.rule]}`,
      `${first?.reason} in ${broken.length} of ${judged} deliveries`,
    )
  }

  /** Verifies a delivery by the target's clock. Its nonce counts as unseen. */
  #verified({ delivery }: Arrival): Promise<Verification> {
    return verifyDelivery(delivery, {
      keyByKid: (kid) => this.steps.discovery.keyByKid(kid, delivery.receivedAt),
      nonces: new NonceStore({ capacity: 1 }),
      now: () => this.run.targetTime(delivery.receivedAt),
    })
  }
}

/**
 * Deliveries without repetitions that are identical in every byte, including nonce and signature: an HTTP client may
 * repeat a request itself if the connection ended without a response.
 */
function withoutCopies(arrivals: readonly Arrival[]): Arrival[] {
  const seen = new Set<string>()
  return arrivals.filter(({ delivery, slot }) => {
    const headers = Object.values(deliveryHeaders).map((name) => delivery.headers[name])
    const key = JSON.stringify([slot, delivery.method, headers, delivery.body.toString('latin1')])
    return !seen.has(key) && seen.add(key)
  })
}

/** Ids of events that arrived at the accepting target but do not belong to the claim change. */
function foreignIds(
  arrivals: readonly Arrival[],
  change: ClaimChangeMade,
  ids: readonly string[],
): ReadonlySet<string> {
  const changed = change.changed.events.flatMap((event) =>
    isChangeOf(event, change) ? event.members.id : [],
  )
  const knownIds = new Set<unknown>([...ids, ...changed])
  const foreign = arrivals.filter(({ event = {}, slot }) => {
    if (slot < 0 || knownIds.has(event.id)) return false
    if (slot > 0) return !arrivals.some((other) => other.slot === 0 && other.event?.id === event.id)
    const { subscriber } = event
    return (
      typeof subscriber === 'string' &&
      !change.subjects.includes(subscriber) &&
      !isChangeOf(readEvent(event), change)
    )
  })
  return new Set(foreign.flatMap((arrival) => idOf(arrival) ?? []))
}

/** Returns a function that reports whether an id is missing from these events. */
function missingFrom(events: readonly HubEvent[]): (id: string) => boolean {
  const ids = new Set(events.map(({ members }) => members.id))
  return (id) => !ids.has(id)
}
