import type { Partner } from '../deployment.ts'
import { type HttpRequest, type HttpResponse, jsonResponse } from '../http.ts'
import type { HubBehaviour } from './behaviour.ts'
import { badRequest, methodNotAllowed, notFound, unauthorized } from './errors.ts'
import { EventLog } from './event-log.ts'
import { type StoredEvent, toEnvelope } from './events.ts'
import { InvalidSearch, readPaging, readRange } from './search-query.ts'

export interface Hub {
  /** Handles a request to the partner API; `path` is relative to its base URL. */
  handle(request: HttpRequest, path: string): HttpResponse
  /** Adds an event that has just happened. */
  publish(event: StoredEvent): void
  /** Calls `listener` with each event published from now on. */
  onPublished(listener: (event: StoredEvent) => void): void
}

/**
 * Creates the Event Hub with its first events.
 * @param seeded sorted by local time
 * @param localNow returns the current local time in the hub's zone; by default, that of UTC
 */
export function createHub(
  behaviour: HubBehaviour,
  partners: readonly Partner[],
  seeded: readonly StoredEvent[],
  localNow: () => number = Date.now,
): Hub {
  const log = new EventLog(seeded)
  /** Events that searches do not find yet. `from`: index of the first search that finds the event. */
  let hidden: { event: StoredEvent; from: number }[] = []
  let searches = 0
  const listeners: ((event: StoredEvent) => void)[] = []

  function notify(event: StoredEvent): void {
    for (const listener of listeners) listener(event)
  }

  /** Adds the events that become visible at this search. */
  function catchUp(): void {
    for (const event of behaviour.arrivals.flatMap((arrive) => arrive(searches, localNow()))) {
      log.insert(event)
      notify(event)
    }
    for (const { event, from } of hidden) if (from <= searches) log.insert(event)
    hidden = hidden.filter(({ from }) => from > searches)
    searches += 1
  }

  function search(query: URLSearchParams): HttpResponse {
    catchUp()
    return searchResponse(query, log, behaviour)
  }

  return {
    publish(event) {
      if (behaviour.lag > 0) hidden.push({ event, from: searches + behaviour.lag })
      else log.insert(event)
      notify(event)
    },
    onPublished(listener) {
      listeners.push(listener)
    },
    handle(request, path) {
      for (const intercept of behaviour.interceptors) {
        const response = intercept(request)
        if (response) return response
      }
      if (path !== '/events/search') {
        const response = notFound('resource')
        for (const edit of behaviour.notFound) edit(response)
        return response
      }
      if (request.method !== 'GET') return methodNotAllowed('GET')
      const response = refusal(request, behaviour, partners) ?? search(request.query)
      for (const edit of behaviour.responses) edit(response, request)
      return response
    },
  }
}

/** The refusal of a request without valid credentials or entitlement; undefined for any other request. */
function refusal(
  request: HttpRequest,
  behaviour: HubBehaviour,
  partners: readonly Partner[],
): HttpResponse | undefined {
  const partner = behaviour.authenticate(request, partners)
  if (!partner) return unauthorized()
  return behaviour.entitled(partner) ? undefined : behaviour.unentitled()
}

function searchResponse(query: URLSearchParams, log: EventLog, behaviour: HubBehaviour): HttpResponse {
  try {
    const paging = readPaging(query, behaviour)
    const { from, to } = behaviour.effectiveRange(readRange(query, paging, behaviour))
    const { items, ...result } = behaviour.paginate(behaviour.order(log.between(from, to)), paging)
    const envelopes = items.map((event) => {
      const envelope: Record<string, unknown> = { ...toEnvelope(event) }
      for (const edit of behaviour.envelope) edit(envelope, event)
      return envelope
    })
    return jsonResponse(200, { ...result, items: envelopes })
  } catch (error) {
    if (!(error instanceof InvalidSearch)) throw error
    return badRequest(error.message)
  }
}
