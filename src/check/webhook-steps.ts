import { setTimeout as sleep } from 'node:timers/promises'
import { eventOf, isChangeOf } from '../event-hub/claim-change.ts'
import { windowsOver } from '../event-hub/clock-changes.ts'
import { canonical, readEvent } from '../event-hub/event.ts'
import { HttpFailure } from '../http/failures.ts'
import { isLoopback } from '../target/safety.ts'
import { advanceClock } from '../webhook/clock.ts'
import { type DeliveryHeader, headerOf } from '../webhook/delivery.ts'
import { NonceStore } from '../webhook/nonce-store.ts'
import { attempts, type LaterAttempt, lastAttempt, longAfter } from '../webhook/schedule.ts'
import { instantOf } from '../webhook/timestamp.ts'
import { type Rule, type Verification, verifyDelivery } from '../webhook/verification.ts'
import type { ClaimChangeMade } from './claim-steps.ts'
import { describe } from './expect.ts'
import { Inconclusive, NotApplicable } from './verdict.ts'
import { type Arrival, type Endpoint, idOf, type Script, type WebhookDesk } from './webhook-desk.ts'
import { emittedType, otherType, WebhookSubscriptionSteps } from './webhook-subscription-steps.ts'

interface Receiver {
  readonly filters: readonly string[]
  readonly script: Script
  /** Takes seconds to answer, so that it is there only where checks may wait. */
  readonly slow?: true
}

/** Who receives the events of one claim change: what each subscribes to, and what it answers. */
const receivers = {
  accepting: { filters: [emittedType], script: [{ status: 200 }] },
  'open to all types': { filters: [], script: [{ status: 204 }] },
  'for another type': { filters: [otherType], script: [{ status: 200 }] },
  'always failing': { filters: [emittedType], script: [{ status: 500 }] },
  'throttling, then down': { filters: [emittedType], script: [{ status: 429 }, { status: 503 }] },
  'not answering': { filters: [emittedType], script: ['hang-up'] },
  refusing: { filters: [emittedType], script: [{ status: 400 }] },
  'not found, for two types': { filters: [otherType, emittedType], script: [{ status: 404 }] },
  'slow to answer': {
    filters: [emittedType],
    script: [{ status: 200, afterMs: 8000 }, { status: 200 }],
    slow: true,
  },
  'too slow to answer': {
    filters: [emittedType],
    script: [{ status: 200, afterMs: 12_000 }, { status: 200 }],
    slow: true,
  },
} as const satisfies Readonly<Record<string, Receiver>>

/** Those whose deliveries have to be attempted until the last time. */
const failing = ['always failing', 'throttling, then down', 'not answering'] as const

export type ReceiverName = keyof typeof receivers
/** A receiver, or the target of the subscription that was updated or deleted. */
export type TargetName = ReceiverName | 'updated' | 'deleted'

/** Longest time the slowest receiver takes, with some for the sender to notice, in milliseconds. */
const slowestMs = 13_000
/** For the first delivery to come, and for others to follow, in milliseconds. */
const patience = {
  loopback: { first: 2000, others: 500 },
  network: { first: 60_000, others: 10_000 },
} as const

/** What one claim change brought to every target, and how time went on from there. */
interface Scenario {
  readonly desk: WebhookDesk
  readonly change: ClaimChangeMade
  readonly endpoints: ReadonlyMap<TargetName, Endpoint>
  /** When the first delivery came, in milliseconds since the epoch. */
  readonly startedAt: number
  /** By how much the clock was moved since, in seconds. */
  advanced: number
}

/** Slots of the log of arrivals around the time of an attempt. */
export interface AttemptSlots {
  /** Too early for it. */
  readonly early: number
  /** The time in which it has to come. */
  readonly due: number
}

/** How far the clock of the Event Hub may be off, in milliseconds. */
const hubMarginMs = 15 * 60_000

const attemptIds = {
  2: 'WEBHOOK-RETRY-SECOND',
  3: 'WEBHOOK-RETRY-THIRD',
  4: 'WEBHOOK-RETRY-FOURTH',
  5: 'WEBHOOK-RETRY-FIFTH',
} as const satisfies Readonly<Record<LaterAttempt, string>>

