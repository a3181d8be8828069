import { canonical, type HubEvent, identityOf, readEvent } from '../../event-hub/event.ts'
import { countEventsIn } from '../../event-hub/page.ts'
import type { HttpResponse } from '../../http/response.ts'
import type { AnsweredSearch } from './answered-search.ts'

/** What EVENT-SEARCH reports about a valid search that the target refuses. */
export interface SearchViolation {
  readonly request: string
  readonly actual: string
}

/** Minimum length of the event ids to look for in the text of a response. Shorter ids may be part of other texts. */
const shortestId = 12

/** The event searches of a run, with the events that they returned. */
export class SearchLog {
  /** All searches with their responses, in the order of the responses. */
  readonly searches: AnsweredSearch[] = []
  /** Events in accepted searches, by their content. They are personal data, and never shown. */
  readonly events = new Map<string, HubEvent>()
  /** Valid searches that the target refuses and no check has reported yet. */
  readonly refused = new Set<SearchViolation>()
  /** Whether the target refuses windows that may end in the future. */
  refusesFuture = false

  add(search: AnsweredSearch): void {
    this.searches.push(search)
    for (const event of search.events) this.events.set(canonical(event.members), event)
  }

  /** Number of events that a response discloses: in its JSON, or by ids of known events in any text or header. */
  disclosed(response: HttpResponse): number {
    const events = [...this.events.values()]
    const known = new Set(events.map(identityOf))
    const ids = new Set(events.map(({ members }) => members.id))
    const disclosedIds = [...ids].filter(
      (id) => typeof id === 'string' && id.length >= shortestId && response.contains(id),
    )
    const eventsInJson = countEventsIn(response.json, (object) => known.has(identityOf(readEvent(object))))
    return Math.max(eventsInJson, disclosedIds.length)
  }
}
