import { isObject } from '../text/json.ts'
import { type HubEvent, readEvent } from './event.ts'
import { pageProblems, type SchemaDeviation } from './schemas.ts'
import type { EventWindow } from './window.ts'

/** Page size of a search without pageSize (section Event search); the maximum of a hub is at least as large. */
export const defaultPageSize = 10

export interface Paging {
  /** Zero-based. */
  readonly page: number
  readonly pageSize: number
}

/** The page of a search that states neither page nor pageSize (section Event search). */
export const defaultPaging: Paging = { page: 0, pageSize: defaultPageSize }

export type PageQuery = EventWindow & Paging

/**
 * A page of events (section Page of events), parsed leniently: a number in a string counts as the number, and an
 * unreadable page or pageSize is replaced with the requested value. `problems` lists these deviations.
 */
export interface EventPage extends Paging {
  readonly requested: Paging
  readonly total: number
  readonly events: readonly HubEvent[]
  /** Deviations from schemas/event-page.schema.json. */
  readonly problems: readonly SchemaDeviation[]
}

/** Maximum number of events on the page. The hub may use a smaller page size than requested. */
export function usedPageSize({ requested, pageSize }: EventPage): number {
  return Math.min(requested.pageSize, pageSize)
}

/**
 * Parses the body of a search response.
 * @returns undefined if there is no list of items or no total
 */
export function readPage(body: unknown, requested: Paging): EventPage | undefined {
  if (!isObject(body)) return undefined
  const { page, pageSize, total, items } = body
  const parsedTotal = wholeNumber(total)
  if (!Array.isArray(items) || parsedTotal === undefined) return undefined
  return {
    requested,
    page: wholeNumber(page) ?? requested.page,
    pageSize: wholeNumber(pageSize) ?? requested.pageSize,
    total: parsedTotal,
    events: items.map(readEvent),
    problems: pageProblems(body),
  }
}

/** The items of a search response that are objects, even if the rest of the page is malformed. */
export function itemsOf(body: unknown): HubEvent[] {
  const { items } = Object(body) as { readonly items?: unknown }
  return Array.isArray(items) ? items.filter(isObject).map(readEvent) : []
}

/** Whether more pages follow (Event search, rule 4), by the page size of the response, not the requested one. */
export function hasMore({ requested, pageSize, total }: EventPage): boolean {
  return pageSize > 0 && (requested.page + 1) * pageSize < total
}

/**
 * Number of events at any depth of a body, such as that of a refusal. The body of a refusal is not specified, so it may
 * also have an id, a type or a list of items. An object with at least three members of events counts as an event if:
 * - it is in a list of items,
 * - it has data that only an event has, or
 * - `isKnown` returns true.
 * @param isKnown whether an object is an event that the target has returned before
 * @param listed whether the body is in a list of items
 */
export function countEventsIn(
  body: unknown,
  isKnown?: (object: Readonly<Record<string, unknown>>) => boolean,
  listed = false,
): number {
  if (body === null || typeof body !== 'object') return 0
  if (
    isObject(body) &&
    eventMembers.filter((name) => name in body).length >= 3 &&
    (listed || hasEventData(body) || isKnown?.(body))
  )
    return 1
  return Object.entries(body)
    .map(([name, value]) =>
      countEventsIn(value, isKnown, name === 'items' || (listed && Array.isArray(body))),
    )
    .reduce((sum, count) => sum + count, 0)
}

const eventMembers = ['id', 'timestamp', 'type', 'version', 'payload']

/** Whether an object has the documented type of an event, its payload, or the identifier of a user. */
function hasEventData({ type, subscriber, payload }: Readonly<Record<string, unknown>>): boolean {
  return (
    type === 'ClaimValuesChanged' ||
    typeof subscriber === 'string' ||
    (isObject(payload) && ('claims' in payload || 'changedClaims' in payload))
  )
}

function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 ? number : undefined
}
