import { Temporal } from 'temporal-polyfill'
import { describe, expect, test, vi } from 'vitest'
import { Inconclusive, Violation } from '../../../src/check/verdict.ts'
import {
  compareLocal,
  formatLocal,
  millisecondsBetween,
  parseLocal,
} from '../../../src/event-hub/local-time.ts'
import { item } from '../../event-hub/events.ts'
import { type Arrived, hubFor, lawfulSearch, type Reply, timesBeforeNow } from './hub.ts'

const utc = { EVENT_TIME_ZONE: 'UTC' }

/** The error of a step. */
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

function refusingBeyond(largest: number, search: (arrived: Arrived) => Reply) {
  return (request: Arrived): Reply =>
    Number(request.query.get('pageSize')) > largest ? { status: 400 } : search(request)
}

describe('the control', () => {
  test('is sent once for many checks, and is evidence of each', async () => {
    const { context, run, arrived } = await hubFor(lawfulSearch([]))
    for (const { events, execution } of [context(), context()]) {
      const { evidence } = execution
      await run.recorder.collectInto(evidence, () => events.control())
      expect(evidence).toHaveLength(1)
    }
    expect(arrived).toHaveLength(1)
  })

  test('is repeated after a minute', async () => {
    const { events, arrived } = await hubFor(lawfulSearch([]))
    await events.control()
    const later = Date.now() + 61_000
    vi.spyOn(Date, 'now').mockImplementation(() => later)
    await events.control()
    vi.restoreAllMocks()
    expect(arrived).toHaveLength(2)
  })

  test('a refusal counts only with exactly one difference from the control', async () => {
    const search = lawfulSearch([])
    const { events, arrived } = await hubFor((request) =>
      request.query.has('from') ? search(request) : { status: 400 },
    )
    await events.expectInvalid({ from: null })
    const [control, changed] = arrived.map(({ query }) => Object.fromEntries(query))
    expect(control).toEqual({ from: expect.any(String), ...changed })
    expect(await failureOf(events.expectInvalid({ page: 'two' }))).toBeInstanceOf(Violation)
  })
})

describe('a refusal', () => {
  const leak = { error: 'invalid', found: [item()] }

  test.each([400, 401, 403])('with status %i and an event in its body is not a refusal', async (status) => {
    const search = lawfulSearch([])
    const { events, credentials } = await hubFor((request) =>
      request.query.has('from') && 'x-client-id' in request.headers
        ? search(request)
        : { status, body: leak },
    )
    const withoutFrom = await events.sendSearch({ from: null })
    expect(() => events.expectRefusal(withoutFrom, status)).toThrow(Violation)
    const answer = await credentials.responseWithoutCredentials()
    expect(() => events.expectRefusal(answer, 'any status')).toThrow(Violation)
    expect(await failureOf(credentials.requireCredentialsMatter())).toBeInstanceOf(Inconclusive)
  })

  test.each([
    ['X-Client-Secret', 'EVENT-SECRET-REQUIRED'],
    ['X-Client-Id', 'EVENT-CLIENT-ID-REQUIRED'],
  ] as const)('another value in place of %s is inconclusive if a search may omit it', async (header, see) => {
    const search = lawfulSearch([])
    const other = header === 'X-Client-Id' ? 'x-client-secret' : 'x-client-id'
    const { credentials } = await hubFor((request) =>
      other in request.headers ? search(request) : { status: 401 },
    )
    const failure = await failureOf(credentials.requireHeaderMatters(header))
    expect(failure).toMatchObject({ name: 'Inconclusive', dependsOn: [see] })
  })
})

