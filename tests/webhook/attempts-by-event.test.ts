import { describe, expect, test } from 'vitest'
import type { Arrival } from '../../src/check/webhooks/registry.ts'
import { readEvent } from '../../src/event-hub/event.ts'
import { attemptsByEvent, isRetried, timesOf } from '../../suites/webhook-delivery/attempts-by-event.ts'
import {
  deliveredChanges,
  isAnotherTime,
  missedIds,
  ownIds,
} from '../../suites/webhook-delivery/events-in-hub.ts'
import { delivery, event, now } from './deliveries.ts'

const arrival = (id: string, slot = 0, afterMs = 0, subscriber = 'user'): Arrival => ({
  delivery: { ...delivery(), receivedAt: now + afterMs },
  event: { ...event, id, subscriber },
  slot,
})

describe('attempts by event', () => {
  test('an attempt at one event is not an attempt at another', () => {
    const [first, second] = attemptsByEvent([arrival('a'), arrival('b'), arrival('b', 2), arrival('b', 4)])
    expect([first, second].map((attempts) => attempts && isRetried(attempts))).toEqual([false, true])
    expect([first, second].map((attempts) => attempts && timesOf(attempts))).toEqual([1, 3])
  })

  test('an attempt with an unknown id may belong to any event', () => {
    const attempts = attemptsByEvent([arrival('a'), arrival('b'), arrival('c', 2)])
    expect(attempts.map(isRetried)).toEqual([true, true])
    expect(attempts.map(timesOf)).toEqual([2, 2])
  })

  test('a repetition is a retry if it comes late enough, even before the clock is advanced', () => {
    const [early] = attemptsByEvent([arrival('a'), arrival('a', 0, 14_000)])
    const [late] = attemptsByEvent([arrival('a'), arrival('a', 0, 15_000)])
    expect([early && isRetried(early), late && isRetried(late)]).toEqual([false, true])
  })
})

describe('events in the Event Hub', () => {
  const found = (id: string, timestamp: string, subscriber = 'user') =>
    readEvent({ ...event, id, timestamp, subscriber })
  const changeOf = (changed: ReturnType<typeof found>[], restored: ReturnType<typeof found>[]) => ({
    claim: 'email',
    value: 'temporary',
    subjects: ['user'],
    application: 'app',
    changed: { events: changed, until: now },
    restored: { events: restored, until: now },
  })
  const between = { from: now - 60_000, until: now + 60_000 }

  test('the events of the user are in order; those of others and of earlier times are excluded', () => {
    const change = changeOf(
      [found('other', '2026-03-02T12:00:00.100', 'someone'), found('a', '2026-03-02T12:00:00.100')],
      [found('b', '2026-03-02T12:00:10.100'), found('old', '2026-03-02T11:52:00.100')],
    )
    expect(ownIds(change, between)).toEqual(['a', 'b'])
  })

  test.each([
    ['all arrived', ['a', 'b'], []],
    ['the second is missing', ['a'], ['b']],
    ['the first came before the subscription was effective', ['b'], []],
    ['nothing arrived', [], []],
    ['an unknown one may be the missing one', ['a', 'x'], []],
  ])('%s', (_, arrived, missed) => {
    expect(
      missedIds(
        ['a', 'b'],
        arrived.map((id) => arrival(id)),
      ),
    ).toEqual(missed)
  })

  test('only claim changes of the user are delivered changes', () => {
    const other = { ...arrival('c'), event: { ...event, id: 'c', subscriber: 'user', type: 'user.deleted' } }
    const arrivals = [arrival('a'), arrival('a', 1), arrival('b', 0, 0, 'someone'), other]
    expect(deliveredChanges(arrivals, { subjects: ['user'] })).toEqual(['a'])
  })

  test.each([
    ['2026-03-02T10:00:00.123Z', '2026-03-02T12:00:00.123', false],
    ['2026-03-02T10:00:00.123Z', '2026-03-02T15:45:00.123', false],
    ['2026-03-02T10:00:00Z', '2026-03-02T12:00:00.999', false],
    ['2026-03-02T10:00:00.000Z', '2026-03-02T11:59:59.001', false],
    ['2026-03-02T09:57:00.123Z', '2026-03-02T12:00:00.123', true],
    ['2026-03-02T10:00:02.123Z', '2026-03-02T12:00:00.123', true],
    ['2026-03-02T09:57:00.123', '2026-03-02T12:00:00.123', false],
    ['2026-03-02T09:57:00.123Z', undefined, false],
  ])('%s and %s in the Event Hub: another time is %s', (pushed, local, expected) => {
    expect(isAnotherTime(pushed, local)).toBe(expected)
  })
})
