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
 * Number of ids that changed: the second reading has them with a content that the first reading has only with other
 * ids. Malformed ids are ignored.
 */
export function changedIds(first: readonly HubEvent[], second: readonly HubEvent[]): number {
  const firstIds = idsByContent(first)
  const changed = [...idsByContent(second)].flatMap(([content, ids]) => {
    const idsBefore = firstIds.get(content)
    // More events with this content than before: one of them may be new.
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
 * Pages whose pageSize is neither the requested one nor the maximum of the hub. The maximum is the same for all pages,
 * and at least the default.
 */
export function misstatedSizes(pages: readonly EventPage[]): EventPage[] {
  const maximum = Math.max(defaultPageSize, ...pages.map(({ pageSize }) => pageSize))
  return pages.filter(({ requested, pageSize }) => pageSize !== Math.min(requested.pageSize, maximum))
}

/** Whether totals return to an earlier value. Late events do not explain that, since they only increase a total. */
export function returnsToEarlier(totals: readonly number[]): boolean {
  const changes = totals.filter((total, index) => index === 0 || total !== totals[index - 1])
  return new Set(changes).size < changes.length
}
