import { expect, test } from 'vitest'
import { Violation } from '../../../src/check/verdict.ts'
import type { HttpResponse } from '../../../src/http/response.ts'
import { hubFor, lawfulSearch, timesBeforeNow } from '../../check/events/hub.ts'

type Hub = Awaited<ReturnType<typeof hubFor>>

test.each([
  [
    'with an unknown X-Client-Secret, and with page=1',
    ({ credentials }) => credentials.responseToUnknown('X-Client-Secret'),
  ],
  [
    'with an id alone, and with page=1',
    ({ credentials }) => credentials.laterSearchWithHeaders([['X-Client-Id', 'partner']], 'with an id alone'),
  ],
  [
    'by a partner without the Event Hub',
    async ({ events, credentials }) => {
      const response = await events.responseToUnentitled({ id: 'partner', secret: 'other' })
      await credentials.requireDueToCredentials(response)
      await credentials.invalidWithStatus(response.status)
      return response
    },
  ],
] satisfies readonly [string, (hub: Hub) => Promise<HttpResponse>][])(
  'an accepted search %s is the request of the finding, although one without credentials follows it',
  async (difference, send) => {
    const search = lawfulSearch(timesBeforeNow(400, 72))
    const hub = await hubFor((request) =>
      'x-client-id' in request.headers ? search(request) : { status: 401 },
    )
    const response = await send(hub)
    expect(hub.arrived.some(({ headers }) => !('x-client-id' in headers))).toBe(true)
    expect(findingOf(() => hub.events.expectRefusal(response, 'any status'))).toMatchObject({
      request: `an otherwise valid search ${difference}`,
    })
  },
)

test('the check of searches without credentials judges the second page too, if an id alone is accepted', async () => {
  const search = lawfulSearch(timesBeforeNow(400, 72))
  const { events, credentials } = await hubFor((request) =>
    'x-client-id' in request.headers || request.query.get('page') === '1' ? search(request) : { status: 401 },
  )
  const response = await credentials.laterResponseWithoutCredentials()
  expect(response?.status).toBe(200)
  expect(findingOf(() => response && events.expectRefusal(response, 'any status'))?.request).toBe(
    'an otherwise valid search without X-Client-Id and X-Client-Secret, and with page=1',
  )
})

function findingOf(judge: () => void) {
  try {
    judge()
  } catch (error) {
    if (error instanceof Violation) return error.finding
    throw error
  }
  return undefined
}
