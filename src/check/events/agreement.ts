import {
  canonical,
  type HubEvent,
  hasUsableId,
  identityOf,
  oncePerEvent,
  timestampOf,
} from '../../event-hub/event.ts'
import { defaultPageSize, type EventPage } from '../../event-hub/page.ts'

/** Whether a total matches the number of events. An event that is returned twice may count once or twice. */
export function fitsTotal(events: readonly HubEvent[], total: number): boolean {
  const different = new Set(events.map(identityOf)).size
  return different <= total && total <= events.length
}

/**
 * Number of ids in the second reading that replace another id of the first reading: the same content had only other ids
 * there. For example 1, if the event with the id A now has the id B. Ignores malformed ids.
 */
export function changedIds(first: readonly HubEvent[], second: readonly HubEvent[]): number {
  const firstIds = idsByContent(first)
  const changed = [...idsByContent(second)].flatMap(([content, ids]) => {
    const idsBefore = firstIds.get(content)
    // If more events have this content than before, an id may belong to a new event.
    return !idsBefore || ids.size > idsBefore.size ? [] : [...ids].filter((id) => !idsBefore.has(id))
  })
  return changed.length
}

const contentOf = oncePerEvent((event) => {
  const { id: _id, ...content } = event.members
  return canonical({ ...content, timestamp: timestampOf(event) })
})

function idsByContent(events: readonly HubEvent[]): Map<string, Set<unknown>> {
  const groups = Map.groupBy(events.filter(hasUsableId), contentOf)
  return new Map(
    [...groups].map(([content, same]) => [content, new Set(same.map(({ members }) => members.id))]),
  )
}

/**
 * Pages whose pageSize is wrong. The right one is the requested size, or the maximum of the hub if that is smaller. The
 * maximum is taken to be the largest pageSize of all pages, and at least the default of 10.
 */
export function misstatedSizes(pages: readonly EventPage[]): EventPage[] {
  const maximum = Math.max(defaultPageSize, ...pages.map(({ pageSize }) => pageSize))
  return pages.filter(({ requested, pageSize }) => pageSize !== Math.min(requested.pageSize, maximum))
}

/** Whether totals return to an earlier value, as in 5, 6, 5. Late events do not explain that: they only increase it. */
export function returnsToEarlier(totals: readonly number[]): boolean {
  const changes = totals.filter((total, index) => index === 0 || total !== totals[index - 1])
  return new Set(changes).size < changes.length
}
