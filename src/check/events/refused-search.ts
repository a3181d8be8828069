import { compareLocal, formatLocal, type LocalDateTime } from '../../event-hub/local-time.ts'
import { defaultPaging, type PageQuery } from '../../event-hub/page.ts'
import type { EventHub } from '../../event-hub/search.ts'
import type { EventWindow } from '../../event-hub/window.ts'
import type { HttpResponse } from '../../http/response.ts'
import { describe } from '../expect.ts'
import { unlessUndecided } from '../obstacle.ts'
import { Inconclusive, type InconclusiveOptions } from '../verdict.ts'
import { isSearchAccepted } from './answered-search.ts'
import type { SearchViolation } from './search-log.ts'
import { tooFewEvents } from './shortage.ts'

const credentials = ['PARTNER_CLIENT_ID', 'PARTNER_CLIENT_SECRET'] as const
/**
 * If a hub refuses a smaller pageSize, the advice is a window with more events, which checks read in larger pages.
 */
const usualPageSize = 5
/** A path below {partner_api_url} that does not exist. */
export const unknownPath = '/events/plumbline-no-such-resource'

/** A valid search was refused. If the refusal is a `violation`, the checks of EVENT-SEARCH report it. */
export class SearchRefused extends Inconclusive {
  readonly violation: SearchViolation | undefined

  constructor(reason: string, options: InconclusiveOptions, violation?: SearchViolation) {
    super(reason, options)
    this.violation = violation
  }
}

/** A hub may refuse a pageSize that it does not support: the limits are not specified. */
export class PageSizeRefused extends SearchRefused {
  constructor(actual: string, { pageSize }: PageQuery) {
    super(
      `${actual} for pageSize=${pageSize}, and a page for pageSize=10; the limits of pageSize are not specified`,
      pageSize < usualPageSize ? tooFewEvents : {},
    )
  }
}

/** A hub may refuse a window that ends in the future: whether it is valid is not specified. */
export class FutureRefused extends SearchRefused {
  constructor(actual: string) {
    super(`${actual} for a window that may end in the future; whether that is valid is not specified`, {})
  }
}

/** The error for a refusal that violates EVENT-SEARCH. */
function violated(request: string, actual: string): SearchRefused {
  return new SearchRefused(`${request} was refused`, ['EVENT-SEARCH'], { request, actual })
}

/**
 * Finds out why the control was refused: the target refuses valid searches, or the configuration explains the refusal.
 * Sends the search in other forms, for another window, at another address and without credentials.
 * @param elsewhere another window: a hub may refuse the window of the control because it has no events
 * @param mayOmitCredentials whether the profile permits a search without credentials
 */
export async function diagnoseRefusedControl(
  hub: EventHub,
  control: PageQuery,
  elsewhere: EventWindow,
  refusal: HttpResponse,
  mayOmitCredentials: boolean,
): Promise<SearchRefused> {
  const actual = `the response was ${describe(refusal)}`
  const explained = explainedByConfiguration(refusal, actual)
  // The target may count each further search as a failed login of the partner, so none is sent.
  if (explained && refusal.status === 401) return explained
  const { from, to, ...paging } = control
  if (isSearchAccepted(await hub.search({ from, to })))
    return violated(
      'a valid search with page=0 and pageSize=10',
      `${actual}; without these parameters, a page is returned`,
    )
  for (const [length, form] of [
    [19, 'without a fraction'],
    [16, 'without seconds'],
  ] as const) {
    const times = { from: formatLocal(from).slice(0, length), to: formatLocal(to).slice(0, length) }
    if (isSearchAccepted(await hub.search({ ...times, ...paging })))
      return new SearchRefused(
        `${actual} for times with milliseconds, and a page for times ${form}; the accepted forms are not specified`,
        {},
      )
  }
  // The control is sent again, since the target may have recovered in the meantime.
  if (
    isSearchAccepted(await hub.search({ ...elsewhere, ...paging })) &&
    !isSearchAccepted(await hub.search(control))
  )
    return violated(searchInWords(control), `${actual}; another window returns a page`)
  if (explained) return explained
  const { status } = refusal
  // A search for a path that does not exist may fail without a response, which then explains nothing.
  const toUnknownPath = await unlessUndecided(hub.search(control, { path: unknownPath }))
  if (toUnknownPath?.status === status)
    return new SearchRefused(`${actual}, as for a path that does not exist`, {
      variables: ['PARTNER_API_URL'],
    })
  const credentialsExplain =
    status >= 400 && (!mayOmitCredentials || (await hub.search(control, { headers: [] })).status === status)
  if (credentialsExplain)
    return new SearchRefused(`a valid search was refused: ${actual}, which wrong credentials may explain`, {
      variables: [...credentials, 'PARTNER_API_URL'],
    })
  return violated('a valid search', `${actual}, in every documented form of from, to, page and pageSize`)
}

/** `a valid search from 2026-11-20T00:00:00.000 to 2026-11-20T12:00:00.000` */
function searchInWords({ from, to }: EventWindow): string {
  return `a valid search from ${formatLocal(from)} to ${formatLocal(to)}`
}

/** The error for a refusal that wrong credentials, a missing entitlement or a wrong base address may explain. */
function explainedByConfiguration({ status }: HttpResponse, actual: string): SearchRefused | undefined {
  if (status === 401 || status === 403) {
    return new SearchRefused(`a valid search was refused: ${actual}`, {
      variables: credentials,
      advice:
        'check PARTNER_CLIENT_ID and PARTNER_CLIENT_SECRET, and that the partner is entitled to the Event Hub',
    })
  }
  if (status === 404 || (status >= 300 && status < 400)) {
    return new SearchRefused(`a valid search was refused: ${actual}`, { variables: ['PARTNER_API_URL'] })
  }
  return undefined
}

/**
 * Finds out why a valid search was refused although the control was accepted. The target may refuse this page or this
 * window, all windows that end in the future, or the pageSize.
 * @param settled a time that has passed by the hub's clock; a window that ends later may end in the future
 */
export async function diagnoseRefusedSearch(
  hub: EventHub,
  control: PageQuery,
  query: PageQuery,
  refusal: HttpResponse,
  settled: LocalDateTime,
): Promise<SearchRefused> {
  const actual = `the response was ${describe(refusal)}`
  // The control, to learn whether the target still accepts any search.
  if (!isSearchAccepted(await hub.search(control)))
    return new SearchRefused('the target accepted valid searches before, and now refuses them', 'environment')
  if (compareLocal(query.to, settled) > 0) return new FutureRefused(actual)
  const { from, to, page, pageSize } = query
  const search = searchInWords(query)
  const isDefault = page === defaultPaging.page && pageSize === defaultPaging.pageSize
  if (isDefault || !isSearchAccepted(await hub.search({ from, to, ...defaultPaging })))
    return violated(search, `${actual}; another window returns a page`)
  if (page > 0 && isSearchAccepted(await hub.search({ from, to, page: 0, pageSize })))
    return violated(`${search} with page=${page} and pageSize=${pageSize}`, `${actual}; page 0 is returned`)
  return new PageSizeRefused(actual, query)
}