const ownNonces = () => new NonceStore({ capacity: 1 })

/** Steps with webhooks (planned): subscriptions, and the deliveries of one claim change to all of them. */
export class WebhookSteps extends WebhookSubscriptionSteps {
  /**
   * One claim change, with all receivers subscribed before it, and the first deliveries of its events. Once a run.
   * @throws {Inconclusive} where the claim could not be changed
   */
  async scenario(): Promise<Scenario> {
    const desk = await this.desk()
    return this.share('webhook scenario', async () => {
      const endpoints = new Map<TargetName, Endpoint>()
      let prepared = false
      this.world.beforeClaimChange('webhooks', async () => {
        await this.#subscribe(desk, endpoints)
        // Whatever came until now was of other people.
        desk.slot = 0
        prepared = true
      })
      const change = await this.context.claims.change()
      if (!prepared)
        throw new Inconclusive('the claim was changed before there were subscriptions to tell it to')
      await this.#firstDeliveries(endpoints)
      const first = [...endpoints.values()].flatMap(({ arrivals }) =>
        arrivals.filter(({ slot }) => slot === 0).map(({ delivery }) => delivery.receivedAt),
      )
      return { desk, change, endpoints, startedAt: Math.min(...first, Date.now()), advanced: 0 }
    })
  }

  /**
   * Deliveries of the events of the claim change to one target, those of other people's events left out.
   * @throws {Inconclusive} where it could not be subscribed
   */
  async arrivals(name: TargetName): Promise<readonly Arrival[]> {
    const { endpoints, change } = await this.scenario()
    const endpoint = endpoints.get(name)
    if (!endpoint)
      throw new Inconclusive(
        `the target ${name} is not there, since the management refused what brings it about; see WEBHOOK-SUBSCRIPTION-CREATE, -UPDATE and -DELETE`,
      )
    const foreign = foreignIds(endpoints.get('accepting')?.arrivals ?? [], change)
    return endpoint.arrivals.filter((arrival) => arrival.slot >= 0 && !foreign.has(idOf(arrival) ?? ''))
  }

  /** The first deliveries to a target, made before any later attempt is due. */
  async firstArrivals(name: TargetName): Promise<readonly Arrival[]> {
    return (await this.arrivals(name)).filter(({ slot }) => slot === 0)
  }

  /**
   * Every delivery so far to those who accept, fail or refuse: at least one.
   * @param only first attempts alone
   */
  async deliveries(only: 'first' | 'all' = 'all'): Promise<readonly Arrival[]> {
    const { endpoints } = await this.scenario()
    const all: Arrival[] = []
    for (const name of endpoints.keys())
      all.push(...(only === 'first' ? await this.firstArrivals(name) : await this.arrivals(name)))
    if (all.length === 0) throw new Inconclusive('nothing was delivered; see WEBHOOK-DELIVERY-POST')
    this.context.basis({ deliveries: all.length })
    return all
  }

  /**
   * Makes sure that a target got the events at first, before it is judged by what came later.
   * @throws {Inconclusive} where it did not
   */
  async delivered(name: TargetName): Promise<readonly Arrival[]> {
    const first = await this.firstArrivals(name)
    if (first.length > 0) return first
    throw new Inconclusive(`nothing was delivered to the target ${name}; see WEBHOOK-DELIVERY-POST`)
  }

  /** Deliveries that have a signature. */
  signedDeliveries(): Promise<readonly Arrival[]> {
    return this.deliveriesWith('signature', 'WEBHOOK-HEADER-SIGNATURE')
  }

  /** @throws {Inconclusive} where no delivery has that header */
  async deliveriesWith(
    name: DeliveryHeader,
    see: string,
    only: 'first' | 'all' = 'all',
  ): Promise<readonly Arrival[]> {
    const having = (await this.deliveries(only)).filter(({ delivery }) => headerOf(delivery, name))
    if (having.length === 0) throw new Inconclusive(`no delivery has that header; see ${see}`)
    return having
  }

