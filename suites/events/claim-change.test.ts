import type { ClaimChangeMade } from '../../src/check/claim-steps.ts'
import { requireSimilarClocks, unknownClock } from '../../src/check/clock.ts'
import {
  eventsOfOtherType,
  namingOf,
  restorationsOf,
  restorationsOfOtherType,
  subscriberOf,
} from '../../src/check/events/claim-change.ts'
import { contentsById } from '../../src/check/events/reading.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import { offsetBetween, offsetText, windowOver } from '../../src/event-hub/clock-changes.ts'
import type { EventTimeZone, LocalDateTime } from '../../src/event-hub/local-time.ts'
import { positionIn } from '../../src/event-hub/window.ts'
import { counted } from '../../src/text/format.ts'
import { check } from './requirements.ts'

const options = { effects: ['login', 'claim-change'], needs: ['user', 'claimRecipe'] } as const

check(
  'EVENT-CLAIM-CHANGE-EMITTED',
  'a changed claim causes a `ClaimValuesChanged` event',
  options,
  async ({ claims, expect, basis }) => {
    const change = await claims.change()
    basis({ events: change.changed.events.length })
    const others = eventsOfOtherType(change).length
    expect.describeRequest('a changed claim of the test user')
    expect.that(
      subscriberOf(change) !== 'unknown' || others === 0,
      'an event of the type ClaimValuesChanged',
      `${counted(others, 'event')} of the change with a different type`,
    )
    const restorations = restorationsOfOtherType(change).length
    expect.describeRequest('a claim of the test user that was changed and restored')
    expect.that(
      restorations === 0,
      'an event of the type ClaimValuesChanged for each change',
      `${counted(restorations, 'event')} of the restoration with a different type`,
    )
    if (subscriberOf(change) === 'unknown') throw claims.notFound(change)
    claims.requireRestored(change)
    claims.requireRestorationEvent(change)
  },
)

check(
  'EVENT-SUBSCRIBER',
  'the `subscriber` of a change event is the `sub` of the tokens',
  options,
  async ({ claims, expect, basis }) => {
    const change = await claims.change()
    const { changed, restored } = change
    basis({ events: changed.events.length + restored.events.length })
    const subscriber = subscriberOf(change)
    requireFound(claims, change)
    if (subscriber === 'malformed')
      return inconclusive('the subscriber of the event is not a string', ['EVENT-CONTEXT'])
    expect.describeRequest('a changed claim of the test user')
    expect.that(
      subscriber !== 'another user',
      "the sub of the application's tokens as subscriber",
      'a different subscriber',
    )
    claims.requireRestored(change)
    if (subscriber === 'none')
      return notApplicable('the event has no subscriber, which is optional', 'target')
    claims.requireRestorationEvent(change)
  },
)

check(
  'EVENT-TIMESTAMP-GENERATED',
  'the timestamp of a change event is between the change and the search that returned it',
  options,
  async ({ claims, target, expect, basis, clockOffsetMs }) => {
    const change = await claims.change()
    const { time } = claims.ownEvent(change)
    if (!time) return inconclusive('the timestamp of the event cannot be read', ['EVENT-TIMESTAMP'])
    if (clockOffsetMs() === undefined) throw unknownClock()
    const { from, until } = claims.madeBetween(change)
    basis({ events: 1 })
    expect.describeRequest('a changed claim of the test user')
    const offset = offsetBetween(time.at, from, until)
    const { eventTimeZone: zone } = target
    if (zone !== 'unknown' && !isBetween(zone, time.at, { from, until })) {
      // The Date header and the event may have different clocks.
      requireSimilarClocks(clockOffsetMs())
      if (offset !== undefined)
        return inconclusive(`the time of the event is in UTC${offsetText(offset)}, which is not ${zone}`, {
          variables: ['EVENT_TIME_ZONE'],
          advice: 'correct EVENT_TIME_ZONE',
        })
      expect.violated({
        expected: `a time in ${zone} between the change and the search that found the event`,
        actual: 'a time more than a minute outside that period',
      })
    }
    // UTC offsets are multiples of 15 min.
    if (zone === 'unknown' && until - from >= 15 * 60_000)
      return inconclusive('the event arrived so late that any timestamp would fit some time zone', {
        cause: 'environment',
        variables: ['EVENT_TIME_ZONE'],
        advice: 'set EVENT_TIME_ZONE',
      })
    expect.that(
      zone !== 'unknown' || offset !== undefined,
      'a time in some zone between the change and the search that found the event',
      'a time more than a minute outside that period',
    )
    const restorations = restorationsOf(change)
    const restorationPeriod = claims.madeBetween(change, 'restored')
    const wrong = restorations.filter(
      ({ time: other }) => other && !isBetween(zone, other.at, restorationPeriod),
    )
    if (wrong.length > 0) requireSimilarClocks(clockOffsetMs())
    expect.describeRequest('a claim of the test user that was changed and restored')
    expect.that(
      wrong.length === 0,
      'a time between the change and the search that found the event of the restoration',
      'a time more than a minute outside that period',
    )
    basis({ events: 1 + restorations.length })
    claims.requireRestored(change)
  },
)

