import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import {
  contentsById,
  countAt,
  countMissingFrom,
  countTimesMissingFrom,
  distinctWithin,
  evenPageSize,
  partToPage,
  timeOrderOf,
} from '../../../src/check/events/reading.ts'
import { splitAtRandom } from '../../../src/check/events/split.ts'
import { canonical, type HubEvent, namesAmong } from '../../../src/event-hub/event.ts'
import { positionIn } from '../../../src/event-hub/window.ts'
import { event, eventsAt } from '../../event-hub/events.ts'

describe('order', () => {
  test.each([
    [['01.000', '02.000', '02.000', '03.000'], 'ascending'],
    [['03.000', '02.000', '02.000', '01.000'], 'descending'],
    [['01.000', '01.000'], 'constant'],
    [['01.000', '03.000', '02.000'], 'mixed'],
    // As text the first of these would sort last.
    [['01', '01.5', '02.123456'], 'ascending'],
    [['01.0000001', '01.0000002', '01.0000001'], 'mixed'],
    [['01.000', '01.0', '01'], 'constant'],
  ])('%j is %s', (seconds, order) => {
    expect(timeOrderOf(eventsAt(...seconds)).order).toBe(order)
  })

  test('an event without a readable time is skipped', () => {
    const [first, second] = eventsAt('01.000', '02.000')
    const order = timeOrderOf([first, event({ timestamp: 7 }), second].filter((one) => one !== undefined))
    expect(order).toEqual({ order: 'ascending', events: 2, distinct: 2 })
  })
})

test('the middle of a window is not near an event', () => {
  const at = (text: string) => Temporal.PlainDateTime.from(`2026-03-02T10:15:${text}`)
  const window = { from: at('00'), to: at('10') }
  const middle = (...seconds: string[]) =>
    splitAtRandom({ window, events: eventsAt(...seconds), pages: [], complete: true }, 2, () => 0.5)[0]
      ?.to.toString()
      .slice(17)
  expect(middle()).toBe('05')
  expect(middle('05.001')).toBe('05.003')
  expect(middle('05.000', '05.004')).toBe('05.006')
})

test.each([
  [25, 5],
  [24, 12],
  [2, 2],
  [23, 23],
  [1, 1],
])('%i events fill pages of %i completely', (events, pageSize) => {
  expect(evenPageSize(events)).toBe(pageSize)
})

describe('missing events', () => {
  test('repetitions of an event count once', () => {
    const [one, two] = eventsAt('01.000', '02.000') as [HubEvent, HubEvent]
    expect(countMissingFrom([one], [one, one, two, two])).toBe(1)
    expect(countMissingFrom([one, two, two], [one])).toBe(0)
  })

  const [a, b] = [event({ id: 'a' }), event({ id: 'b' })]

  test('a repeated event does not replace a missing one', () => {
    expect(countMissingFrom([a, a], [a, b])).toBe(1)
    expect(countMissingFrom([b, a], [a, b])).toBe(0)
  })

  test('an order by time alone may swap events of equal time', () => {
    expect(countTimesMissingFrom([a], [b])).toBe(0)
    expect(countTimesMissingFrom([], [b])).toBe(1)
  })

  test('one time has several spellings', () => {
    const spelled = (...fractions: string[]) => eventsAt(...fractions.map((fraction) => `01${fraction}`))
    const events = spelled('.100', '.123', '.000')
    for (const others of [spelled('.1', '.123000', ''), spelled('.100000', '.1230', '.0')]) {
      expect(countMissingFrom(others, events)).toBe(0)
      expect(countTimesMissingFrom(others, events)).toBe(0)
      expect(contentsById([...events, ...others])).toEqual({ ids: 3, conflicting: 0, repeated: 3 })
    }
    const later = spelled('.101', '.1231', '.001')
    expect(countMissingFrom(later, events)).toBe(3)
    expect(countTimesMissingFrom(later, events)).toBe(3)
    expect(contentsById([...events, ...later])).toMatchObject({ conflicting: 3 })
  })

  test('additional events are not a gap', () => {
    expect(countTimesMissingFrom([a, b, a], [a])).toBe(0)
  })
})

