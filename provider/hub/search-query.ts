import type { HubBehaviour, Paging, Range } from './behaviour.ts'

/** A search that the hub refuses. The message names the parameter, and never repeats its value. */
export class InvalidSearch extends Error {}

/**
 * The page that a search requests.
 * @throws InvalidSearch
 */
export function readPaging(query: URLSearchParams, behaviour: HubBehaviour): Paging {
  const pageText = single(query, 'page')
  const sizeText = single(query, 'pageSize')
  const page = pageText === undefined ? behaviour.defaultPage : behaviour.parsePage(pageText)
  const pageSize = sizeText === undefined ? behaviour.defaultPageSize : behaviour.parsePageSize(sizeText)
  if (page === undefined) throw new InvalidSearch('page is not a page number')
  if (pageSize === undefined) throw new InvalidSearch('pageSize is not a page size')
  return { page, pageSize }
}

/**
 * The window that a search requests.
 * @throws InvalidSearch
 */
export function readRange(query: URLSearchParams, paging: Paging, behaviour: HubBehaviour): Range {
  const texts = { from: single(query, 'from'), to: single(query, 'to') }
  const parsed = (name: 'from' | 'to') => {
    const text = texts[name]
    return text === undefined ? undefined : behaviour.parseTime(text, name)
  }
  const times = { from: parsed('from'), to: parsed('to') }
  const fallback = (name: 'from' | 'to', other: number | undefined): number => {
    const isMissing = texts[name] === undefined
    const time = behaviour.fallbackTime(isMissing ? 'missing' : 'invalid', name, other)
    if (time !== undefined) return time
    throw new InvalidSearch(`${name} is ${isMissing ? 'missing' : 'not a local date-time'}`)
  }
  const range = {
    from: times.from ?? fallback('from', times.to),
    to: times.to ?? fallback('to', times.from),
  }
  if (range.from > range.to) throw new InvalidSearch('from is after to')
  if (behaviour.tooWide(range.to - range.from, range, paging))
    throw new InvalidSearch('the window is wider than 24 hours')
  return range
}

function single(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name)
  if (values.length > 1) throw new InvalidSearch(`${name} is given more than once`)
  return values[0]
}
