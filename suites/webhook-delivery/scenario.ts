import { setTimeout as sleep } from 'node:timers/promises'
import type { ClaimChangeMade } from '../../src/check/claim-steps.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { unlessUndecided } from '../../src/check/obstacle.ts'
import type { RunContext } from '../../src/check/run-context.ts'
import { Inconclusive } from '../../src/check/verdict.ts'
import { type ReceiverName, receivers, slowestMs } from '../../src/check/webhooks/receivers.ts'
import {
  type Arrival,
  type Endpoint,
  idOf,
  type Script,
  type WebhookRegistry,
} from '../../src/check/webhooks/registry.ts'
import { type SubscriptionSteps, subscriptionRequest } from '../../src/check/webhooks/subscription-steps.ts'
import { partnerApiOf } from '../../src/target/parts.ts'
import { isLoopback } from '../../src/target/safety.ts'
import { attemptTimes } from '../../src/webhook/schedule.ts'
import { missedIds, ownIds } from './events-in-hub.ts'

/**
 * In milliseconds: the maximum wait for the first delivery (`first`) and for further deliveries (`others`), and the
 * time without a delivery after which first attempts are complete (`quiet`). An event may be delivered more than once.
 */
const patience = {
  loopback: { first: 2000, others: 500, quiet: 300 },
  network: { first: 60_000, others: 10_000, quiet: 5000 },
} as const

/** The deliveries of one claim change to every receiver, and the clock of these deliveries. */
export interface Scenario {
  readonly registry: WebhookRegistry
  readonly change: ClaimChangeMade
  /** Ids of the user's events in the Event Hub: of the change, then of its restoration. */
  readonly ids: readonly string[]
  readonly endpoints: ReadonlyMap<ReceiverName, Endpoint>
  /** Why a receiver has no endpoint, for reasons other than a refused subscription. */
  readonly obstacles: ReadonlyMap<ReceiverName, unknown>
  /** Time of the first delivery of these events, in milliseconds since the epoch. */
  readonly startedAt: number
  /** How far the clock has been advanced since `startedAt`, in seconds. */
  advanced: number
}

/**
 * Subscribes all receivers, changes a claim, and waits for the first deliveries of its events. Once per run.
 * @throws {Inconclusive} if the claim could not be changed
 */
export async function scenarioOf({ run, subscriptions, claims }: CheckContext): Promise<Scenario> {
  const registry = await subscriptions.registry()
  return run.once(scenarioOf, async () => {
    const endpoints = new Map<ReceiverName, Endpoint>()
    const obstacles = new Map<ReceiverName, unknown>()
    let obstacle: unknown = new Inconclusive('the claim was changed before subscriptions existed')
    run.beforeClaimChange(async () => {
      try {
        await subscribe(run, subscriptions, { endpoints, obstacles })
        // Slot 0 has the first attempts. Earlier deliveries belong to other users.
        registry.slot = 0
        obstacle = undefined
      } catch (error) {
        obstacle = error
      }
    })
    const change = await claims.change()
    if (obstacle !== undefined) throw obstacle
    const ids = ownIds(change, claims.madeBetween(change, 'restored'))
    await firstDeliveries(endpoints, ids, partnerApiOf(run.target).url)
    const first = [...endpoints.values()].flatMap((endpoint) => firstAttempts(endpoint, ids)).map(timeOf)
    const startedAt = Math.min(...first, Date.now())
    return { registry, change, ids, endpoints, obstacles, startedAt, advanced: 0 }
  })
}

/** Receivers with an accepted subscription, and receivers whose subscription was neither accepted nor refused. */
interface Subscribed {
  readonly endpoints: Map<ReceiverName, Endpoint>
  readonly obstacles: Map<ReceiverName, unknown>
}

/** Creates a subscription for each receiver, updates one and deletes one. */
async function subscribe(
  { target }: RunContext,
  subscriptions: SubscriptionSteps,
  { endpoints, obstacles }: Subscribed,
): Promise<void> {
  const registry = await subscriptions.registry()
  const resultOrObstacle = <T>(name: ReceiverName, step: Promise<T>): Promise<T | undefined> => {
    step.catch((error: unknown) => obstacles.set(name, error))
    return unlessUndecided(step)
  }
  // Receivers of single requirements are first, because the service may limit the number of subscriptions.
  await unlessUndecided(subscriptions.describedCreation())
  for (const [name, { filters, script, slow }] of receivers) {
    if (slow && !target.allowedEffects.includes('slow')) continue
    const endpoint = registry.endpoint(name, ...script)
    const creation = await resultOrObstacle(
      name,
      registry.create(subscriptionRequest(registry, endpoint, filters)),
    )
    if (creation && creation.response.status < 300) endpoints.set(name, endpoint)
  }
  const updated = await resultOrObstacle('updated', subscriptions.updated())
  if (updated && updated.update.status < 300) endpoints.set('updated', updated.subscription.endpoint)
  const deleted = await resultOrObstacle('deleted', subscriptions.deleted())
  if (deleted && deleted.deletion.status < 300) endpoints.set('deleted', deleted.endpoint)
}

/** Waits until all receivers have received the events that they must receive, or the deadline has passed. */
async function firstDeliveries(
  endpoints: ReadonlyMap<ReceiverName, Endpoint>,
  ids: readonly string[],
  partnerApiUrl: string,
): Promise<void> {
  const { first, others, quiet } =
    patience[isLoopback(new URL(partnerApiUrl).hostname) ? 'loopback' : 'network']
  const awaited = [...endpoints].flatMap(([name, endpoint]) =>
    name === 'for another type' || name === 'deleted' ? [] : [endpoint],
  )
  const count = (endpoint: Endpoint) => firstAttempts(endpoint, ids).length
  const maxCount = () => Math.max(0, ...awaited.map(count))
  await until(first, () => maxCount() > 0)
  // Each further delivery to the receiver with the most deliveries extends the deadline.
  for (let seen = -1; seen !== maxCount(); ) {
    seen = maxCount()
    await until(others, () => awaited.every((endpoint) => count(endpoint) >= Math.max(1, seen)))
  }
  await until(first, () => awaited.every(({ arrivals }) => missedIds(ids, arrivals).length === 0))
  const arrivalTimes = () => awaited.flatMap((endpoint) => firstAttempts(endpoint, ids)).map(timeOf)
  // Copies count as first attempts, but not beyond the earliest time of a second attempt.
  const latest = Math.min(...arrivalTimes()) + attemptTimes[2].notBefore * 1000
  await until(latest - Date.now(), () => Date.now() - Math.max(0, ...arrivalTimes()) >= quiet)
  if (awaited.some(({ script }) => isSlow(script))) await sleep(slowestMs)
}

/** First attempts at these events, or at all events if no id is known. Events of other users may arrive earlier. */
function firstAttempts({ arrivals }: Endpoint, ids: readonly string[]): readonly Arrival[] {
  return arrivals.filter(
    (arrival) => arrival.slot === 0 && (ids.length === 0 || ids.includes(idOf(arrival) ?? '')),
  )
}

function timeOf({ delivery }: Arrival): number {
  return delivery.receivedAt
}

function isSlow(script: Script): boolean {
  return script.some((response) => response !== 'hang-up' && response.afterMs !== undefined)
}

async function until(timeoutMs: number, holds: () => boolean): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (!holds() && Date.now() < deadline) await sleep(10)
}