  /** @throws {Inconclusive} where no timestamp can be read */
  withReadableTimestamp(arrivals: readonly Arrival[]): readonly Arrival[] {
    const readable = arrivals.filter(({ delivery }) => instantOf(headerOf(delivery, 'timestamp')))
    if (readable.length === 0)
      throw new Inconclusive('no timestamp can be read; see WEBHOOK-DELIVERY-TIMESTAMP-Z')
    return readable
  }

  /** @throws {Inconclusive} where the clocks are too far apart, or the target's is unknown */
  clockIsKnown(): void {
    const offset = this.world.http.clockOffsetMs
    if (offset === undefined)
      throw new Inconclusive('the clock of the target is unknown: its answers have no Date')
    if (Math.abs(offset) > 30_000)
      throw new Inconclusive(
        `the clocks differ by ${Math.round(offset / 1000)} s; set this machine's clock first`,
      )
  }

  /**
   * Makes sure that there was an event to be delivered.
   * @throws {Inconclusive} where the Event Hub has none of the claim change either
   */
  async emitted(): Promise<void> {
    const { change } = await this.scenario()
    if (!eventOf(change))
      throw new Inconclusive('the change of the claim brought no event; see EVENT-SUBSCRIBER')
  }

  /** Attempts after the first, to whoever got any, and how many of them carry something else than the first did. */
  async repetitions(): Promise<{ readonly repeated: number; readonly strange: number }> {
    let [repeated, strange] = [0, 0]
    for (const name of failing) {
      const arrivals = await this.arrivals(name)
      const first = new Set(arrivals.filter(({ slot }) => slot === 0).map(contentOf))
      const later = arrivals.filter(({ slot }) => slot > 0)
      repeated += later.length
      strange += later.filter((arrival) => !first.has(contentOf(arrival))).length
    }
    return { repeated, strange }
  }

  /** How many events that were delivered in vain the Event Hub has. */
  async failedInHub(): Promise<{ readonly wanted: number; readonly found: number }> {
    const ids = new Set((await this.delivered('always failing')).flatMap((arrival) => idOf(arrival) ?? []))
    const { change, startedAt } = await this.scenario()
    const offset = this.world.http.clockOffsetMs ?? 0
    const windows = windowsOver(
      this.world.target.eventTimeZone,
      change.saved.from - hubMarginMs,
      startedAt + offset + hubMarginMs,
    )
    const held = new Set<unknown>()
    for (const window of windows)
      for (const { members } of await this.context.events.everythingIn(window)) held.add(members.id)
    return { wanted: ids.size, found: [...ids].filter((id) => held.has(id)).length }
  }

  /**
   * Deliveries that came too early for an attempt, and in its time, to those who fail. Whichever of these fails in
   * a way that is not tried again is a matter of its own.
   * @throws {Inconclusive} where an attempt before it did not come in its time, from which others may be counted
   */
  async attempted(attempt: LaterAttempt): Promise<{ readonly early: number; readonly due: number }> {
    await this.failedDeliveries()
    if (attempt > 2) await this.cameInTime((attempt - 1) as LaterAttempt)
    const { early, due } = await this.reached(attempt)
    const arrivals = await this.failedDeliveries()
    const inSlot = (wanted: number) => arrivals.filter(({ slot }) => slot === wanted).length
    return { early: inSlot(early), due: inSlot(due) }
  }

  /** @throws {Inconclusive} where an attempt, or one before it, did not come in its time */
  async cameInTime(attempt: LaterAttempt): Promise<void> {
    const { early, due } = await this.attempted(attempt)
    if (early === 0 && due > 0) return
    throw new Inconclusive(`attempt ${attempt} did not come in its time; see ${attemptIds[attempt]}`)
  }

  /** Every delivery so far to those who fail. @throws {Inconclusive} where there was none at first */
  async failedDeliveries(): Promise<readonly Arrival[]> {
    const arrivals = (await Promise.all(failing.map((name) => this.arrivals(name)))).flat()
    if (arrivals.some(({ slot }) => slot === 0)) return arrivals
    throw new Inconclusive('nothing was delivered to those who fail; see WEBHOOK-DELIVERY-POST')
  }

