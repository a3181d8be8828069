import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import { SearchRefused } from '../../../src/check/events/refused-search.ts'
import { Inconclusive, Violation } from '../../../src/check/verdict.ts'
import { type Arrived, hubFor, lawfulSearch, type Reply, timesBeforeNow } from './hub.ts'

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )
const credentials = ['PARTNER_CLIENT_ID', 'PARTNER_CLIENT_SECRET']
const isElsewhere = ({ rawUrl }: Arrived) => !rawUrl.includes('/events/search')
const isAnonymous = ({ headers }: Arrived) => !('x-client-id' in headers)

/** A hub that returns this for a valid search, and knows its path and its partners. */
const refusing =
  (reply: Reply) =>
  (request: Arrived): Reply => {
    if (isElsewhere(request)) return { status: 404 }
    return isAnonymous(request) ? { status: 401 } : reply
  }

describe('a rejected control', () => {
  test.each([400, 405, 422, 200])('with %i and for no other reason is a violation', async (status) => {
    const { events } = await hubFor(refusing({ status }))
    const failure = await failureOf(events.expectAllAccepted(() => events.control()))
    expect(failure).toBeInstanceOf(Violation)
    expect((failure as Violation).finding.actual).toContain(`${status}`)
  })

  test('leaves every other check inconclusive, and is diagnosed once', async () => {
    const { events, arrived } = await hubFor(refusing({ status: 400 }))
    const failure = await failureOf(events.expectInvalid({ from: null }))
    expect(failure).toMatchObject({ cause: 'environment', dependsOn: ['EVENT-SEARCH'] })
    const sent = arrived.length
    expect(sent).toBeLessThanOrEqual(8)
    await failureOf(events.expectInvalid({ to: null }))
    expect(arrived).toHaveLength(sent)
  })

  test.each([
    [401, credentials],
    [403, credentials],
    [404, ['PARTNER_API_URL']],
    [302, ['PARTNER_API_URL']],
  ])('with %i is explained by the configuration', async (status, variables) => {
    const { events } = await hubFor(refusing({ status }))
    const failure = await failureOf(events.expectAllAccepted(() => events.control()))
    expect(failure).toBeInstanceOf(Inconclusive)
    expect(failure).toMatchObject({ cause: 'configuration', variables, dependsOn: [] })
    for (const name of variables) expect((failure as Inconclusive).advice).toContain(name)
  })

  test('with the status of every path allows no conclusion about searches', async () => {
    const { events } = await hubFor(() => ({ status: 400 }))
    const failure = await failureOf(events.expectAllAccepted(() => events.control()))
    expect(failure).toMatchObject({ cause: 'configuration', variables: ['PARTNER_API_URL'] })
  })

  test('with and without credentials allows no conclusion about searches', async () => {
    const { events } = await hubFor((request) => ({ status: isElsewhere(request) ? 404 : 400 }))
    const failure = await failureOf(events.expectAllAccepted(() => events.control()))
    expect(failure).toMatchObject({ cause: 'configuration', variables: [...credentials, 'PARTNER_API_URL'] })
  })

  test('is a violation with any status but 401 if it is accepted without page and pageSize', async () => {
    const search = lawfulSearch([])
    for (const status of [400, 403, 404]) {
      const { events } = await hubFor((request) => (request.query.has('page') ? { status } : search(request)))
      expect(await failureOf(events.expectAllAccepted(() => events.control()))).toBeInstanceOf(Violation)
    }
  })

  test.each([204, 400, 403, 404])(
    'with %i is a violation if another window returns a page',
    async (status) => {
      const search = lawfulSearch(timesBeforeNow(20, 10))
      const { events } = await hubFor(
        (request) => {
          const reply = search(request)
          return Object(reply.body).total === 0 ? { status } : reply
        },
        { EVENT_TIME_ZONE: 'UTC' },
      )
      const failure = await failureOf(events.expectAllAccepted(() => events.control()))
      expect(failure).toBeInstanceOf(Violation)
      expect((failure as Violation).finding.actual).toContain('another window returns a page')
    },
  )

  test('is not a violation if it is accepted after another window', async () => {
    let refused = 0
    const { events } = await hubFor((request) => {
      refused += 1
      return refused < 6 ? { status: 404 } : lawfulSearch([])(request)
    })
    expect(await failureOf(events.expectAllAccepted(() => events.control()))).toMatchObject({
      violation: undefined,
    })
  })

  test('with 401 is repeated once and in no other form: each would count as a failed login', async () => {
    const { events, arrived } = await hubFor(() => ({ status: 401 }))
    expect(await failureOf(events.expectAllAccepted(() => events.control()))).toMatchObject({
      variables: credentials,
    })
    expect(arrived).toHaveLength(2)
  })

  test('is not a violation if it is accepted with another form of its times', async () => {
    const search = lawfulSearch([])
    const { events } = await hubFor((request) =>
      request.query.get('from')?.includes('.') ? { status: 400 } : search(request),
    )
    const failure = await failureOf(events.expectAllAccepted(() => events.control()))
    expect(failure).toBeInstanceOf(SearchRefused)
    expect(failure).toMatchObject({ cause: 'environment', dependsOn: [], violation: undefined })
  })
})

