import type { AnsweredSearch } from '../../src/check/events/answered-search.ts'
import { distinctWithin, exactTimesOf, missingFrom, timeOrderOf } from '../../src/check/events/reading.ts'
import { type HubEvent, identityOf } from '../../src/event-hub/event.ts'
import { compareLocal, type LocalDateTime } from '../../src/event-hub/local-time.ts'
import type { EventWindow } from '../../src/event-hub/window.ts'

/**
 * Events of other responses that a page omits, although their times are between those of its events. On a first page,
 * also events before its first event. Times at a bound, and times without milliseconds, are not judged.
 * @param known events of all responses
 * @param order the common order of all pages by time; undefined if their orders differ
 */
export function omittedEvents(
  { query, requested, page, events }: AnsweredSearch,
  known: readonly HubEvent[],
  order: 'ascending' | 'descending' | undefined,
): readonly HubEvent[] {
  const times = exactTimesOf(events).toSorted(compareLocal)
  const [first, last] = [times[0], times.at(-1)]
  if (!requested || !page || !first || !last || timeOrderOf(events).order === 'mixed') return []
  const inside = withoutBounds(requested)
  // If total is below the number of known events in the window, the hub has searched only a part of the window, which
  // other checks judge.
  if (page.total < distinctWithin(known, requested).length) return []
  const isFirst = query.page === 0
  const span = {
    from: isFirst && order === 'ascending' ? inside.from : after(first),
    to: isFirst && order === 'descending' ? inside.to : last,
  }
  if (compareLocal(span.from, span.to) >= 0) return []
  return missingFrom(events, distinctWithin(distinctWithin(known, inside), span))
}

/** Whether the response to a search has all events of its window. */
export function isWholeWindow({ requested, page }: AnsweredSearch): boolean {
  // A total may count only the events of a page. A page with space for more has all events of the window.
  return (
    requested?.page === 0 &&
    page !== undefined &&
    page.total <= page.events.length &&
    page.events.length < requested.pageSize
  )
}

/** A search that lacks events that an earlier search returned. */
interface Loss {
  readonly search: AnsweredSearch
  /** The search that returned the first of the missing events. */
  readonly earlier: AnsweredSearch
  /** The missing events. */
  readonly events: readonly HubEvent[]
}

/**
 * Compares each search of recent events with all earlier searches. Other checks compare windows in the past.
 * @param settled a recent past time, before which no new events are expected; a window of recent events ends later
 * @returns `events`: number of events that a later search found again or lost; `loss`: the first loss
 */
export function comparedWithEarlier(
  searches: readonly AnsweredSearch[],
  settled: LocalDateTime,
): { readonly events: number; readonly loss: Loss | undefined } {
  const known = new Map<string, { readonly event: HubEvent; readonly earlier: AnsweredSearch }>()
  let count = 0
  let loss: Loss | undefined
  for (const search of searches) {
    const { requested, events } = search
    if (requested && isWholeWindow(search) && compareLocal(requested.to, settled) > 0) {
      const all = [...known.values()].map(({ event }) => event)
      const expected = distinctWithin(all, withoutBounds(requested))
      const lost = missingFrom(events, expected)
      const earlier = lost[0] && known.get(identityOf(lost[0]))?.earlier
      count += expected.length
      if (earlier) loss ??= { search, earlier, events: lost }
    }
    for (const event of events) {
      const key = identityOf(event)
      if (!known.has(key)) known.set(key, { event, earlier: search })
    }
  }
  return { events: count, loss }
}

/** A window without its first two milliseconds and its last one, because other checks judge events at bounds. */
export function withoutBounds({ from, to }: EventWindow): EventWindow {
  return { from: from.add({ milliseconds: 2 }), to: to.subtract({ milliseconds: 1 }) }
}

/** The next possible time: a page may begin between two events of the same time, so it may lack the first one. */
function after(time: LocalDateTime): LocalDateTime {
  return time.add({ nanoseconds: 1 })
}
