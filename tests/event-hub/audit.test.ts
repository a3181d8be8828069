import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contentsById, timeOrderOf } from '../../src/check/events/reading.ts'
import { EventAudit } from '../../src/event-hub/audit.ts'
import { canonical } from '../../src/event-hub/event.ts'
import { contentFingerprint, FingerprintMap, fingerprint } from '../../src/event-hub/fingerprint.ts'
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
      pageOf([at('a', '15:00.000'), at('b', '15:00.001', { version: '1' }), at('c', '60:00.000')], 1, 9),
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

  test('agrees with a reading that keeps all events', () => {
    const events = fc.array(
      fc
        .tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(3), fc.constantFrom('1', '2'))
        .map(([id, second, version]) => at(id, `15:0${second}.000`, { version })),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(events, (items) => {
        const page = pageOf(items)
        const found = audit(page)
        const kept = contentsById(page.events)
        expect(found.ids).toBe(kept.ids)
        expect(found.order).toBe(timeOrderOf(page.events).order)
        expect(found.conflicting > 0).toBe(kept.conflicting > 0)
        expect(found.events - found.ids).toBe(found.repeated + found.conflicting)
      }),
    )
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
    const map = new FingerprintMap(10)
    for (let index = 0; index < 200_000; index += 1)
      expect(map.add(fingerprint(`evt-${index}`), index)).toBe(undefined)
    expect(map.size).toBe(200_000)
    for (let index = 0; index < 200_000; index += 997)
      expect(map.add(fingerprint(`evt-${index}`), -1)).toBe(index)
  })
})
