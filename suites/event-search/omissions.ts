import type { AnsweredSearch } from '../../src/check/events/answered-search.ts'
import { distinctWithin, exactTimesOf, timeOrderOf } from '../../src/check/events/reading.ts'
import { type HubEvent, identityOf } from '../../src/event-hub/event.ts'
import { compareLocal, type LocalDateTime } from '../../src/event-hub/local-time.ts'

/**
 * Events of other responses that a page omits, although their times are between those of its events; on a first page, also
 * those between the bound at which the window begins and its first event. Times at a bound, and times without
 * milliseconds, are left out.
 * @param known events of all responses
 * @param order the order of time of all pages, if it is one
 */
export function omittedEvents(
  { query, requested, page, events }: AnsweredSearch,
  known: readonly HubEvent[],
  order: 'ascending' | 'descending' | undefined,
): readonly HubEvent[] {
  const times = exactTimesOf(events).toSorted(compareLocal)
  const [first, last] = [times[0], times.at(-1)]
  if (!requested || !page || !first || !last || timeOrderOf(events).order === 'mixed') return []
  const inside = {
    from: requested.from.add({ milliseconds: 2 }),
    to: requested.to.subtract({ milliseconds: 1 }),
  }
  // A window that counts fewer events than are known, those at its bounds included, is searched in part.
  if (page.total < distinctWithin(known, requested).length) return []
  const isFirst = query.page === 0
  const span = {
    from: isFirst && order === 'ascending' ? inside.from : after(first),
    to: isFirst && order === 'descending' ? inside.to : last,
  }
  if (compareLocal(span.from, span.to) >= 0) return []
  const returned = new Set(events.map(identityOf))
  return distinctWithin(distinctWithin(known, inside), span).filter(
    (event) => !returned.has(identityOf(event)),
  )
}

/** The smallest step: a page may begin between two events of one time. */
function after(time: LocalDateTime): LocalDateTime {
  return time.add({ nanoseconds: 1 })
}
