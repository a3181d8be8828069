import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  countEventsIn,
  defaultPaging,
  type EventPage,
  hasMore,
  itemsOf,
  readPage,
  usedPageSize,
} from '../../src/event-hub/page.ts'
import { readPages, readPagesBackwards } from '../../src/event-hub/paging.ts'
import { item } from './events.ts'

const requested = { page: 2, pageSize: 10 }

test.each([
  ['of a page', { total: 2, items: [item(), item({ id: 'b' })] }, ['evt-1', 'b']],
  ['of a page without a total', { items: [item()] }, ['evt-1']],
  ['that are objects', { items: [item(), 'text', null, [item()]] }, ['evt-1']],
  ['of a page with other items', { items: { id: 'a' } }, []],
  ['of another body', 'text', []],
  ['of no body', undefined, []],
])('the items %s', (_, body, ids) => {
  expect(itemsOf(body).map(({ members }) => members.id)).toEqual(ids)
})

describe('reading a page', () => {
  test('a valid one', () => {
    expect(readPage({ page: 2, pageSize: 5, total: 11, items: [item()] }, requested)).toMatchObject({
      requested,
      page: 2,
      pageSize: 5,
      total: 11,
      problems: [],
    })
  })

  test('numbers as text are read, and reported', () => {
    const page = readPage({ page: '2', pageSize: '5', total: '11', items: [] }, requested)
    expect(page).toMatchObject({ page: 2, pageSize: 5, total: 11 })
    expect(page?.problems).toHaveLength(3)
  })

  test.each([
    '',
    ' 1',
    '1 ',
    '+1',
    '-1',
    '1.5',
    '1e3',
    'one',
    '1234567890123456',
    -1,
    1.5,
    null,
    [1],
    ['1'],
    true,
  ])('a total of %j is not read', (total) => {
    expect(readPage({ page: 2, pageSize: 5, total, items: [] }, requested)).toBeUndefined()
  })

  test('requested values replace unreadable ones', () => {
    expect(readPage({ page: -1, total: 0, items: [] }, requested)).toMatchObject(requested)
  })

  test.each([
    [undefined],
    [null],
    ['text'],
    [[]],
    [{ total: 3 }],
    [{ items: [] }],
    [{ items: {}, total: 1 }],
  ])('nothing can be read from %j', (body) => {
    expect(readPage(body, requested)).toBeUndefined()
  })

  test.each([
    ['smaller than requested', 7, 7],
    ['larger than requested', 50, 10],
  ])('a page size that is %s', (_, pageSize, used) => {
    const page = readPage({ page: 2, pageSize, total: 30, items: [] }, requested)
    expect(page && usedPageSize(page)).toBe(used)
  })

  test('items that are not objects become events without members', () => {
    const page = readPage({ page: 2, pageSize: 5, total: 11, items: [7, null, []] }, requested)
    expect(page?.events).toHaveLength(3)
    expect(page?.events.flatMap(({ problems }) => problems)).toEqual([])
  })
})

/** A lawful hub with numbered events that returns at most `cap` per page. */
function hub(total: number, pageSize: number, cap: number) {
  const size = Math.min(pageSize, cap)
  const sent: number[] = []
  const read = async (page: number): Promise<EventPage> => {
    sent.push(page)
    const ids = Array.from({ length: total }, (_, index) => `evt-${index}`).slice(
      page * size,
      (page + 1) * size,
    )
    const body = { page, pageSize: size, total, items: ids.map((id) => item({ id })) }
    return readPage(body, { page, pageSize }) as EventPage
  }
  return { sent, read }
}

describe('reading all pages', () => {
  test('every event once and no extra page, even if the hub reduces the page size', async () => {
    const sizes = fc.integer({ min: 1, max: 20 })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 60 }), sizes, sizes, async (total, pageSize, cap) => {
        const { sent, read } = hub(total, pageSize, cap)
        const { events, complete } = await readPages(read, 100)
        expect(complete).toBe(true)
        expect(new Set(events.map(({ members }) => members.id)).size).toBe(total)
        expect(events).toHaveLength(total)
        expect(sent).toHaveLength(Math.max(1, Math.ceil(total / Math.min(pageSize, cap))))
      }),
    )
  })

  test('never more pages than the limit', async () => {
    const { sent, read } = hub(100, 10, 10)
    const reading = await readPages(read, 3)
    expect(sent).toEqual([0, 1, 2])
    expect(reading).toMatchObject({ complete: false })
  })

  test('a page size of 0 in a response ends the reading', () => {
    expect(hasMore({ requested, page: 2, pageSize: 0, total: 9, events: [], problems: [] })).toBe(false)
  })
})

