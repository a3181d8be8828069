import type { Partner } from '../deployment.ts'
import { type HttpRequest, type HttpResponse, headerValue, jsonResponse } from '../http.ts'
import type { ClaimChange } from './claim-changes.ts'
import type { StoredEvent } from './events.ts'
import { EVENT_ZONE, parseLocalTime } from './local-time.ts'

/** A range of local times: `from` is inclusive, `to` exclusive. */
export interface Range {
  from: number
  to: number
}

export interface Paging {
  /** Zero-based. */
  page: number
  pageSize: number
}

/** A page of a search result. */
export interface ResultPage extends Paging {
  total: number
  items: StoredEvent[]
}

export interface HubBehaviour {
  /** Can respond to a request in place of the hub. */
  interceptors: ((request: HttpRequest) => HttpResponse | undefined)[]
  /** Edits the response to a search. */
  responses: ((response: HttpResponse, request: HttpRequest) => void)[]
  /** Edits the response to a path that does not exist. */
  notFound: ((response: HttpResponse) => void)[]
  /** The partner whose credentials a request contains; undefined if they are not valid. */
  authenticate: (request: HttpRequest, partners: readonly Partner[]) => Partner | undefined
  entitled: (partner: Partner) => boolean
  /** The response to a partner whose Event Hub is not enabled. */
  unentitled: () => HttpResponse
  /** The local time of a parameter; undefined if its text is invalid. */
  parseTime: (text: string, parameter: 'from' | 'to') => number | undefined
  /**
   * The time that replaces a missing or invalid parameter; if undefined, the hub refuses the search. `other` is the
   * time in the other parameter.
   */
  fallbackTime: (
    reason: 'missing' | 'invalid',
    parameter: 'from' | 'to',
    other?: number,
  ) => number | undefined
  /** Whether a window of this many milliseconds is refused. */
  tooWide: (milliseconds: number, range: Range, paging: Paging) => boolean
  /** The range that the hub searches in place of the requested one. */
  effectiveRange: (requested: Range) => Range
  defaultPage: number
  defaultPageSize: number
  parsePage: (text: string) => number | undefined
  parsePageSize: (text: string) => number | undefined
  /** Puts the events of a result in order. The hub passes them in ascending order of time. */
  order: (ascending: StoredEvent[]) => StoredEvent[]
  paginate: (ordered: StoredEvent[], paging: Paging) => ResultPage
  /** IANA zone of the hub's local times. */
  zone: string
  /**
   * Returns what the provider's clock shows at the time `now`, both in milliseconds since the epoch. Date headers show
   * the result.
   */
  clock?: (now: number) => number
  /** Number of searches that miss a new event. With 2, the third search after the event is the first to return it. */
  lag: number
  /** Edits the event that reports a changed claim, before the hub publishes this event. */
  claimChanges: ((event: StoredEvent, change: ClaimChange) => void)[]
  /**
   * Returns events that happen at the start of a search. `searches`: number of earlier searches; `local`: local time.
   */
  arrivals: ((searches: number, local: number) => StoredEvent[])[]
  /** Edits the envelope of an event in a search result. */
  envelope: ((envelope: Record<string, unknown>, event: StoredEvent) => void)[]
}

const DAY = 24 * 3_600_000
/** Maximum number of events on a page. */
const MAX_PAGE_SIZE = 1000

/** A whole number of at most nine digits; undefined for any other text. */
function parseCount(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/** The partner that X-Client-Id and X-Client-Secret name together. */
export function authenticatePartner(request: HttpRequest, partners: readonly Partner[]): Partner | undefined {
  const id = headerValue(request.headers, 'x-client-id')
  const secret = headerValue(request.headers, 'x-client-secret')
  return partners.find((partner) => partner.id === id && partner.secret === secret)
}

export function lawfulHub(): HubBehaviour {
  return {
    interceptors: [],
    responses: [],
    notFound: [],
    authenticate: authenticatePartner,
    entitled: (partner) => partner.eventHub,
    unentitled: () =>
      jsonResponse(403, {
        type: 'FEATURE_DISABLED',
        message: 'The Event Hub is not enabled for this partner.',
      }),
    parseTime: parseLocalTime,
    fallbackTime: () => undefined,
    tooWide: (milliseconds) => milliseconds > DAY,
    effectiveRange: (requested) => requested,
    defaultPage: 0,
    defaultPageSize: 10,
    parsePage: parseCount,
    parsePageSize: (text) => {
      const size = parseCount(text)
      return size === undefined || size === 0 ? undefined : Math.min(size, MAX_PAGE_SIZE)
    },
    order: (ascending) => ascending,
    paginate: (ordered, { page, pageSize }) => ({
      page,
      pageSize,
      total: ordered.length,
      items: ordered.slice(page * pageSize, (page + 1) * pageSize),
    }),
    zone: EVENT_ZONE,
    lag: 0,
    claimChanges: [],
    arrivals: [],
    envelope: [],
  }
}
