import { type Expect, kindOf } from '../../src/check/expect.ts'
import { inconclusive, requireData } from '../../src/check/verdict.ts'
import type { Arrival } from '../../src/check/webhooks/registry.ts'
import { canonical } from '../../src/event-hub/event.ts'
import { eventProblems } from '../../src/event-hub/schemas.ts'
import { instantOf } from '../../src/webhook/timestamp.ts'
import { delivered } from './delivered.ts'
import type { HubPair, Members } from './delivery-steps.ts'
import { check } from './requirements.ts'

/** Whether a delivery is JSON by its media type, or names none. */
const saysJson = ({ delivery }: Arrival) =>
  /^(application\/([\w.-]+\+)?json\b|$)/i.test(delivery.headers['content-type'] ?? '')

/** The shapes of the payload of a claim change. */
const claimMembers = ['claims', 'changedClaims'] as const

const isText = (value: unknown) => typeof value === 'string'

check(
  'WEBHOOK-DELIVERY-POST',
  'the service sends the event of a changed claim to a subscription by POST',
  delivered,
  async ({ deliveries, expect, basis }) => {
    const arrivals = await deliveries.firstTo('accepting')
    basis({ deliveries: arrivals.length })
    if (arrivals.length === 0) await deliveries.requireEvent()
    expect.that(arrivals.length > 0, 'a delivery', 'no delivery')
    const missed = await deliveries.missedBy('accepting', 'hub')
    expect.that(
      missed === 0,
      'every event of the change and its restoration',
      `${missed} events not delivered`,
    )
    const all = await deliveries.all()
    const others = all.filter(({ delivery: { method } }) => method !== 'POST').length
    expect.that(others === 0, 'POST', `a different method for ${others} of ${all.length} deliveries`)
  },
)

check(
  'WEBHOOK-DELIVERY-ENVELOPE',
  'the body is the envelope of an event',
  delivered,
  async ({ deliveries, expect }) => {
    const arrivals = (await deliveries.all()).filter(saysJson)
    requireData(arrivals.length, 1, 'delivery of JSON', ['WEBHOOK-DELIVERY-JSON'])
    const unread = arrivals.filter(({ event }) => !event).length
    expect.that(
      unread === 0,
      'a JSON object',
      `a different body in ${unread} of ${arrivals.length} deliveries`,
    )
    for (const { event } of arrivals) {
      const problem = eventProblems(event).find(
        // Another requirement judges the form of the timestamp.
        ({ path, value }) => path !== 'timestamp' || value === undefined,
      )
      expect.that(
        problem === undefined,
        'an envelope as in the Event Hub',
        `${problem?.path}: ${kindOf(problem?.value)} (${problem?.rule})`,
      )
    }
  },
)

check(
  'WEBHOOK-DELIVERY-ENVELOPE',
  'a delivered event has the type, the context and the changed claims of the event with its id in the Event Hub',
  delivered,
  async ({ deliveries, expect, basis }) => {
    const bodies = (await deliveries.all('first')).filter(({ event }) => event).length
    requireData(bodies, 1, 'readable delivery', ['WEBHOOK-DELIVERY-ENVELOPE', 'WEBHOOK-DELIVERY-JSON'])
    const pairs = await deliveries.pairsWithHub()
    requireData(pairs.length, 1, 'delivered event in the Event Hub', [
      'WEBHOOK-DELIVERY-ENVELOPE',
      'WEBHOOK-FAILED-RETRIEVABLE',
    ])
    basis({ deliveries: pairs.length })
    const unknown = await deliveries.unknownToHub()
    expect.that(
      unknown === 0,
      'events that the Event Hub has',
      `${unknown} claim changes that the Event Hub does not have`,
    )
    const times = pairs.filter((pair) => deliveries.isAnotherTime(pair)).length
    expect.that(
      times === 0,
      'timestamp as in the Event Hub, in any zone',
      `a different timestamp in ${times} of ${pairs.length} deliveries`,
    )
    for (const name of ['type', 'sphere', 'subscriber', 'application', 'subscription']) {
      // An optional member may be in one of them only.
      const both = pairs.filter(({ pushed, found }) => isText(pushed[name]) && isText(found[name]))
      const others = both.filter(({ pushed, found }) => pushed[name] !== found[name]).length
      expect.that(
        others === 0,
        `${name} as in the Event Hub`,
        `a different ${name} in ${others} of ${both.length} deliveries`,
      )
    }
    const versions = pairs.filter(({ pushed, found }) => {
      const [one, other] = [versionOf(pushed), versionOf(found)]
      return one !== undefined && other !== undefined && one !== other
    }).length
    expect.that(
      versions === 0,
      'version as in the Event Hub',
      `a different version in ${versions} of ${pairs.length} deliveries`,
    )
    expectSameClaims(expect, pairs)
  },
)

/**
 * Expects a payload to have the claims of the event in the Event Hub. Both may have them in different shapes, but a
 * payload without any claims is not that of an event that has some.
 */