describe('contents by id', () => {
  test('equal content in another order of members is equal', () => {
    const payloads = [{ claims: { x: 1, y: [{ a: 1, b: 2 }] } }, { claims: { y: [{ b: 2, a: 1 }], x: 1 } }]
    const [one, two] = payloads.map((payload) => event({ payload }))
    expect(canonical(one?.members)).toBe(canonical(two?.members))
    expect(contentsById([one, two].filter((each) => each !== undefined))).toEqual({
      ids: 1,
      conflicting: 0,
      repeated: 1,
    })
  })

  test('another content under the same id is a conflict', () => {
    const events = [event(), event({ version: '1' }), event({ id: 'other' })]
    expect(contentsById(events)).toEqual({ ids: 2, conflicting: 1, repeated: 0 })
  })

  test('a member that is malformed in one of them is not a conflict; a different member is', () => {
    const malformed = { version: 1, sphere: {}, payload: undefined }
    expect(contentsById([event(), event(malformed)])).toMatchObject({ conflicting: 0, repeated: 1 })
    expect(contentsById([event(), event({ ...malformed, type: 'other' })])).toMatchObject({ conflicting: 1 })
  })

  const names = { changedClaims: ['email', 'phone_number'] }

  test.each([
    [
      'undocumented members',
      { delivery: 1, payload: { ...names, meta: 1 } },
      { delivery: 2, payload: names },
    ],
    ['null and an absent member', { sphere: null, payload: { claims: null, ...names } }, { payload: names }],
    ['an order of names', { payload: names }, { payload: { changedClaims: ['phone_number', 'email'] } }],
    ['a repeated name', { payload: { changedClaims: ['email', 'email'] } }, {}],
  ])('a difference in %s is not a conflict', (_, one, other) => {
    expect(contentsById([event(one), event(other)])).toMatchObject({ conflicting: 0, repeated: 1 })
  })

  test.each([
    ['time', { timestamp: '2026-03-02T10:15:30.124' }],
    ['type', { type: 'other' }],
    ['version', { version: '1' }],
    ['sphere', { sphere: 'one' }],
    ['subscriber', { subscriber: 'one' }],
    ['application', { application: 'one' }],
    ['subscription', { subscription: 'one' }],
    ['names', { payload: names }],
    ['claims', { payload: { changedClaims: ['email'], claims: {} } }],
  ])('a difference in %s is a conflict', (_, changes) => {
    expect(contentsById([event(), event(changes)])).toMatchObject({ conflicting: 1, repeated: 0 })
  })

  test('of claims, every value is compared, and null is one', () => {
    const having = (claims: unknown) => event({ payload: { claims } })
    expect(contentsById([having({ email: null }), having({})])).toMatchObject({ conflicting: 1 })
    expect(contentsById([having({ email: 'a' }), having({ email: 'b' })])).toMatchObject({ conflicting: 1 })
  })

  test('a malformed member of a payload leaves the other one to compare', () => {
    const having = (claims: unknown, changedClaims: unknown) => event({ payload: { claims, changedClaims } })
    const first = having({ email: 'a' }, ['email'])
    expect(contentsById([first, having({ email: 'a' }, [7])])).toMatchObject({ conflicting: 0 })
    expect(contentsById([first, having({ email: 'b' }, [7])])).toMatchObject({ conflicting: 1 })
    expect(contentsById([first, event({ payload: 7 })])).toMatchObject({ conflicting: 0 })
  })

  test('events without a usable id are ignored', () => {
    const events = [
      event({ id: '' }),
      event({ id: '', version: '1' }),
      event({ id: 7 }),
      event({ id: undefined }),
    ]
    expect(contentsById(events)).toEqual({ ids: 0, conflicting: 0, repeated: 0 })
  })
})