  /** How often events came to those who fail: at most to one of them, for each time that it came at first. */
  async attemptsMade(): Promise<number> {
    const counts = await Promise.all(
      failing.map(async (name) => {
        const arrivals = await this.arrivals(name)
        const first = arrivals.filter(({ slot }) => slot === 0).length
        return first === 0 ? 0 : arrivals.length / first
      }),
    )
    return Math.max(...counts)
  }

  /** When an attempt may come, in seconds after the first. */
  timeOf(attempt: LaterAttempt): (typeof attempts)[LaterAttempt] {
    return attempts[attempt]
  }

  /** How many requests that were no deliveries came to targets of the run. */
  async looksAtTargets(): Promise<number> {
    const { endpoints } = await this.scenario()
    return [...endpoints.values()].reduce((sum, { looks }) => sum + looks, 0)
  }

  /** What is found about a delivery, by the target's clock; its nonce counts as unseen. */
  async verified({ delivery }: Arrival): Promise<Verification> {
    const offset = this.world.http.clockOffsetMs ?? 0
    return verifyDelivery(delivery, {
      keyByKid: (kid) => this.context.discovery.keyByKid(kid),
      nonces: ownNonces(),
      now: () => delivery.receivedAt + offset,
    })
  }

  /**
   * Expects deliveries to keep rules of verification.
   * @param see what to look at instead, where another finding leaves nothing to judge by
   * @throws {Violation}
   */
  async keeps(arrivals: readonly Arrival[], rules: readonly Rule[], see: string): Promise<void> {
    const { expect } = this.context
    let open = 0
    const broken: string[] = []
    for (const arrival of arrivals) {
      const { findings, open: unjudged } = await this.verified(arrival)
      const found = findings.find(({ rule }) => rules.includes(rule))
      if (found) broken.push(found.reason)
      else if (rules.some((rule) => unjudged.has(rule))) open += 1
    }
    const judged = arrivals.length - open
    if (judged === 0) throw new Inconclusive(`no delivery can be judged by that; see ${see}`)
    expect.that(
      broken.length === 0,
      'every delivery to keep that',
      `of ${broken.length} of ${judged} deliveries, ${broken[0]}`,
    )
  }

  /**
   * Moves the clock of deliveries, or waits, past the time of an attempt, and of all before it.
   * @throws {NotApplicable} where the time cannot come
   */
  async reached(attempt: LaterAttempt): Promise<AttemptSlots> {
    const scenario = await this.scenario()
    if (attempt > 2) await this.reached((attempt - 1) as LaterAttempt)
    this.#timeCanCome(attempt)
    return this.share(`webhook attempt ${attempt}`, async () => {
      const { notBefore, notAfter } = attempts[attempt]
      const early = await this.#moveTo(scenario, notBefore)
      const due = await this.#moveTo(scenario, notAfter)
      return { early, due }
    })
  }

  /** Moves the clock a day past the last attempt. @returns the slot of that day */
  async exhausted(): Promise<number> {
    const scenario = await this.scenario()
    await this.reached(lastAttempt)
    return this.share('webhook attempts exhausted', () =>
      this.#moveTo(scenario, attempts[lastAttempt].notAfter + longAfter),
    )
  }

  /** Moves the clock as far as this target allows, at least past the second attempt. */
  async latest(): Promise<void> {
    if (this.world.target.webhookClockUrl === undefined) await this.reached(2)
    else await this.exhausted()
  }

