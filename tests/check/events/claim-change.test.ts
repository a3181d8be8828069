import { describe, expect, test } from 'vitest'
import {
  type ClaimChange,
  changeEventOf,
  eventsOfOtherType,
  hasRestoration,
  isChangeOf,
  namingOf,
  restorationsOf,
  restorationsOfOtherType,
  subscriberOf,
} from '../../../src/check/events/claim-change.ts'
import { event } from '../../event-hub/events.ts'

const user = 'sub-of-the-user'
const byValue = { payload: { claims: { given_name: 'Canarina' } } }
const byName = { payload: { changedClaims: ['given_name'] } }

function change(
  changed: readonly Readonly<Record<string, unknown>>[],
  restored: readonly Readonly<Record<string, unknown>>[] = [],
): ClaimChange {
  return {
    claim: 'given_name',
    value: 'Canarina',
    subjects: [user],
    application: 'portal',
    changed: { events: changed.map(event), until: 0 },
    restored: { events: restored.map(event), until: 0 },
  }
}

describe('the subscriber of a change', () => {
  test.each([
    ['named as the tokens do', change([{ subscriber: user }]), 'the user'],
    ['named so among others', change([{ subscriber: 'other' }, { subscriber: user }]), 'the user'],
    [
      'named so, and otherwise in the event of another application',
      change([{ ...byValue, subscriber: 'other', application: 'kiosk' }, { subscriber: user }]),
      'the user',
    ],
    ['left out, known by the value', change([{ ...byValue }]), 'none'],
    ['null, known by the value', change([{ ...byValue, subscriber: null }]), 'none'],
    ['another one, known by the value', change([{ ...byValue, subscriber: 'other' }]), 'another user'],
    [
      'another one of this application',
      change([{ ...byValue, subscriber: 'other', application: 'portal' }]),
      'another user',
    ],
    [
      'another one in the event of another application only',
      change([{ ...byValue, subscriber: 'other', application: 'kiosk' }]),
      'unknown',
    ],
    ['a number', change([{ ...byValue, subscriber: 7 }]), 'malformed'],
    [
      'another one, alone with the change and with the restoration',
      change([{ ...byName, subscriber: 'other' }], [{ ...byName, subscriber: 'other' }]),
      'another user',
    ],
    [
      'left out, alone with the change and with the restoration',
      change([{ ...byName }], [{ ...byName }]),
      'none',
    ],
    [
      'another one, alone with both, while the restoration names the user',
      change(
        [{ ...byName, subscriber: 'other' }],
        [{ ...byName, subscriber: 'other' }, { subscriber: user }],
      ),
      'unknown',
    ],
    ['another one with the change only', change([{ ...byName, subscriber: 'other' }]), 'unknown'],
    [
      'another one with the change, a third one with the restoration',
      change([{ ...byName, subscriber: 'other' }], [{ ...byName, subscriber: 'third' }]),
      'unknown',
    ],
    [
      'two others who change claims at the same times',
      change([{ subscriber: 'a' }, { subscriber: 'b' }], [{ subscriber: 'a' }, { subscriber: 'b' }]),
      'unknown',
    ],
    [
      'another one who changes claims all the time',
      change([{ subscriber: 'a' }, { subscriber: 'a' }], [{ subscriber: 'a' }]),
      'unknown',
    ],
    ['of an event of another type', change([{ type: 'UserUpdated', subscriber: user }]), 'unknown'],
    ['of no event at all', change([]), 'unknown'],
  ] as const)('%s', (_, given, subscriber) => {
    expect(subscriberOf(given)).toBe(subscriber)
  })
})

describe('the event of a change', () => {
  test('is that of the user, in preference to another event with the value', () => {
    const found = changeEventOf(
      change([
        { id: '1', ...byValue, subscriber: 'other' },
        { id: '2', subscriber: user },
      ]),
    )
    expect(found?.members.id).toBe('2')
    expect(changeEventOf(change([{ ...byName, subscriber: 'other' }]))).toBeUndefined()
  })

  test('is not an event of another type or value', () => {
    const traces = { subjects: [user], value: 'Canarina' }
    expect(isChangeOf(event({ type: 'UserUpdated', subscriber: user }), traces)).toBe(false)
    expect(isChangeOf(event({ payload: { claims: { given_name: 'Cana' } } }), traces)).toBe(false)
    expect(isChangeOf(event({ payload: null }), traces)).toBe(false)
  })

  test('has another type only where its payload is that of a change', () => {
    const other = { type: 'UserUpdated', subscriber: user }
    expect(eventsOfOtherType(change([{ ...other, ...byName }]))).toHaveLength(1)
    expect(eventsOfOtherType(change([{ ...other, type: undefined, ...byValue }]))).toHaveLength(1)
    expect(eventsOfOtherType(change([{ ...other, payload: { method: 'password' } }]))).toHaveLength(0)
    expect(eventsOfOtherType(change([{ ...other, subscriber: 'other', ...byName }]))).toHaveLength(0)
  })
})

test.each([
  [byValue.payload, ['claims, naming the claim, with the new value']],
  [{ claims: { given_name: 'Ada' } }, ['claims, naming the claim, with another value']],
  [{ claims: { name: 'Canarina' } }, ['claims, with the new value']],
  [{ claims: {} }, ['claims']],
  [byName.payload, ['changedClaims, naming the claim']],
  [{ changedClaims: ['email'], claims: {} }, ['claims', 'changedClaims']],
  [{}, ['neither claims nor changedClaims']],
  [null, ['neither claims nor changedClaims']],
])('how %j speaks of the claim', (payload, naming) => {
  expect(namingOf(event({ payload }), { claim: 'given_name', value: 'Canarina' })).toEqual(naming)
})

describe('a restoration has an event', () => {
  const own = { ...byName, subscriber: user }
  const other = { ...byName, subscriber: 'other' }

  test.for([
    ['of the same user', [own], [own], true],
    ['of the same user and another type', [own], [{ ...own, type: 'UserUpdated' }], true],
    ['of another user', [own], [other], false],
    ['without a subscriber', [own], [byName], false],
    ['without a subscriber, like the change', [byValue], [{ ...byName, subscriber: null }], true],
    ['of none', [own], [], false],
    ['of a user who has one after the change, too', [other], [other], true],
    ['of a user, but none after the change', [], [own], false],
  ] as const)('%s: %o', ([, changed, restored, has]) => {
    expect(hasRestoration(change(changed, restored))).toBe(has)
  })
})

describe('the events of a restoration', () => {
  const own = { ...byName, subscriber: user }
  const otherType = { ...own, type: 'UserUpdated' }

  test('are those that name the user', () => {
    expect(restorationsOf(change([own], [own, { ...byName, subscriber: 'other' }, otherType]))).toHaveLength(
      1,
    )
  })

  test.for([
    ['all have another type', [own], [otherType], 1],
    ['also have the documented type', [own], [otherType, own], 0],
    ['are of another user', [own], [{ ...otherType, subscriber: 'other' }], 0],
    ['need not name a user whom the event of the change does not name', [byValue], [otherType], 0],
  ] as const)('are of another type if they %s', ([, changed, restored, count]) => {
    expect(restorationsOfOtherType(change(changed, restored))).toHaveLength(count)
  })
})
