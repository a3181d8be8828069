import { canonical, type HubEvent } from '../../event-hub/event.ts'
import type { AnsweredSearch } from './answered-search.ts'
import type { SearchViolation } from './search-violation.ts'

/** The event searches of a run. */
export class SearchLog {
  /** All searches with their responses, in the order of the responses. */
  readonly searches: AnsweredSearch[] = []
  /** Events in accepted searches, by their content. Other people's data: never to be shown. */
  readonly events = new Map<string, HubEvent>()
  /** Valid searches that the target refuses and no check has reported yet. */
  readonly refused = new Set<SearchViolation>()

  add(search: AnsweredSearch): void {
    this.searches.push(search)
    for (const event of search.events) this.events.set(canonical(event.members), event)
  }
}
