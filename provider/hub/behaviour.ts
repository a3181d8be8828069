import { Temporal } from 'temporal-polyfill'
import type { Partner } from '../deployment.ts'
import { type Answer, headerValue, jsonAnswer, type Received } from '../http.ts'
import type { Change } from './changes.ts'
import { type Envelope, EVENT_ZONE, formatLocal, type StoredEvent } from './events.ts'

/** A time range in wall-clock milliseconds: `from` belongs to it, `to` does not. */
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
export interface ResultPage {
  page: number
  pageSize: number
  total: number
  items: StoredEvent[]
}

export type Credentials = { verdict: 'known'; partner: Partner } | { verdict: 'refused' }

export interface HubBehaviour {
  /** Answers a request before anybody else does. */
  admission: ((received: Received) => Answer | undefined)[]
  /** Edits the answer of a search. */
  answers: ((answer: Answer, received: Received) => void)[]
  /** Edits the answer to a path that does not exist. */
  notFound: ((answer: Answer) => void)[]
  credentials: (received: Received, partners: readonly Partner[]) => Credentials
  entitled: (partner: Partner) => boolean
  /** The answer to a partner without the Event Hub. */
  unentitled: () => Answer
  /** Wall-clock milliseconds of an ISO local date-time; undefined when it is not one. */
  parseTime: (text: string, parameter: 'from' | 'to') => number | undefined
  /** Stands in for a missing or invalid `from` or `to`, given the other one; undefined refuses the search. */
  fallbackTime: (
    reason: 'missing' | 'invalid',
    parameter: 'from' | 'to',
    other?: number,
  ) => number | undefined
  /** Whether a window of so many milliseconds is too wide. */
  tooWide: (milliseconds: number, range: Range, paging: Paging) => boolean
  /** The range that is really searched. */
  searched: (range: Range) => Range
  defaultPage: number
  defaultPageSize: number
  parsePage: (text: string) => number | undefined
  parsePageSize: (text: string) => number | undefined
  /** Events in the order they are paged through. `found` is in ascending order of time. */
  order: (found: StoredEvent[]) => StoredEvent[]
  cut: (ordered: StoredEvent[], paging: Paging) => ResultPage
  /** IANA zone of the hub's times. */
  zone: string
  /** What the service takes for the present, and says in Date headers; the clock of this machine unless given. */
  clock?: (now: number) => number
  /** How many searches an event stays hidden from after it has happened. */
  lag: number
  /** Edits the event of a claim that a user has changed, before anybody sees it. */
  changes: ((event: StoredEvent, change: Change) => void)[]
  /** Events that turn up just before a search is carried out: how many there were before it, and what the clock shows. */
  arrivals: ((searches: number, local: number) => StoredEvent[])[]
  /** Edits an event as it goes out. */
  envelope: ((envelope: Record<string, unknown>, event: StoredEvent) => void)[]
}

const DAY = 24 * 3_600_000
/** No page is larger, whatever is asked for. */
const LARGEST_PAGE = 1000
const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?$/

/** Milliseconds of an ISO local date-time without zone; undefined for anything else and for impossible dates. */
export function parseLocalTime(text: string): number | undefined {
  if (!LOCAL_TIME.test(text)) return undefined
  try {
    const time = Temporal.PlainDateTime.from(text, { overflow: 'reject' })
    return time.toZonedDateTime('UTC').epochMilliseconds + (time.microsecond + time.nanosecond / 1000) / 1000
  } catch {
    return undefined
  }
}

/** A whole number without sign; undefined for anything else. */
export function parseCount(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

export function toEnvelope(event: StoredEvent): Envelope {
  const { local, id, type, version, payload, ...context } = event
  return { id, timestamp: formatLocal(local), type, version, ...context, payload }
}

/** The lawful comparison of X-Client-Id and X-Client-Secret. */
export function staticCredentials(received: Received, partners: readonly Partner[]): Credentials {
  const id = headerValue(received.headers, 'x-client-id')
  const secret = headerValue(received.headers, 'x-client-secret')
  const partner = partners.find((candidate) => candidate.id === id && candidate.secret === secret)
  return partner ? { verdict: 'known', partner } : { verdict: 'refused' }
}

export function lawfulHub(): HubBehaviour {
  return {
    admission: [],
    answers: [],
    notFound: [],
    credentials: staticCredentials,
    entitled: (partner) => partner.eventHub,
    unentitled: () =>
      jsonAnswer(403, {
        type: 'FEATURE_DISABLED',
        message: 'The Event Hub is not enabled for this partner.',
      }),
    parseTime: parseLocalTime,
    fallbackTime: () => undefined,
    tooWide: (milliseconds) => milliseconds > DAY,
    searched: (range) => range,
    defaultPage: 0,
    defaultPageSize: 10,
    parsePage: parseCount,
    parsePageSize: (text) => {
      const size = parseCount(text)
      return size === undefined || size === 0 ? undefined : Math.min(size, LARGEST_PAGE)
    },
    order: (found) => found,
    cut: (ordered, { page, pageSize }) => ({
      page,
      pageSize,
      total: ordered.length,
      items: ordered.slice(page * pageSize, (page + 1) * pageSize),
    }),
    zone: EVENT_ZONE,
    lag: 0,
    changes: [],
    arrivals: [],
    envelope: [],
  }
}
