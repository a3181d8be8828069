import { isSearchAccepted } from '../../src/check/events/answered-search.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { HttpResponse } from '../../src/http/response.ts'

type Searching = Pick<CheckContext, 'events' | 'once'>

/** The shared response to a search of exactly 24 hours with `pageSize=10` and without `page`. */
export async function fullDayWithoutPage({ events, once }: Searching): Promise<HttpResponse> {
  return once(fullDayWithoutPage, async () =>
    events.sendValidSearch({ to: await dayAfter(events), page: null }),
  )
}

/**
 * The shared response to a search of exactly 24 hours: with `page=0` if it is refused without `page`. Another check may
 * have sent it, so the caller states the request.
 */
export async function fullDay({ events, once }: Searching): Promise<HttpResponse> {
  const response = await fullDayWithoutPage({ events, once })
  if (isSearchAccepted(response)) return response
  return once(fullDay, async () => events.sendValidSearch({ to: await dayAfter(events) }))
}

async function dayAfter(events: Searching['events']) {
  return (await events.controlWindow()).from.add({ hours: 24 })
}
