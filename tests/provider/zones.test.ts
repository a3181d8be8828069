import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import type { HttpRequest } from '../../provider/http.ts'
import { lawfulHub } from '../../provider/hub/behaviour.ts'
import type { StoredEvent } from '../../provider/hub/events.ts'
import { createHub } from '../../provider/hub/hub.ts'
import { formatLocal, wallClock } from '../../provider/hub/local-time.ts'
import { seededEvents } from '../../provider/hub/seeded-events.ts'

const hour = 3_600_000
const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))

/** Instants around a clock change of a zone, if it has one. */
function around(zone: string, at: number, by: number): number {
  const change = Temporal.Instant.fromEpochMilliseconds(at)
    .toZonedDateTimeISO(zone)
    .getTimeZoneTransition('next')
  return change ? change.epochMilliseconds + by : at
}

const instants = fc.integer({ min: Date.UTC(2015, 0, 1), max: Date.UTC(2035, 0, 1) })
const partner = { id: 'partner', secret: 'secret', eventHub: true }

/** Ids found by a search of the whole hub, page by page, in windows of a day by the wall clock. */
function readAll(hub: ReturnType<typeof createHub>, from: number, to: number): string[] {
  const ids: string[] = []
  for (let start = from; start < to; start += 24 * hour) {
    const query = new URLSearchParams({
      from: formatLocal(start),
      to: formatLocal(Math.min(start + 24 * hour, to)),
      pageSize: '1000',
    })
    const headers = { 'x-client-id': partner.id, 'x-client-secret': partner.secret }
    const request = { method: 'GET', query, headers } as unknown as HttpRequest
    const { status, body } = hub.handle(request, '/events/search')
    expect(status).toBe(200)
    ids.push(...(body as { items: { id: string }[] }).items.map(({ id }) => id))
  }
  return ids
}

describe('the wall clock of the hub', () => {
  test('is right in every zone, around every clock change', () => {
    fc.assert(
      fc.property(zones, instants, fc.integer({ min: -3 * hour, max: 3 * hour }), (zone, at, by) => {
        const instant = around(zone, at, by)
        const shown = Temporal.Instant.fromEpochMilliseconds(instant)
          .toZonedDateTimeISO(zone)
          .toPlainDateTime()
        expect(formatLocal(wallClock(zone)(instant))).toBe(shown.toString({ fractionalSecondDigits: 3 }))
      }),
    )
  })

  test('returns each event once, in the order of local time, across clock changes', () => {
    fc.assert(
      fc.property(zones, instants, fc.integer({ min: 0, max: 12 * hour }), (zone, at, by) => {
        const now = around(zone, at, by)
        const clock = wallClock(zone)
        const events = seededEvents('seed', now, 'portal', ['sub'], undefined, zone)
        const hub = createHub(lawfulHub(), [partner], events, () => clock(now))
        const late: StoredEvent = { id: 'late', local: clock(now), type: 'T', version: '1', payload: {} }
        hub.publish(late)
        const [first = 0, last = 0] = [events[0]?.local, Math.max(late.local, events.at(-1)?.local ?? 0)]
        const ids = readAll(hub, first, last + 1)
        expect(ids).toHaveLength(events.length + 1)
        expect(new Set(ids).size).toBe(ids.length)
        const times = new Map([...events, late].map(({ id, local }) => [id, local]))
        const read = ids.map((id) => times.get(id) ?? 0)
        expect(read).toEqual(read.toSorted((a, b) => a - b))
      }),
      { numRuns: 15 },
    )
  })
})
