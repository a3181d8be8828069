import { type HubEvent, readEvent } from './event.ts'
import { type Problem, pageProblems } from './schemas.ts'

/** What a page was asked for with. */
export interface Paging {
  /** Zero-based. */
  readonly page: number
  readonly pageSize: number
}

/**
 * A page of events (section Page of events), read with forbearance: a number written as text counts as that
 * number, and where page or pageSize cannot be read at all, what was asked for stands in.
 * The problems tell such an answer from a good one.
 */
export interface EventPage extends Paging {
  readonly asked: Paging
  readonly total: number
  readonly events: readonly HubEvent[]
  /** Where it departs from schemas/event-page.schema.json. */
  readonly problems: readonly Problem[]
}

/**
 * Reads the body of a search answer.
 * @returns undefined where there is no list of items or no total, so that nothing can be read from it
 */
export function readPage(body: unknown, asked: Paging): EventPage | undefined {
  if (body === null || typeof body !== 'object') return undefined
  const { page, pageSize, total, items } = body as Readonly<Record<string, unknown>>
  const matching = wholeNumber(total)
  if (!Array.isArray(items) || matching === undefined) return undefined
  return {
    asked,
    page: wholeNumber(page) ?? asked.page,
    pageSize: wholeNumber(pageSize) ?? asked.pageSize,
    total: matching,
    events: items.map(readEvent),
    problems: pageProblems(body),
  }
}

/** Whether more pages follow (Event search, rule 4), by the page size of the answer, which may be less than asked. */
export function hasMore({ asked, pageSize, total }: EventPage): boolean {
  return pageSize > 0 && (asked.page + 1) * pageSize < total
}

/**
 * How many events a body gives away, wherever in it they stand. A body of errors may have an id, a type and a time
 * as well, or a list of items: what makes an event is a payload among its members, or three of its members inside such a list.
 */
export function eventsWithin(body: unknown, listed = false): number {
  if (body === null || typeof body !== 'object') return 0
  const members = eventMembers.filter((name) => name in body)
  if (members.length >= 3 && (listed || members.includes('payload'))) return 1
  return Object.entries(body)
    .map(([name, value]) => eventsWithin(value, name === 'items' || (listed && Array.isArray(body))))
    .reduce((sum, count) => sum + count, 0)
}

const eventMembers = ['id', 'timestamp', 'type', 'version', 'payload']

function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 ? number : undefined
}