describe('the closed window', () => {
  test('is in the past in every zone where the zone is unknown', async () => {
    const { readings } = await hubFor(lawfulSearch(timesBeforeNow(400, 72)))
    const { from, to, total } = await readings.closedWindow()
    expect(total).toBeGreaterThan(30)
    const ago = millisecondsBetween(to, Temporal.Now.plainDateTimeISO('Etc/GMT+12'))
    expect(ago).toBeGreaterThanOrEqual(10 * 60_000)
    expect(millisecondsBetween(from, to)).toBeLessThanOrEqual(24 * 3_600_000)
  })

  test('is searched back for, with few requests, and found once', async () => {
    const old = timesBeforeNow(40, 20).map((time) => time.subtract({ hours: 60 }))
    const { context, arrived } = await hubFor(lawfulSearch(old), utc)
    const window = await context().readings.closedWindow()
    expect(window.total).toBeGreaterThan(0)
    await context().readings.closedWindow()
    expect(arrived.length).toBeLessThanOrEqual(8)
  })

  test('without events before the time that has passed everywhere, names the zone first', async () => {
    const { readings } = await hubFor(lawfulSearch(timesBeforeNow(40, 2)))
    expect(await failureOf(readings.closedWindow())).toMatchObject({
      message: expect.stringMatching(
        /^no events were found before .*, a time that has passed in every time zone$/,
      ),
      variables: ['EVENT_TIME_ZONE', 'EVENT_WINDOW_FROM', 'EVENT_WINDOW_TO'],
      advice: expect.stringMatching(/^set EVENT_TIME_ZONE, so that later events count, or EVENT_WINDOW_FROM/),
    })
  })

  test('without events anywhere, names the variables to set', async () => {
    const { readings, arrived } = await hubFor(lawfulSearch([]), utc)
    const failure = await failureOf(readings.allEvents())
    expect(failure).toBeInstanceOf(Inconclusive)
    expect(failure).toMatchObject({
      cause: 'configuration',
      variables: ['EVENT_WINDOW_FROM', 'EVENT_WINDOW_TO'],
      advice: expect.stringMatching(/EVENT_WINDOW_FROM and EVENT_WINDOW_TO/),
    })
    expect(arrived.length).toBeLessThanOrEqual(8)
  })

  test('is the configured one', async () => {
    const times = timesBeforeNow(400, 72)
    const variables = {
      EVENT_WINDOW_FROM: formatLocal(times[200] as Temporal.PlainDateTime),
      EVENT_WINDOW_TO: formatLocal(times[150] as Temporal.PlainDateTime),
    }
    const { readings } = await hubFor(lawfulSearch(times), variables)
    const window = await readings.closedWindow()
    expect(window.total).toBe(50)
    expect(formatLocal(window.from)).toBe(variables.EVENT_WINDOW_FROM)
    expect(formatLocal(window.to)).toBe(variables.EVENT_WINDOW_TO)
  })

  test.each([
    ['cut down to 50', lawfulSearch(timesBeforeNow(400, 72), 50)],
    ['refused beyond 100', refusingBeyond(100, lawfulSearch(timesBeforeNow(400, 72)))],
  ])('is read as a whole where large pages are %s', async (_, answer) => {
    const { readings, arrived } = await hubFor(answer, utc)
    const window = await readings.closedWindow()
    const reading = await readings.allEvents()
    expect(reading.events).toHaveLength(window.total)
    expect(arrived.length).toBeLessThanOrEqual(12)
  })

  test('is narrowed if it contains too many events', async () => {
    const { readings, arrived } = await hubFor(lawfulSearch(timesBeforeNow(3000, 30), 10), utc)
    const { events: read, window } = await readings.allEvents()
    expect(read.length).toBeGreaterThan(50)
    expect(read.length).toBeLessThanOrEqual(250)
    expect(millisecondsBetween(window.from, window.to)).toBeLessThan(5 * 3_600_000)
    expect(arrived.length).toBeLessThanOrEqual(40)
  })
})

describe('reading a window that changes', () => {
  const growing = (until: number) => {
    const times = timesBeforeNow(400, 72)
    return (request: Arrived, count: number): Reply => {
      const { status, body } = lawfulSearch(times)(request)
      return { status, body: { ...Object(body), total: Object(body).total + Math.min(count, until) } }
    }
  }

  test('continues after two equal totals', async () => {
    const { readings } = await hubFor(growing(3), utc)
    expect((await readings.allEvents()).complete).toBe(true)
  })

  test('is inconclusive where they are never equal', async () => {
    const { readings } = await hubFor(growing(100), utc)
    const failure = await failureOf(readings.allEvents())
    expect(failure).toBeInstanceOf(Inconclusive)
    expect(failure).toHaveProperty('message', expect.stringMatching(/keeps changing/))
  })
})

