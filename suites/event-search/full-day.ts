import { isSearchAccepted } from '../../src/check/events/answered-search.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { HttpResponse } from '../../src/http/response.ts'

/** The response to a search of exactly 24 hours with `pageSize=10` and without `page`. Sent once per run. */
export async function fullDayWithoutPage({ events, once }: CheckContext): Promise<HttpResponse> {
  return once(fullDayWithoutPage, async () =>
    events.sendValidSearch({ to: await endOfFullDay(events), page: null }),
  )
}

/**
 * The response of `fullDayWithoutPage`; if the hub refuses that search, the response to the same search with
 * `page=0`. The caller must describe the request for its finding, because another check may have sent it.
 */
export async function fullDay(context: CheckContext): Promise<HttpResponse> {
  const { events, once } = context
  const response = await fullDayWithoutPage(context)
  if (isSearchAccepted(response)) return response
  return once(fullDay, async () => events.sendValidSearch({ to: await endOfFullDay(events) }))
}

/** 24 hours after the `from` of the control. */
async function endOfFullDay(events: CheckContext['events']) {
  return (await events.controlWindow()).from.add({ hours: 24 })
}
