import { type Alter, withSurface } from '../alteration.ts'
import type { Fields } from '../edits.ts'
import { fieldsOf, type HttpRequest, type HttpResponse, htmlResponse, jsonResponse } from '../http.ts'
import { badRequest } from '../hub/errors.ts'

type RequestTest = (request: HttpRequest) => boolean

const HOUR = 3_600_000

function editPagesOf(matches: RequestTest, edit: (page: Fields) => void): Alter {
  return ({ hub }) =>
    hub.responses.push((response, request) => {
      const page = fieldsOf(response)
      if (response.status === 200 && page && matches(request)) edit(page)
    })
}

function editEventsOf(matches: RequestTest, edit: (event: Fields) => void): Alter {
  return editPagesOf(matches, ({ items }) => {
    if (Array.isArray(items)) for (const event of items) edit(event)
  })
}

const withoutPageSize: RequestTest = ({ query }) => !query.has('pageSize')
const afterFirstPage: RequestTest = ({ query }) => Number(query.get('page')) > 0

/** The width of a search's window, in milliseconds. */
function widthOf({ query }: HttpRequest): number {
  const [from, to] = ['from', 'to'].map((name) => Date.parse(`${query.get(name)}Z`))
  return Number(to) - Number(from)
}

/** Returns a test that matches one search in `searches`. It counts searches, so each provider needs its own test. */
function oneIn(searches: number): RequestTest {
  let count = 0
  return () => {
    count += 1
    return count % searches === Math.floor(searches / 2)
  }
}

/** Refuses one valid search in `searches`. */
function refuseAtTimes(refusal: HttpResponse, searches = 9): Alter {
  return ({ hub }) => {
    const isRefused = oneIn(searches)
    hub.responses.push((response, request) => {
      if (response.status === 200 && isRefused(request)) Object.assign(response, refusal)
    })
  }
}

