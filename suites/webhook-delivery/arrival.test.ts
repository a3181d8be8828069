import { delivered } from '../../src/check/check-options.ts'
import { type Expect, kindOf } from '../../src/check/expect.ts'
import { inconclusive, requireData } from '../../src/check/verdict.ts'
import type { Arrival } from '../../src/check/webhooks/registry.ts'
import { canonical } from '../../src/event-hub/event.ts'
import { eventProblems } from '../../src/event-hub/schemas.ts'
import { counted } from '../../src/text/format.ts'
import { instantOf } from '../../src/webhook/timestamp.ts'
import type { HubPair, Members } from './delivery-steps.ts'
import { expectEvery } from './expect-every.ts'
import { check } from './requirements.ts'

/** Whether a delivery has a JSON media type, or no media type. */
const hasJsonType = ({ delivery }: Arrival) =>
  /^(application\/([\w.-]+\+)?json\b|$)/i.test(delivery.headers['content-type'] ?? '')

/** The shapes of the payload of a claim change. */
const claimMembers = ['claims', 'changedClaims'] as const

const isText = (value: unknown) => typeof value === 'string'

const deliveriesText = (count: number) => (count === 1 ? '1 delivery' : `${count} deliveries`)

check(
  'WEBHOOK-DELIVERY-POST',
  'the service sends the event of a changed claim to a subscription by POST',
  delivered,
  async ({ deliveries, expect, basis }) => {
    const arrivals = await deliveries.firstTo('accepting')
    basis({ deliveries: arrivals.length })
    if (arrivals.length === 0) await deliveries.requireEvent()
    await deliveries.expectEvents(
      'accepting',
      { all: 'every event of the change and its restoration' },
      'hub',
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
    const arrivals = (await deliveries.all()).filter(hasJsonType)
    requireData(arrivals.length, 1, 'delivery of JSON', ['WEBHOOK-DELIVERY-JSON'])
    expectEvery(expect, arrivals, ({ event }) => event !== undefined, 'a JSON object', 'a different body')
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
      `${counted(unknown, 'claim change')} that the Event Hub does not have`,
    )
    const isSameTime = (pair: HubPair) => !deliveries.isAnotherTime(pair)
    const sameTime = 'timestamp as in the Event Hub, in any zone'
    expectEvery(expect, pairs, isSameTime, sameTime, 'a different timestamp')
    for (const name of ['type', 'sphere', 'subscriber', 'application', 'subscription']) {
      // An optional member may be in only one of the two events.
      const both = pairs.filter(({ pushed, found }) => isText(pushed[name]) && isText(found[name]))
      const isSame = ({ pushed, found }: HubPair) => pushed[name] === found[name]
      expectEvery(expect, both, isSame, `${name} as in the Event Hub`, `a different ${name}`)
    }
    const isSameVersion = ({ pushed, found }: HubPair) => {
      const [one, other] = [versionOf(pushed), versionOf(found)]
      return one === undefined || other === undefined || one === other
    }
    expectEvery(expect, pairs, isSameVersion, 'version as in the Event Hub', 'a different version')
    expectSameClaims(expect, pairs)
  },
)

/**
 * Expects a payload to have the claims of the event in the Event Hub. The shapes may differ, but a payload without
 * claims violates the rule if the event in the Event Hub has claims.
 */
function expectSameClaims(expect: Expect, pairs: readonly HubPair[]): void {
  const payloads = pairs.map(({ pushed, found }) => [claimsOf(pushed), claimsOf(found)] as const)
  const withClaims = payloads.filter(([, found]) => found.length > 0)
  expectEvery(
    expect,
    withClaims,
    ([pushed]) => pushed.length > 0,
    'claims or changedClaims, as in the Event Hub',
    'neither claims nor changedClaims',
  )
  for (const name of claimMembers) {
    const both = payloads.flatMap(([pushed, found]) => {
      const [one, other] = [pushed, found].map((members) => members.find((member) => member.name === name))
      return one && other ? [[one.value, other.value]] : []
    })
    const isSame = ([one, other]: readonly unknown[]) => inAnyOrder(one) === inAnyOrder(other)
    expectEvery(expect, both, isSame, `${name} as in the Event Hub`, `different ${name}`)
  }
}

/** The members of a payload that name changed claims. A member that is null counts as absent. */
function claimsOf({ payload }: Members): readonly { readonly name: string; readonly value: unknown }[] {
  return claimMembers
    .map((name) => ({ name, value: Object(payload)[name] as unknown }))
    .filter(({ value }) => value !== undefined && value !== null)
}

/** The version of an event as a number, because 1 and 1.0 are the same version; undefined for any other text. */
function versionOf({ version }: Members): number | undefined {
  return typeof version === 'string' && /^\d+(\.\d+)?$/.test(version) ? Number(version) : undefined
}

/** A canonical text of a value, in which the order of array items is ignored. */
function inAnyOrder(value: unknown): string {
  return canonical(Array.isArray(value) ? value.map(canonical).sort() : value)
}

check(
  'WEBHOOK-DELIVERY-JSON',
  'a delivery has a JSON media type',
  delivered,
  async ({ deliveries, expect, note }) => {
    const arrivals = await deliveries.all()
    expectEvery(expect, arrivals, hasJsonType, 'a JSON media type', 'a different type')
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
    await deliveries.expectEvents('not found, for two types', {
      one: 'a delivery to a subscription for two types',
      all: 'every event for a subscription for two types',
    })
    const others = (await deliveries.to('for another type')).length
    expect.that(others === 0, 'no delivery to a subscription for another type', deliveriesText(others))
  },
)

check(
  'WEBHOOK-DELIVERY-ALL-TYPES',
  'a subscription with empty `event_filters` receives the event',
  delivered,
  async ({ deliveries }) => {
    await deliveries.deliveredTo('accepting')
    await deliveries.expectEvents('open to all types')
  },
)

check(
  'WEBHOOK-DELIVERY-UPDATED',
  'a subscription with updated `event_filters` receives events of the new type',
  delivered,
  async ({ deliveries, subscriptions }) => {
    await deliveries.deliveredTo('accepting')
    await subscriptions.requireUpdateShown()
    await deliveries.expectEvents('updated')
  },
)

check(
  'WEBHOOK-TARGET-LOOKED-AT',
  'requests to targets, other than deliveries, are recorded',
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
    expect.that(arrivals === 0, 'no delivery', deliveriesText(arrivals))
  },
)