describe('reading all pages from the last one back', () => {
  test('returns the same events in the order of their pages, even if the hub reduces the page size', async () => {
    const lengths = fc.record({
      total: fc.nat(60),
      pageSize: fc.integer({ min: 1, max: 20 }),
      cap: fc.integer({ min: 1, max: 20 }),
    })
    await fc.assert(
      fc.asyncProperty(lengths, async ({ total, pageSize, cap }) => {
        const forwards = hub(total, pageSize, cap)
        const backwards = hub(total, pageSize, cap)
        const expected = await readPages(forwards.read, 100)
        const reading = await readPagesBackwards(backwards.read, 100)
        expect(reading).toEqual(expected)
        const [first, ...others] = forwards.sent
        expect(backwards.sent).toEqual([first, ...others.toReversed()])
      }),
    )
  })

  test('never reads more pages than the limit', async () => {
    const { sent, read } = hub(100, 10, 10)
    expect((await readPagesBackwards(read, 3)).complete).toBe(false)
    expect(sent).toEqual([0, 2, 1])
  })
})

test('a search that states no page is for the first ten events', () => {
  expect(defaultPaging).toEqual({ page: 0, pageSize: 10 })
})

describe('events within a body', () => {
  const body = { page: 0, pageSize: 10, total: 2, items: [item(), item({ payload: undefined })] }
  test.each<[string, number, unknown]>([
    ['a page', 2, body],
    ['a page inside an error', 2, { error: 'invalid', details: [{ page: body }] }],
    ['a page with items by id', 1, { items: { 'evt-1': item() } }],
    ['a list', 2, [item(), item()]],
    ['a single event', 1, item()],
  ])('%s', (_, count, given) => {
    expect(countEventsIn(given)).toBe(count)
  })

  const listed = (...members: string[]) => ({
    items: [Object.fromEntries(members.map((name) => [name, 'x']))],
  })
  test.each(['id', 'timestamp', 'type', 'version', 'payload'])(
    'three members in a list count as an event, such as %s',
    (name) => {
      const others = ['id', 'timestamp', 'type'].filter((other) => other !== name).slice(0, 2)
      expect(countEventsIn(listed(...others, name))).toBe(1)
      expect(countEventsIn(listed(...others))).toBe(0)
    },
  )

  test.each<[string, Record<string, unknown>]>([
    ['claims in the payload', { payload: { claims: {} } }],
    ['changed claims in the payload', { payload: { changedClaims: [] } }],
    ['the documented type', { type: 'ClaimValuesChanged' }],
    ['a subscriber', { subscriber: 'sub-1' }],
  ])('three members count as an event anywhere with %s', (_, data) => {
    expect(countEventsIn({ id: 'a', type: 'b', payload: {}, ...data })).toBe(1)
    expect(countEventsIn({ found: [[{ id: 'a', timestamp: 'c', type: 'b', ...data }]] })).toBe(1)
    expect(countEventsIn({ id: 'a', ...data })).toBe(0)
  })

  test('three members count as an event anywhere if it is known', () => {
    const body = { error: [{ id: 'a', type: 'b', payload: {} }] }
    expect(countEventsIn(body, ({ id }) => id === 'a')).toBe(1)
    expect(countEventsIn(body, ({ id }) => id === 'b')).toBe(0)
    expect(countEventsIn({ id: 'a', payload: {} }, () => true)).toBe(0)
  })

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a member that is null', { error: null }],
    ['a list of errors under another name', { errors: [{ id: 'e-1', type: 'BAD', timestamp: 'now' }] }],
    ['a list of its own', [{ id: 'e-1', type: 'BAD', timestamp: 'now' }]],
    [
      'an object inside an item',
      { items: [{ field: 'from', cause: { id: 'e-1', type: 'BAD', timestamp: 'now' } }] },
    ],
    ['an empty page', { page: 0, pageSize: 10, total: 0, items: [] }],
    [
      'an error with an id, a type and a time',
      { id: 'e-1', type: 'BAD_REQUEST', timestamp: 'now', status: 400 },
    ],
    [
      'an error in an envelope like that of an event',
      { id: 'e-1', timestamp: 'now', type: 'REFUSED', version: '1', payload: { reason: 'window' } },
    ],
    ['one with a null subscriber', { id: 'e-1', type: 'BAD', version: '1', subscriber: null, payload: 'x' }],
    ['a list of errors', { items: [{ field: 'from', message: 'is missing' }, 'to is missing'] }],
  ])('none in %s', (_, given) => {
    expect(countEventsIn(given)).toBe(0)
  })
})