describe('another search that is refused although the control is accepted', () => {
  const times = timesBeforeNow(400, 72)
  const search = lawfulSearch(times)
  const readingOf = async (refuses: (query: URLSearchParams) => boolean, status = 400) => {
    const { events, readings, rereadings } = await hubFor(
      (request) => (refuses(request.query) ? { status } : search(request)),
      { EVENT_TIME_ZONE: 'UTC' },
    )
    await events.control()
    return failureOf(
      events.expectAllAccepted(async () => {
        await readings.allEvents()
        await rereadings.pageThrough()
      }),
    )
  }

  test.each([400, 403, 404])('for its page, with %i, is a violation', async (status) => {
    const failure = await readingOf((query) => Number(query.get('page')) > 0, status)
    expect(failure).toBeInstanceOf(Violation)
    expect((failure as Violation).finding.actual).toContain('page 0 is returned')
  })

  test('for its pageSize is not a violation: its limits are not specified', async () => {
    const failure = await readingOf((query) => Number(query.get('pageSize')) < 10)
    expect(failure).toMatchObject({ name: 'Inconclusive', violation: undefined })
  })

  test('for its window is a violation, which the run keeps until a check reports it', async () => {
    const { run, events } = await hubFor((request) => {
      const reply = search(request)
      return Object(reply.body).total === 0 ? { status: 404 } : reply
    })
    const from = Temporal.PlainDateTime.from('2020-01-01T00:00')
    const empty = { from, to: from.add({ hours: 1 }), page: 0, pageSize: 10 }
    const failure = await failureOf(events.search(empty))
    expect(failure).toMatchObject({ dependsOn: ['EVENT-SEARCH'] })
    expect([...run.searchLog.refused]).toMatchObject([{ request: expect.stringContaining('2020-01-01') }])
    expect(await failureOf(events.expectAllAccepted(() => events.search(empty)))).toBeInstanceOf(Violation)
    expect([...run.searchLog.refused]).toEqual([])
  })

  test('for an end in the future is not a violation', async () => {
    const { run, events } = await hubFor((request) =>
      Date.parse(`${request.query.get('to')}Z`) > Date.now() ? { status: 400 } : search(request),
    )
    const from = Temporal.Now.plainDateTimeISO('UTC')
    const failure = await failureOf(
      events.search({ from, to: from.add({ hours: 1 }), page: 0, pageSize: 10 }),
    )
    expect(failure).toMatchObject({ name: 'Inconclusive', violation: undefined, dependsOn: [] })
    expect([...run.searchLog.refused]).toEqual([])
  })

  test('once, and accepted when it is repeated, ends no reading', async () => {
    let refused = false
    const failure = await readingOf((query) => {
      const refuses = !refused && Number(query.get('page')) > 0
      refused ||= refuses
      return refuses
    })
    expect(refused).toBe(true)
    expect(failure).toBeUndefined()
  })

  test('together with all later ones is not a violation', async () => {
    let refused = false
    const failure = await readingOf((query) => {
      refused ||= Number(query.get('page')) > 0
      return refused
    }, 401)
    expect(failure).toMatchObject({ cause: 'environment', violation: undefined })
  })
})
