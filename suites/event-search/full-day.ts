import { isSearchAccepted } from '../../src/check/events/answered-search.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { HttpResponse } from '../../src/http/response.ts'

/** The shared response to a search of exactly 24 hours with `pageSize=10` and without `page`. */
export async function fullDayWithoutPage({ events, once }: CheckContext): Promise<HttpResponse> {
  return once(fullDayWithoutPage, async () =>
    events.sendValidSearch({ to: await dayAfter(events), page: null }),
  )
}

/**
 * The shared response to a search of exactly 24 hours without `page`. If the hub refuses this search, the response to the
 * same search with `page=0`. The caller must describe the request for findings, because another check may have sent it.
 */
export async function fullDay(context: CheckContext): Promise<HttpResponse> {
  const { events, once } = context
  const response = await fullDayWithoutPage(context)
  if (isSearchAccepted(response)) return response
  return once(fullDay, async () => events.sendValidSearch({ to: await dayAfter(events) }))
}

async function dayAfter(events: CheckContext['events']) {
  return (await events.controlWindow()).from.add({ hours: 24 })
}
