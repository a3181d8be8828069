import { Temporal } from 'temporal-polyfill'
import type { HubEvent } from '../../event-hub/event.ts'
import { type LocalDateTime, millisecondsBetween, parseLocal } from '../../event-hub/local-time.ts'
import { defaultPageSize, type EventPage, itemsOf, type PageQuery, readPage } from '../../event-hub/page.ts'
import { pageProblems, type SchemaDeviation } from '../../event-hub/schemas.ts'
import { type ParameterValue, queryString, type SearchQuery } from '../../event-hub/search.ts'
import type { Exchange } from '../../evidence/exchange.ts'
import type { HttpResponse } from '../../http/response.ts'

/** Widest permitted window of a search, in milliseconds (section Limits). */
const permittedMs = 24 * 3_600_000

/** A search of a run with its response. */
export interface AnsweredSearch {
  /** When the search was sent, in milliseconds since the epoch by Plumbline's clock; not the start of its window. */
  readonly from: number
  /** When the response was complete, in milliseconds since the epoch by Plumbline's clock. */
  readonly until: number
  readonly query: SearchQuery
  /** The recorded request and response, for the evidence of a check. */
  readonly exchange: Exchange
  readonly status: number
  readonly accepted: boolean
  /**
   * The requested window and page. Undefined if the search is not valid, its window is empty, or it has other
   * credentials or another address. If a time has an unspecified form, such as one without milliseconds, the search
   * is valid only if it returns a page.
   */
  readonly requested: PageQuery | undefined
  /** Like `requested`, for a search that returned a page although its window is empty: `to` is not after `from`. */
  readonly requestedEmptyWindow: PageQuery | undefined
  /** The items of an accepted search with the configured credentials at the documented address. */
  readonly events: readonly HubEvent[]
  /** Undefined if the response is not a page, or not the response to a valid search. */
  readonly page: EventPage | undefined
  /** Deviations of the response to a valid search from schemas/event-page.schema.json. */
  readonly problems: readonly SchemaDeviation[]
}

/** Whether a response accepts a search: any 2xx status with JSON, since the status is not documented. */
export function isSearchAccepted({ status, json }: HttpResponse): boolean {
  return status >= 200 && status < 300 && json !== undefined
}

/** @param isPlain whether the search has the configured credentials and the documented address */
export function answeredSearch(response: HttpResponse, query: SearchQuery, isPlain: boolean): AnsweredSearch {
  const { exchange, status, json } = response
  const accepted = isSearchAccepted(response)
  const pageQuery = isPlain ? pageQueryOf(query) : undefined
  const hasDocumentedForm = isLocal(query.from) && isLocal(query.to)
  const isPage = pageQuery !== undefined && accepted && readPage(json, pageQuery) !== undefined
  const valid = hasDocumentedForm || isPage ? pageQuery : undefined
  const isEmpty = valid !== undefined && millisecondsBetween(valid.from, valid.to) <= 0
  const requested = isEmpty ? undefined : valid
  return {
    from: exchange.sentAt,
    until: exchange.sentAt + exchange.durationMs,
    query,
    exchange,
    status,
    accepted,
    requested,
    requestedEmptyWindow: isEmpty && isPage ? valid : undefined,
    events: accepted && isPlain ? itemsOf(json) : [],
    page: accepted && requested ? readPage(json, requested) : undefined,
    problems: accepted && requested ? pageProblems(json) : [],
  }
}

/** The page that a search requests; undefined if its parameters are not valid (section Event search). */
function pageQueryOf({ from, to, page, pageSize }: SearchQuery): PageQuery | undefined {
  const window = { from: timeOf(from), to: timeOf(to) }
  const paging = { page: page ?? 0, pageSize: pageSize ?? defaultPageSize }
  if (!window.from || !window.to || !isCount(paging.page, 0) || !isCount(paging.pageSize, 1)) return undefined
  return millisecondsBetween(window.from, window.to) <= permittedMs
    ? { from: window.from, to: window.to, page: paging.page, pageSize: paging.pageSize }
    : undefined
}

function timeOf(value: ParameterValue | undefined): LocalDateTime | undefined {
  if (typeof value === 'string') return parseLocal(value)?.at
  return isLocal(value) ? value : undefined
}

function isLocal(value: ParameterValue | undefined): value is LocalDateTime {
  return value instanceof Temporal.PlainDateTime
}

function isCount(value: ParameterValue, minimum: number): value is number {
  return Number.isInteger(value) && Number(value) >= minimum
}

/**
 * The accepted valid searches whose responses checks judge as pages. A later page without items is omitted: it is
 * past the last one, and the specification does not define the other members of such a page.
 */
export function pagesToJudge(searches: readonly AnsweredSearch[]): AnsweredSearch[] {
  return searches.filter(
    ({ accepted, requested, page }) =>
      accepted && requested !== undefined && !(requested.page > 0 && page?.events.length === 0),
  )
}

/**
 * Valid searches that were refused or returned no JSON, although the next search with the same parameters was accepted.
 * A search that is refused twice in a row does not count: the target may lock the partner out for a while.
 */
export function refusedOnce(searches: readonly AnsweredSearch[]): AnsweredSearch[] {
  const valid = searches.filter(({ requested }) => requested !== undefined)
  return valid.filter(({ accepted, status, query }, index) => {
    if (accepted || !isDefinite(status)) return false
    const repetition = valid.slice(index + 1).find((other) => queryString(other.query) === queryString(query))
    return repetition?.accepted
  })
}

/** Whether a status is definite: not a request to retry (408, 425, 429), and not a failure of the service (5xx). */
function isDefinite(status: number): boolean {
  return status < 500 && ![408, 425, 429].includes(status)
}