test('names are shown, other texts are masked', () => {
  const names = namesAmong(['user.created', 'ada@example.com', 'user.created', 7, 'A\nB'])
  expect(names).toContain('user.created')
  expect(names).toHaveLength(3)
  expect(names.join()).not.toContain('ada')
})

describe('the part that is read page by page', () => {
  const window = {
    from: Temporal.PlainDateTime.from('2026-03-02T00:00'),
    to: Temporal.PlainDateTime.from('2026-03-03T00:00'),
  }
  const reading = (offsets: readonly number[]) => ({
    window,
    pages: [],
    complete: true,
    events: offsets.map((milliseconds, index) =>
      event({ id: `evt-${index}`, timestamp: window.from.add({ milliseconds }).toString() }),
    ),
  })
  const offsets = fc.array(fc.integer({ min: 0, max: 86_399_999 }), { minLength: 0, maxLength: 80 })

  test('contains the requested number of events, in any order of the response', () => {
    fc.assert(
      fc.property(offsets, fc.boolean(), (unsorted, descending) => {
        const sorted = unsorted.toSorted((a, b) => (descending ? b - a : a - b))
        const all = reading(sorted)
        const part = partToPage(all, 25, 7)
        const inside = all.events.filter(({ time }) => time && positionIn(part, time.at) === 'inside')
        // Without gaps between events at both ends, it keeps the whole window.
        expect([25, sorted.length]).toContain(inside.length)
      }),
    )
  })

  test('begins and ends at events rather than at the bounds of the window', () => {
    const all = reading(Array.from({ length: 60 }, (_, index) => index * 60_000))
    const part = partToPage(all, 25, 7)
    expect(countAt(all, part.from)).toBe(1)
    expect(countAt(all, part.to)).toBe(1)
  })

  test('begins at a full second and ends at a fraction, if events allow', () => {
    const fractions = Array.from({ length: 60 }, (_, index) => index * 60_000 + 1)
    const withSeconds = (...indices: number[]) =>
      reading(fractions.map((at, index) => (indices.includes(index) ? at - 1 : at)))
    const from = (...indices: number[]) =>
      window.from.until(partToPage(withSeconds(...indices), 25, 7).from).total('minutes')
    expect(from(20)).toBe(20)
    expect(from(10, 20, 35)).toBe(20)
    expect(from(10, 35)).toBe(10)
  })

  test.each(['ascending', 'descending'])(
    'has two events of equal time on both sides of a page border: %s',
    (order) => {
      const ascending = Array.from({ length: 60 }, (_, index) => index * 60_000)
      ascending[40] = ascending[39] as number
      const all = reading(order === 'ascending' ? ascending : ascending.toReversed())
      const part = partToPage(all, 25, 7)
      const inside = all.events.filter(({ time }) => time && positionIn(part, time.at) === 'inside')
      expect(inside).toHaveLength(25)
      const twins = inside.flatMap(({ members }, index) =>
        members.timestamp === inside[index - 1]?.members.timestamp ? [index] : [],
      )
      expect(twins).toHaveLength(1)
      expect((twins[0] ?? 1) % 7).toBe(0)
    },
  )
})

test('events certainly within a window are counted once, without its end and without truncated times', () => {
  const at = (timestamp: string, id: string) => event({ id, timestamp: `2026-03-02T10:15:${timestamp}` })
  const events = [
    at('10.000', 'first'),
    at('10.000', 'first'),
    at('11.500', 'second'),
    at('12', 'truncated'),
    at('20.000', 'end'),
  ]
  const window = {
    from: Temporal.PlainDateTime.from('2026-03-02T10:15:10'),
    to: Temporal.PlainDateTime.from('2026-03-02T10:15:20'),
  }
  expect(distinctWithin(events, window).map(({ members }) => members.id)).toEqual(['first', 'second'])
  expect(countAt({ events, pages: [], complete: true }, window.from)).toBe(2)
  expect(countAt({ events, pages: [], complete: true }, window.from.add({ seconds: 1 }))).toBe(0)
})