  /** @throws {NotApplicable} with what would let the time come */
  #timeCanCome(attempt: LaterAttempt): void {
    const { webhookClockUrl, allowedEffects } = this.world.target
    if (webhookClockUrl !== undefined) return
    if (attempt > 2) {
      throw new NotApplicable(
        `attempt ${attempt} comes ${Math.ceil(attempts[attempt].notAfter / 60)} minutes after the first at the latest, longer than a run waits; WEBHOOK_CLOCK_URL would let it come sooner`,
      )
    }
    if (!allowedEffects.includes('slow')) {
      throw new NotApplicable(
        `the second attempt takes up to ${attempts[2].notAfter} s; WEBHOOK_CLOCK_URL would let it come sooner, and ENABLE=slow lets the run wait`,
      )
    }
  }

  /** @returns the slot that lasts from where time was to where it is then */
  async #moveTo(scenario: Scenario, seconds: number): Promise<number> {
    const { desk } = scenario
    const { webhookClockUrl } = this.world.target
    const elapsed = (Date.now() - scenario.startedAt) / 1000 + scenario.advanced
    const more = Math.max(0, Math.ceil(seconds - elapsed))
    desk.slot += 1
    const { slot } = desk
    if (webhookClockUrl === undefined) {
      await sleep(more * 1000)
      return slot
    }
    const response = await advanceClock(this.world.http, webhookClockUrl, more)
    if (response.status !== 200) {
      throw new Inconclusive(
        `the clock could not be moved: it was answered ${describe(response)}; check WEBHOOK_CLOCK_URL`,
        'configuration',
      )
    }
    scenario.advanced += more
    return slot
  }

  /** All receivers, and the subscriptions that were updated and deleted; those that cannot be are left out. */
  async #subscribe(desk: WebhookDesk, endpoints: Map<TargetName, Endpoint>): Promise<void> {
    const slowAllowed = this.world.target.allowedEffects.includes('slow')
    for (const [name, { filters, script, ...rest }] of Object.entries(receivers)) {
      if ('slow' in rest && !slowAllowed) continue
      const [first, ...later] = script
      const endpoint = desk.endpoint(name, first, ...later)
      const creation = await unlessUndecided(desk.create(this.request(desk, endpoint, filters)))
      if (creation && creation.response.status < 300) endpoints.set(name as ReceiverName, endpoint)
    }
    const updated = await unlessUndecided(this.updated())
    if (updated && updated.update.status < 300) endpoints.set('updated', updated.subscription.endpoint)
    const deleted = await unlessUndecided(this.deleted())
    if (deleted && deleted.deletion.status < 300) endpoints.set('deleted', deleted.endpoint)
  }

  /** Waits until the events have come to all who are sure to get them, or time enough has passed. */
  async #firstDeliveries(endpoints: ReadonlyMap<TargetName, Endpoint>): Promise<void> {
    const { partnerApiUrl } = this.world.target
    const { first, others } = isLoopback(new URL(partnerApiUrl).hostname)
      ? patience.loopback
      : patience.network
    const waiting = [...endpoints].flatMap(([name, endpoint]) =>
      name === 'for another type' || name === 'deleted' ? [] : [endpoint],
    )
    const count = ({ arrivals }: Endpoint) => arrivals.filter(({ slot }) => slot === 0).length
    const most = () => Math.max(0, ...waiting.map(count))
    await until(first, () => most() > 0)
    // Each further event gives those that come after it some more time.
    for (let seen = -1; seen !== most(); ) {
      seen = most()
      await until(others, () => waiting.every((endpoint) => count(endpoint) >= Math.max(1, seen)))
    }
    if (waiting.some(({ script }) => isSlow(script))) await sleep(slowestMs)
  }
}

/** The event of a delivery, however it is written; the bytes where they are no event. */
function contentOf({ event, delivery }: Arrival): string {
  return event ? canonical(event) : delivery.body.toString('latin1')
}

/** Ids of events that came to the accepting target, but are not of the claim change. */
function foreignIds(arrivals: readonly Arrival[], change: ClaimChangeMade): ReadonlySet<string> {
  const foreign = arrivals.filter(({ event = {}, slot }) => {
    if (slot < 0) return false
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

function isSlow(script: Script): boolean {
  return script.some((answer) => answer !== 'hang-up' && answer.afterMs !== undefined)
}

async function until(timeoutMs: number, holds: () => boolean): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (!holds() && Date.now() < deadline) await sleep(10)
}

/** What a step brings, or nothing: the others go on without it. */
async function unlessUndecided<T>(step: Promise<T>): Promise<T | undefined> {
  try {
    return await step
  } catch (error) {
    if (error instanceof Inconclusive || error instanceof HttpFailure) return undefined
    throw error
  }
}