/** Violations in the responses to only some searches. */
export const eventSomeSearchesFaults = withSurface('hub', [
  {
    name: 'event-version-number-without-page-size',
    summary: 'Writes the `version` of an event as a number if `pageSize` is absent.',
    violates: ['EVENT-VERSION'],
    alter: editEventsOf(withoutPageSize, (event) => {
      event.version = Number(event.version)
    }),
  },
  {
    name: 'event-id-missing-on-pages-of-one',
    summary: 'Omits the `id` of an event if `pageSize` is 1.',
    violates: ['EVENT-ID'],
    alter: editEventsOf(
      ({ query }) => query.get('pageSize') === '1',
      (event) => {
        delete event.id
      },
    ),
  },
  {
    name: 'event-payload-as-text-without-page',
    summary: 'Writes the payload of an event as JSON inside a string if `page` is absent.',
    violates: ['EVENT-PAYLOAD'],
    alter: editEventsOf(
      ({ query }) => !query.has('page'),
      (event) => {
        event.payload = JSON.stringify(event.payload)
      },
    ),
  },
  {
    name: 'event-sphere-object-in-short-windows',
    summary: 'Writes the `sphere` of an event as an object if the window is shorter than an hour.',
    violates: ['EVENT-CONTEXT'],
    alter: editEventsOf(
      (request) => widthOf(request) < HOUR,
      (event) => {
        event.sphere = { id: 'sphere' }
      },
    ),
  },
  {
    name: 'event-timestamp-zulu-in-some-responses',
    summary: 'Writes timestamps with a trailing Z in one response in eleven.',
    violates: ['EVENT-TIMESTAMP'],
    alter: (behaviour) =>
      editEventsOf(oneIn(11), (event) => {
        event.timestamp = `${event.timestamp}Z`
      })(behaviour),
  },
  {
    name: 'page-numbers-as-text-after-first-page',
    summary: 'Returns `page`, `pageSize` and `total` as strings on every page after the first one.',
    violates: ['EVENT-PAGE-SHAPE'],
    alter: editPagesOf(afterFirstPage, (page) => {
      for (const name of ['page', 'pageSize', 'total']) page[name] = String(page[name])
    }),
  },
  {
    name: 'page-size-missing-after-first-page',
    summary: 'Omits `pageSize` from every page after the first one.',
    violates: ['EVENT-PAGE-SHAPE'],
    alter: editPagesOf(afterFirstPage, (page) => {
      delete page.pageSize
    }),
  },
  {
    name: 'total-missing-without-page-size',
    summary: 'Omits `total` if `pageSize` is absent.',
    violates: ['EVENT-PAGE-SHAPE'],
    alter: editPagesOf(withoutPageSize, (page) => {
      delete page.total
    }),
  },
  {
    name: 'page-number-zero-without-page-size',
    summary: 'Returns 0 as `page` on every page if `pageSize` is absent.',
    violates: ['EVENT-PAGE-NUMBER'],
    alter: editPagesOf(withoutPageSize, (page) => {
      page.page = 0
    }),
  },
  {
    name: 'total-of-the-page-without-page-size',
    summary: 'Counts the events of the page as `total` if `pageSize` is absent.',
    violates: ['EVENT-TOTAL'],
    alter: editPagesOf(withoutPageSize, (page) => {
      page.total = Array.isArray(page.items) ? page.items.length : 0
    }),
  },
  {
    name: 'full-day-counted-without-items',
    summary: 'Returns no items for a window of exactly 24 hours, but counts its events in `total`.',
    violates: ['EVENT-PAGINATION'],
    alter: editPagesOf(
      (request) => widthOf(request) === 24 * HOUR,
      (page) => {
        page.items = []
      },
    ),
  },
  {
    name: 'full-day-searched-for-12-hours',
    summary: 'Searches the first 12 hours of a window of exactly 24 hours.',
    violates: ['EVENT-WINDOWS-ADJACENT'],
    alter: ({ hub }) => {
      hub.effectiveRange = ({ from, to }) => ({ from, to: to - from === 24 * HOUR ? from + 12 * HOUR : to })
    },
  },
  {
    name: 'last-events-of-short-windows-lost',
    summary: 'Omits the last half hour of a window of one to four hours.',
    violates: ['EVENT-WINDOWS-ADJACENT'],
    alter: ({ hub }) => {
      hub.effectiveRange = ({ from, to }) => {
        const isShort = to - from >= HOUR && to - from <= 4 * HOUR
        return { from, to: isShort ? to - HOUR / 2 : to }
      }
    },
  },
  {
    name: 'simultaneous-events-lost-at-from',
    summary: 'Returns only one of several events at `from`.',
    violates: ['EVENT-FROM-INCLUSIVE'],
    alter: ({ hub }) => {
      const { effectiveRange, order } = hub
      let windowStart = 0
      hub.effectiveRange = (requested) => {
        windowStart = requested.from
        return effectiveRange(requested)
      }
      hub.order = (ascending) => {
        const [first, ...others] = ascending.filter(({ local }) => local === windowStart)
        return order(first ? ascending.filter((event) => !others.includes(event)) : ascending)
      }
    },
  },
  {
    name: 'event-ids-new-without-page-size',
    summary: 'Returns different event ids if `pageSize` is absent.',
    violates: ['EVENT-ID-STABLE'],
    alter: editEventsOf(withoutPageSize, (event) => {
      event.id = `${event.id}-unsized`
    }),
  },
  {
    name: 'event-ids-new-in-short-windows',
    summary: 'Returns different event ids if the window is shorter than an hour.',
    violates: ['EVENT-ID-STABLE'],
    alter: editEventsOf(
      (request) => widthOf(request) < HOUR,
      (event) => {
        event.id = `${event.id}-short`
      },
    ),
  },
  {
    name: 'full-day-begun-an-hour-early',
    summary: 'Searches from an hour before `from` if the window has exactly 24 hours.',
    violates: ['EVENT-WINDOW-RESPECTED'],
    alter: ({ hub }) => {
      hub.effectiveRange = ({ from, to }) => ({ from: to - from === 24 * HOUR ? from - HOUR : from, to })
    },
  },
  {
    name: 'newest-first-without-page-size',
    summary: 'Returns the events of a page in reverse order if `pageSize` is absent.',
    violates: ['EVENT-TIME-ORDER'],
    alter: editPagesOf(withoutPageSize, (page) => {
      if (Array.isArray(page.items)) page.items = page.items.toReversed()
    }),
  },
  {
    name: 'page-size-of-one-called-ten',
    summary: 'Returns 10 as `pageSize` of a page with `pageSize=1`.',
    violates: ['EVENT-PAGE-SIZE-STATED'],
    alter: editPagesOf(
      ({ query }) => query.get('pageSize') === '1',
      (page) => {
        page.pageSize = 10
      },
    ),
  },
  {
    name: 'valid-searches-refused-at-times',
    summary: 'Returns 400 for one valid search in nine.',
    violates: ['EVENT-SEARCH'],
    alter: refuseAtTimes(badRequest('The window is invalid.')),
  },
  {
    name: 'valid-searches-answered-with-page-at-times',
    summary: 'Returns an HTML page with status 200 for one valid search in nine.',
    violates: ['EVENT-SEARCH'],
    alter: refuseAtTimes(htmlResponse(200, '<!doctype html><title>One moment</title>')),
  },
  {
    name: 'valid-searches-forbidden-at-times',
    summary: 'Returns 403 for one valid search in nine.',
    violates: ['EVENT-SEARCH'],
    alter: refuseAtTimes(jsonResponse(403, { type: 'FEATURE_DISABLED', message: 'Not enabled.' })),
  },
  ...[2, 4].map((nodes) => ({
    name: `one-of-${nodes}-nodes-without-secret`,
    summary: `Refuses one valid search in ${nodes === 2 ? 'two' : 'four'} with 401.`,
    violates: ['EVENT-SEARCH'],
    alter: refuseAtTimes(jsonResponse(401, { message: 'Unknown client.' }), nodes),
  })),
])