function expectSameClaims(expect: Expect, pairs: readonly HubPair[]): void {
  const payloads = pairs.map(({ pushed, found }) => [claimsOf(pushed), claimsOf(found)] as const)
  const withClaims = payloads.filter(([, found]) => found.length > 0)
  const without = withClaims.filter(([pushed]) => pushed.length === 0).length
  expect.that(
    without === 0,
    'claims or changedClaims, as in the Event Hub',
    `neither claims nor changedClaims in ${without} of ${withClaims.length} deliveries`,
  )
  for (const name of claimMembers) {
    const both = payloads.flatMap(([pushed, found]) => {
      const [one, other] = [pushed, found].map((members) => members.find((member) => member.name === name))
      return one && other ? [[one.value, other.value]] : []
    })
    const others = both.filter(([one, other]) => inAnyOrder(one) !== inAnyOrder(other)).length
    expect.that(
      others === 0,
      `${name} as in the Event Hub`,
      `different ${name} in ${others} of ${both.length} deliveries`,
    )
  }
}

/** The members of a payload that name changed claims. A member that is null counts as absent. */
function claimsOf({ payload }: Members): readonly { readonly name: string; readonly value: unknown }[] {
  return claimMembers
    .map((name) => ({ name, value: Object(payload)[name] as unknown }))
    .filter(({ value }) => value !== undefined && value !== null)
}

/** The version of an event as a number, since 1 and 1.0 occur for one; undefined for any other text. */
function versionOf({ version }: Members): number | undefined {
  return typeof version === 'string' && /^\d+(\.\d+)?$/.test(version) ? Number(version) : undefined
}

/** A text that is equal for equal values, and for arrays with the same items. */
function inAnyOrder(value: unknown): string {
  return canonical(Array.isArray(value) ? value.map(canonical).sort() : value)
}

check(
  'WEBHOOK-DELIVERY-JSON',
  'a delivery has a JSON media type',
  delivered,
  async ({ deliveries, expect, note }) => {
    const arrivals = await deliveries.all()
    const others = arrivals.filter((arrival) => !saysJson(arrival)).length
    expect.that(
      others === 0,
      'a JSON media type',
      `a different type in ${others} of ${arrivals.length} deliveries`,
    )
    if (arrivals.some(({ delivery }) => delivery.headers['content-type'] === undefined))
      note('some deliveries have no media type')
  },
)

check(
  'WEBHOOK-DELIVERY-TIMESTAMP-Z',
  'the timestamp of the event has a trailing Z',
  delivered,
  async ({ deliveries, expect }) => {
    const events = (await deliveries.all()).flatMap(({ event }) =>
      event && 'timestamp' in event ? [event] : [],
    )
    if (events.length === 0) return inconclusive('no event has a timestamp', ['WEBHOOK-DELIVERY-ENVELOPE'])
    for (const { timestamp } of events) {
      expect.that(
        instantOf(timestamp) !== undefined,
        'an ISO 8601 date-time with a trailing Z',
        `timestamp: ${typeof timestamp === 'string' ? 'a string in another format' : kindOf(timestamp)}`,
      )
    }
  },
)

check(
  'WEBHOOK-DELIVERY-FILTERS',
  'a subscription for the type receives the event, and a subscription for another type does not',
  delivered,
  async ({ deliveries, expect }) => {
    await deliveries.deliveredTo('accepting')
    const several = (await deliveries.firstTo('not found, for two types')).length
    expect.that(several > 0, 'a delivery to a subscription for two types', 'no delivery')
    const missed = await deliveries.missedBy('not found, for two types')
    expect.that(
      missed === 0,
      'every event for a subscription for two types',
      `${missed} events not delivered`,
    )
    const others = (await deliveries.to('for another type')).length
    expect.that(others === 0, 'no delivery to a subscription for another type', `${others} deliveries`)
  },
)

check(
  'WEBHOOK-DELIVERY-ALL-TYPES',
  'a subscription with empty `event_filters` receives the event',
  delivered,
  async ({ deliveries, expect }) => {
    await deliveries.deliveredTo('accepting')
    const arrivals = await deliveries.firstTo('open to all types')
    expect.that(arrivals.length > 0, 'a delivery', 'no delivery')
    const missed = await deliveries.missedBy('open to all types')
    expect.that(missed === 0, 'every event', `${missed} events not delivered`)
  },
)

check(
  'WEBHOOK-DELIVERY-UPDATED',
  'a subscription with updated `event_filters` receives events of the new type',
  delivered,
  async ({ deliveries, subscriptions, expect }) => {
    await deliveries.deliveredTo('accepting')
    await subscriptions.requireUpdateShown()
    const arrivals = await deliveries.firstTo('updated')
    expect.that(arrivals.length > 0, 'a delivery', 'no delivery')
    const missed = await deliveries.missedBy('updated')
    expect.that(missed === 0, 'every event', `${missed} events not delivered`)
  },
)

check(
  'WEBHOOK-TARGET-LOOKED-AT',
  'requests to targets that are not deliveries are recorded',
  delivered,
  async ({ deliveries, observe }) =>
    observe('webhooks.target.other-requests', await deliveries.otherRequests()),
)

check(
  'WEBHOOK-DELIVERY-STOPS',
  'a deleted subscription receives nothing',
  delivered,
  async ({ deliveries, expect }) => {
    await deliveries.deliveredTo('accepting')
    const arrivals = (await deliveries.to('deleted')).length
    expect.that(arrivals === 0, 'no delivery', `${arrivals} deliveries`)
  },
)
