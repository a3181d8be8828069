import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contentsById, timeOrderOf } from '../../src/check/events/reading.ts'
import { contentFingerprint, EventAudit, FingerprintMap, fingerprint } from '../../src/event-hub/audit.ts'
import { canonical, hasUsableId } from '../../src/event-hub/event.ts'
import { parseLocal } from '../../src/event-hub/local-time.ts'
import { type EventPage, readPage } from '../../src/event-hub/page.ts'
import { item } from './events.ts'

const local = (text: string) => {
  const time = parseLocal(text)
  if (!time) throw new Error(text)
  return time.at
}
const window = { from: local('2026-03-02T10:00:00'), to: local('2026-03-02T11:00:00') }

function pageOf(items: readonly unknown[], page = 0, total = items.length): EventPage {
  return readPage({ page, pageSize: 10, total, items }, { page, pageSize: 10 }) as EventPage
}

function audit(...pages: EventPage[]) {
  const found = new EventAudit(window)
  for (const page of pages) found.take(page)
  return found.findings()
}

const at = (id: string, time: string, changes = {}) =>
  item({ id, timestamp: `2026-03-02T10:${time}`, ...changes })

describe('an audit', () => {
  test('of valid events finds nothing', () => {
    expect(audit(pageOf([at('a', '15:00.000'), at('b', '15:00.000'), at('c', '16:30.123')]))).toEqual({
      events: 3,
      pages: 1,
      malformed: {},
      outside: 0,
      order: 'ascending',
      ids: 3,
      repeated: 0,
      conflicting: 0,
      whole: true,
    })
  })

  test('finds each kind of flaw, and counts it', () => {
    const pages = [
      pageOf([at('a', '15:00.000'), at('b', '15:00.001', { version: 1 }), at('', '15:00.002')], 0, 9),
      pageOf([at('a', '15:00.000'), at('b', '15:00.001', { type: 'other' }), at('c', '60:00.000')], 1, 9),
      pageOf([item({ id: 'd', timestamp: '2026-03-02T11:00:00.000' })], 2, 9),
      pageOf([item({ id: 'e', timestamp: '2026-02-30T10:30:00.000' })], 3, 8),
    ]
    expect(audit(...pages)).toMatchObject({
      events: 8,
      malformed: { version: 1, id: 1, timestamp: 2 },
      outside: 1,
      order: 'mixed',
      ids: 5,
      repeated: 1,
      conflicting: 1,
      whole: false,
    })
  })

  test('does not report a time without a fraction as before the window', () => {
    const early = { from: local('2026-03-02T10:00:00.500'), to: window.to }
    const found = new EventAudit(early)
    found.take(pageOf([item({ timestamp: '2026-03-02T10:00:00' })]))
    expect(found.findings().outside).toBe(0)
  })

  test('agrees with a reading that keeps all events, malformed ones included', () => {
    const changes = fc.record(
      {
        version: fc.constantFrom('1', '2', 2),
        payload: fc.constantFrom(
          {},
          { claims: { x: 1 } },
          { claims: [] },
          { changedClaims: ['x', 'y'] },
          undefined,
        ),
        subscriber: fc.constantFrom('one', null, 7),
        extra: fc.constantFrom(1, '1'),
      },
      { requiredKeys: [] },
    )
    const times = fc.constantFrom(
      '15:00.000',
      '15:00',
      '15:00.1',
      '15:00.100',
      '15:00.0000001',
      '15:00.0000002',
      '60:00.000',
    )
    const events = fc.array(
      fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', ''), times, changes).map((parts) => at(...parts)),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(events, (items) => {
        const { events } = pageOf(items)
        const found = audit(pageOf(items))
        const kept = contentsById(events)
        expect(found.ids).toBe(kept.ids)
        expect(found.order).toBe(timeOrderOf(events).order)
        expect(found.conflicting > 0).toBe(kept.conflicting > 0)
        expect(found.repeated > 0 || found.conflicting > 0).toBe(kept.repeated + kept.conflicting > 0)
        const usable = events.filter(hasUsableId).length
        expect(usable - found.ids).toBe(found.repeated + found.conflicting)
      }),
      { seed: 1, numRuns: 500 },
    )
  })

  test('compares no member that is malformed in one of two events with the same id', () => {
    const events = [at('a', '15:00.000'), at('a', '15:00.000', { version: 1, payload: undefined })]
    expect(audit(pageOf(events))).toMatchObject({ repeated: 1, conflicting: 0 })
    expect(contentsById(pageOf(events).events)).toMatchObject({ repeated: 1, conflicting: 0 })
    const other = [...events, at('a', '15:00.000', { version: 1, type: 'other' })]
    expect(audit(pageOf(other))).toMatchObject({ repeated: 1, conflicting: 1 })
    expect(contentsById(pageOf(other).events)).toMatchObject({ repeated: 0, conflicting: 1 })
  })
})

describe('fingerprints', () => {
  test('of content are equal where the content is, in any order of members', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const reordered = JSON.parse(canonical(one))
        expect(contentFingerprint(reordered)).toBe(contentFingerprint(JSON.parse(JSON.stringify(one))))
        if (canonical(one) !== canonical(other))
          expect(contentFingerprint(one)).not.toBe(contentFingerprint(other))
      }),
      { seed: 1, numRuns: 2000 },
    )
  })

  test('of 200,000 texts differ, and a map of them keeps its values', () => {
    const map = new FingerprintMap(10, 2)
    const rowOf = (index: number) => [index >>> 16, index & 0xffff]
    for (let index = 0; index < 200_000; index += 1)
      if (map.add(fingerprint(`evt-${index}`), rowOf(index))) expect.fail(`evt-${index} is known`)
    expect(map.size).toBe(200_000)
    for (let index = 0; index < 200_000; index += 997)
      expect([...(map.add(fingerprint(`evt-${index}`), [0, 0]) ?? [])]).toEqual(rowOf(index))
  })
})