describe('shared readings', () => {
  test('the window that is read in pages has three of them, the last not full', async () => {
    for (const seed of ['1', '2', '3', '4']) {
      const { rereadings } = await hubFor(lawfulSearch(timesBeforeNow(400, 72)), { ...utc, SEED: seed })
      const { paged, whole, pageSize } = await rereadings.pageThrough()
      const rest = 18 - 2 * pageSize
      expect(paged.pages.map(({ events: items }) => items.length)).toEqual([pageSize, pageSize, rest])
      expect([7, 8]).toContain(pageSize)
      expect(whole.events).toHaveLength(18)
    }
  })

  test('the window is read again in smaller pages, from the last one back', async () => {
    const { readings, rereadings, arrived } = await hubFor(lawfulSearch(timesBeforeNow(400, 72)), utc)
    const all = await readings.allEvents()
    const before = arrived.length
    const { pages, events: read } = await rereadings.allEventsBackwards()
    expect(read).toEqual(all.events)
    expect(pages).toHaveLength(4)
    const requested = arrived.slice(before).map(({ query }) => query.get('page'))
    expect(requested).toEqual(['0', '3', '2', '1'])
  })

  test('pages are all full, and random parts form the window', async () => {
    const { rereadings, readings } = await hubFor(lawfulSearch(timesBeforeNow(400, 72)), utc)
    const even = await rereadings.evenPages()
    expect(even.pages.map(({ events: items }) => items.length)).toEqual([9, 9])
    const { window, events: all } = await readings.allEvents()
    const parts = (await rereadings.randomParts()).toSorted((one, other) =>
      compareLocal(one.window.from, other.window.from),
    )
    expect([parts[0]?.window.from, parts.at(-1)?.window.to]).toEqual([window.from, window.to])
    for (const [index, part] of parts.slice(1).entries())
      expect(part.window.from).toBe(parts[index]?.window.to)
    expect(parts.flatMap(({ events }) => events)).toEqual(all)
  })

  test('all readings of a hub with small pages stay within a hundred requests', async () => {
    const { rereadings, arrived } = await hubFor(lawfulSearch(timesBeforeNow(3000, 30), 10), utc)
    await rereadings.allEventsBackwards()
    await rereadings.evenPages()
    await rereadings.randomParts()
    await rereadings.edges()
    expect(arrived.length).toBeLessThanOrEqual(100)
  })

  const offset = (at: Temporal.PlainDateTime, text: string | null | undefined) =>
    millisecondsBetween(at, parseLocal(text ?? '')?.at as Temporal.PlainDateTime)

  test('events around the present are read up to the present if the hub refuses a later end', async () => {
    const search = lawfulSearch(timesBeforeNow(60, 1))
    const refusing = (arrived: Arrived): Reply =>
      (parseLocal(arrived.query.get('to') ?? '')?.at.toString() ?? '') >
      Temporal.Now.plainDateTimeISO('UTC').toString()
        ? { status: 400 }
        : search(arrived)
    const { readings, arrived } = await hubFor(refusing, utc)
    const now = Date.now()
    expect((await readings.around(now - 60_000, now)).length).toBeGreaterThan(0)
    const sent = arrived.length
    await readings.around(now - 60_000, now)
    expect(arrived).toHaveLength(sent + 1)

    const unknown = await hubFor(refusing)
    expect(await failureOf(unknown.readings.around(now - 60_000, now))).toMatchObject({
      variables: ['EVENT_TIME_ZONE'],
    })
  })

  test('edges are a millisecond apart around the times of two events', async () => {
    const times = timesBeforeNow(400, 72)
    const { rereadings, arrived } = await hubFor(lawfulSearch(times), utc)
    const { start, end } = await rereadings.windowBounds()
    expect(times.some((time) => time.equals(start))).toBe(true)
    expect(times.some((time) => time.equals(end))).toBe(true)
    expect(compareLocal(start, end)).toBe(-1)
    const bounds = arrived.slice(-3).map(({ query }) => [query.get('from'), query.get('to')])
    expect(bounds.map(([from]) => offset(start, from))).toEqual([-1, 0, 1])
    expect(bounds.map(([, to]) => offset(end, to))).toEqual([-1, 0, 1])
  })

  test('edges are around the time of one event if no other is near', async () => {
    const { rereadings, arrived } = await hubFor(lawfulSearch(timesBeforeNow(60, 72)), utc)
    const { start, end } = await rereadings.windowBounds()
    expect(start).toBe(end)
    const bounds = arrived.slice(-6).map(({ query }) => [query.get('from'), query.get('to')])
    expect(bounds.slice(0, 3).map(([from]) => offset(start, from))).toEqual([-1, 0, 1])
    expect(bounds.slice(3).map(([, to]) => offset(end, to))).toEqual([-1, 0, 1])
  })

  test('actions of other users are not in the evidence', async () => {
    const { context } = await hubFor(lawfulSearch(timesBeforeNow(400, 72)), utc)
    const { readings, execution } = context()
    const { evidence } = execution
    await readings.allEvents()
    expect(JSON.stringify(evidence)).not.toContain('evt-')
    expect(JSON.stringify(evidence)).not.toContain('partner-secret')
  })
})