check(
  'EVENT-ID-UNIQUE',
  'the events of a change and of its restoration have different ids',
  options,
  async ({ claims, readings, expect, basis }) => {
    const change = await claims.change()
    const { changed, restored } = change
    const newEvents = [...changed.events, ...restored.events]
    if (newEvents.length === 0) throw claims.notFound(change)
    // Another check of this requirement judges conflicts between other events.
    const known = contentsById(await readings.someEvents()).conflicting
    const { ids, conflicting } = contentsById([...(await readings.someEvents()), ...newEvents])
    if (ids === 0) return inconclusive('no event has an id', ['EVENT-ID'])
    basis({ events: newEvents.length })
    expect.describeRequest('a claim of the test user that was changed and restored')
    expect.that(
      conflicting === known,
      'a different id for each event',
      `different contents with the same id, for ${conflicting - known} of ${ids} ids`,
    )
    claims.requireRestored(change)
    if (!change.wasRestored)
      return notApplicable(
        'an earlier run had left the claim changed, so this run only set its normal value; the next run can check this',
        'environment',
      )
    requireFound(claims, change)
    claims.requireRestorationEvent(change)
  },
)

check(
  'EVENT-TIME-ZONE',
  'the UTC offset of the timestamp of a change event is recorded',
  options,
  async ({ claims, target, observe }) => {
    const change = await claims.change()
    const { from, until } = claims.madeBetween(change)
    const { time } = claims.ownEvent(change)
    const { eventTimeZone: zone } = target
    // The offset of a zone changes with the seasons, which must not count as drift.
    if (time && zone !== 'unknown' && isBetween(zone, time.at, { from, until }))
      return observe('events.time-zone', 'as configured in EVENT_TIME_ZONE')
    const offset = time && offsetBetween(time.at, from, until)
    if (offset === undefined || until - from >= 15 * 60_000)
      return inconclusive('no single UTC offset fits the time of the event', ['EVENT-TIMESTAMP-GENERATED'])
    observe('events.time-zone', `UTC${offsetText(offset)}`)
  },
)

check(
  'EVENT-CLAIM-CHANGE-NAMED',
  'the claim in the payload of a change event is recorded',
  options,
  async ({ claims, observe }) => {
    const change = await claims.change()
    observe('events.claim-change.payload', namingOf(claims.ownEvent(change), change))
  },
)

/**
 * Requires an event of the change.
 * @throws {Inconclusive} if there is no event, or only an event of a different type
 */
function requireFound(claims: CheckContext['claims'], change: ClaimChangeMade): void {
  if (subscriberOf(change) !== 'unknown') return
  if (eventsOfOtherType(change).length > 0)
    inconclusive('the event of the change has a different type', ['EVENT-CLAIM-CHANGE-EMITTED'])
  throw claims.notFound(change)
}

/** Whether a clock in the zone shows this time between two instants; for an unknown zone, a clock in any zone. */
function isBetween(
  zone: EventTimeZone,
  at: LocalDateTime,
  { from, until }: { readonly from: number; readonly until: number },
): boolean {
  return zone === 'unknown'
    ? offsetBetween(at, from, until) !== undefined
    : positionIn(windowOver(zone, from, until), at) === 'inside'
}
