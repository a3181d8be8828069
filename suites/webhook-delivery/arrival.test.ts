import { kindOf } from '../../src/check/expect.ts'
import type { Arrival } from '../../src/check/webhooks/registry.ts'
import { eventProblems } from '../../src/event-hub/schemas.ts'
import { instantOf } from '../../src/webhook/timestamp.ts'
import { delivered } from './delivered.ts'
import { check } from './requirements.ts'

/** Whether a delivery is JSON by its media type, or names none. */
const saysJson = ({ delivery }: Arrival) =>
  /^(application\/([\w.-]+\+)?json\b|$)/i.test(delivery.headers['content-type'] ?? '')

const isText = (value: unknown) => typeof value === 'string'

check(
  'WEBHOOK-DELIVERY-POST',
  'the event of a changed claim is sent to a subscription by POST',
  delivered,
  async ({ deliveries, expect, basis }) => {
    const arrivals = await deliveries.firstTo('accepting')
    basis({ deliveries: arrivals.length })
    if (arrivals.length === 0) await deliveries.emitted()
    expect.that(arrivals.length > 0, 'a delivery', 'there was none')
    const all = await deliveries.all()
    const others = all.filter(({ delivery: { method } }) => method !== 'POST').length
    expect.that(others === 0, 'POST', `${others} of ${all.length} came by another method`)
  },
)

check(
  'WEBHOOK-DELIVERY-ENVELOPE',
  'the body is the envelope of an event',
  delivered,
  async ({ deliveries, expect, needs }) => {
    const arrivals = (await deliveries.all()).filter(saysJson)
    needs(arrivals.length, 1, 'delivery of JSON', { dependsOn: ['WEBHOOK-DELIVERY-JSON'] })
    const unread = arrivals.filter(({ event }) => !event).length
    expect.that(unread === 0, 'a JSON object', `${unread} of ${arrivals.length} bodies were none`)
    for (const { event } of arrivals) {
      const problem = eventProblems(event).find(
        // How the timestamp is written is a matter of its own.
        ({ path, value }) => path !== 'timestamp' || value === undefined,
      )
      expect.that(
        problem === undefined,
        'an envelope as the Event Hub gives it',
        `${problem?.path} ${problem?.rule}, but was ${kindOf(problem?.value)}`,
      )
    }
  },
)

check(
  'WEBHOOK-DELIVERY-ENVELOPE',
  'a delivered event is of the type and the context that the Event Hub gives it under its id',
  delivered,
  async ({ deliveries, expect, needs, basis }) => {
    const pairs = await deliveries.pairsWithHub()
    needs(pairs.length, 1, 'delivered event that the Event Hub gives out', {
      dependsOn: ['WEBHOOK-FAILED-RETRIEVABLE'],
    })
    basis({ deliveries: pairs.length })
    for (const name of ['type', 'sphere', 'subscriber', 'application', 'subscription']) {
      // What is optional may be given by one of them alone.
      const both = pairs.filter(({ pushed, found }) => isText(pushed[name]) && isText(found[name]))
      const others = both.filter(({ pushed, found }) => pushed[name] !== found[name]).length
      expect.that(
        others === 0,
        `${name} as the Event Hub gives it`,
        `${others} of ${both.length} deliveries have another`,
      )
    }
  },
)

check(
  'WEBHOOK-DELIVERY-JSON',
  'a delivery says that it is JSON',
  delivered,
  async ({ deliveries, expect, note }) => {
    const arrivals = await deliveries.all()
    const others = arrivals.filter((arrival) => !saysJson(arrival)).length
    expect.that(
      others === 0,
      'a media type of JSON',
      `${others} of ${arrivals.length} deliveries name another`,
    )
    if (arrivals.some(({ delivery }) => delivery.headers['content-type'] === undefined))
      note('some deliveries name no media type')
  },
)

check(
  'WEBHOOK-DELIVERY-TIMESTAMP-Z',
  'the timestamp of the event ends with Z',
  delivered,
  async ({ deliveries, expect, inconclusive }) => {
    const events = (await deliveries.all()).flatMap(({ event }) =>
      event && 'timestamp' in event ? [event] : [],
    )
    if (events.length === 0)
      return inconclusive('no event has a timestamp', { dependsOn: ['WEBHOOK-DELIVERY-ENVELOPE'] })
    for (const { timestamp } of events) {
      expect.that(
        instantOf(timestamp) !== undefined,
        'an ISO 8601 date-time with a trailing Z',
        typeof timestamp === 'string' ? 'it was another text' : `it was ${kindOf(timestamp)}`,
      )
    }
  },
)

check(
  'WEBHOOK-DELIVERY-FILTERS',
  'a subscription for the type gets the event, and one for another type does not',
  delivered,
  async ({ deliveries, expect }) => {
    await deliveries.deliveredTo('accepting')
    const several = (await deliveries.firstTo('not found, for two types')).length
    expect.that(several > 0, 'a delivery where the type is one of two', 'there was none')
    const others = (await deliveries.to('for another type')).length
    expect.that(others === 0, 'no delivery for another type', `there were ${others}`)
  },
)

check(
  'WEBHOOK-DELIVERY-ALL-TYPES',
  'a subscription with empty event_filters gets the event',
  delivered,
  async ({ deliveries, expect }) => {
    await deliveries.deliveredTo('accepting')
    const arrivals = await deliveries.firstTo('open to all types')
    expect.that(arrivals.length > 0, 'a delivery', 'there was none')
  },
)

check(
  'WEBHOOK-DELIVERY-UPDATED',
  'a subscription whose event_filters were changed to the type gets the event',
  delivered,
  async ({ deliveries, subscriptions, expect }) => {
    await deliveries.deliveredTo('accepting')
    await subscriptions.updateIsShown()
    const arrivals = await deliveries.firstTo('updated')
    expect.that(arrivals.length > 0, 'a delivery', 'there was none')
  },
)

check(
  'WEBHOOK-TARGET-LOOKED-AT',
  'requests to targets that are no deliveries',
  delivered,
  async ({ deliveries, observe }) =>
    observe('webhooks.target.other-requests', await deliveries.probesOfTargets()),
)

check(
  'WEBHOOK-DELIVERY-STOPS',
  'a deleted subscription gets nothing',
  delivered,
  async ({ deliveries, expect }) => {
    await deliveries.deliveredTo('accepting')
    const arrivals = (await deliveries.to('deleted')).length
    expect.that(arrivals === 0, 'no delivery', `there were ${arrivals}`)
  },
)
