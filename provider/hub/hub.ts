import type { Partner } from '../deployment.ts'
import { type Answer, jsonAnswer, type Received } from '../http.ts'
import { type HubBehaviour, type Paging, type Range, toEnvelope } from './behaviour.ts'
import type { StoredEvent } from './events.ts'
import { badRequest, methodNotAllowed, notFound, unauthorized } from './refusals.ts'

export interface Hub {
  /** Handles a request below the partner API's address; `path` is relative to it. */
  handle(received: Received, path: string): Answer
  /** Takes in an event that has just happened, so that searches find it. */
  publish(event: StoredEvent): void
  /** Calls back with each event published from now on. */
  onPublished(listener: (event: StoredEvent) => void): void
}

/** Raised for a search that cannot be carried out. */
class BadSearch extends Error {}

/**
 * The Event Hub over a list of events. A search finds its range by bisection.
 * @param seeded sorted by wall-clock time
 * @param local what the hub's wall clock shows now, in milliseconds; that of UTC unless given
 */
export function createHub(
  behaviour: HubBehaviour,
  partners: readonly Partner[],
  seeded: readonly StoredEvent[],
  local: () => number = Date.now,
): Hub {
  const events = [...seeded]
  /** Events that searches do not find yet, with the number of the first one that does. */
  let hidden: { event: StoredEvent; from: number }[] = []
  let searches = 0
  const listeners: ((event: StoredEvent) => void)[] = []

  function single(query: URLSearchParams, name: string): string | undefined {
    const values = query.getAll(name)
    if (values.length > 1) throw new BadSearch(`${name} is given more than once`)
    return values[0]
  }

  function range(query: URLSearchParams, paging: Paging): Range {
    const texts = { from: single(query, 'from'), to: single(query, 'to') }
    const times = { from: timeOf('from', texts.from), to: timeOf('to', texts.to) }
    const asked = {
      from: times.from ?? insteadOf('from', texts.from, times.to),
      to: times.to ?? insteadOf('to', texts.to, times.from),
    }
    if (asked.from > asked.to) throw new BadSearch('from is after to')
    if (behaviour.tooWide(asked.to - asked.from, asked, paging))
      throw new BadSearch('the window is wider than 24 hours')
    return asked
  }

  function timeOf(name: 'from' | 'to', text: string | undefined): number | undefined {
    return text === undefined ? undefined : behaviour.parseTime(text, name)
  }

  function insteadOf(name: 'from' | 'to', text: string | undefined, other: number | undefined): number {
    const time = behaviour.fallbackTime(text === undefined ? 'missing' : 'invalid', name, other)
    if (time !== undefined) return time
    throw new BadSearch(text === undefined ? `${name} is missing` : `${name} is not a local date-time`)
  }

  function paging(query: URLSearchParams): Paging {
    const pageText = single(query, 'page')
    const sizeText = single(query, 'pageSize')
    const page = pageText === undefined ? behaviour.defaultPage : behaviour.parsePage(pageText)
    const pageSize = sizeText === undefined ? behaviour.defaultPageSize : behaviour.parsePageSize(sizeText)
    if (page === undefined) throw new BadSearch('page is not a page number')
    if (pageSize === undefined) throw new BadSearch('pageSize is not a page size')
    return { page, pageSize }
  }

  /** Index of the first event that is not before `local`. */
  function firstFrom(local: number): number {
    let low = 0
    let high = events.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((events[middle] as StoredEvent).local < local) low = middle + 1
      else high = middle
    }
    return low
  }

  function insert(event: StoredEvent): void {
    // After those of the same moment; what happens in the hour that a clock repeats is sorted in between.
    events.splice(firstFrom(event.local + 1), 0, event)
  }

  function tell(event: StoredEvent): void {
    for (const listener of listeners) listener(event)
  }

  /** Takes in what has turned up since the last search. */
  function catchUp(): void {
    for (const event of behaviour.arrivals.flatMap((arrive) => arrive(searches, local()))) {
      insert(event)
      tell(event)
    }
    for (const { event, from } of hidden) if (from <= searches) insert(event)
    hidden = hidden.filter(({ from }) => from > searches)
    searches += 1
  }

  function search(query: URLSearchParams): Answer {
    catchUp()
    const asked = paging(query)
    const { from, to } = behaviour.searched(range(query, asked))
    const result = behaviour.cut(behaviour.order(events.slice(firstFrom(from), firstFrom(to))), asked)
    const items = result.items.map((event) => {
      const envelope: Record<string, unknown> = { ...toEnvelope(event) }
      for (const edit of behaviour.envelope) edit(envelope, event)
      return envelope
    })
    return jsonAnswer(200, { page: result.page, pageSize: result.pageSize, total: result.total, items })
  }

  function authorizedSearch(received: Received): Answer {
    const credentials = behaviour.credentials(received, partners)
    if (credentials.verdict === 'refused') return unauthorized()
    if (!behaviour.entitled(credentials.partner)) return behaviour.unentitled()
    try {
      return search(received.query)
    } catch (error) {
      if (!(error instanceof BadSearch)) throw error
      return badRequest(error.message)
    }
  }

  return {
    publish(event) {
      if (behaviour.lag > 0) hidden.push({ event, from: searches + behaviour.lag })
      else insert(event)
      tell(event)
    },
    onPublished(listener) {
      listeners.push(listener)
    },
    handle(received, path) {
      for (const admit of behaviour.admission) {
        const answer = admit(received)
        if (answer) return answer
      }
      if (path !== '/events/search') {
        const answer = notFound('resource')
        for (const edit of behaviour.notFound) edit(answer)
        return answer
      }
      if (received.method !== 'GET') return methodNotAllowed('GET')
      const answer = authorizedSearch(received)
      for (const edit of behaviour.answers) edit(answer, received)
      return answer
    },
  }
}
