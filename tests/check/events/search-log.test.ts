import { expect, test } from 'vitest'
import { answeredSearch } from '../../../src/check/events/answered-search.ts'
import { SearchLog } from '../../../src/check/events/search-log.ts'
import type { Exchange } from '../../../src/evidence/exchange.ts'
import { HttpResponse } from '../../../src/http/response.ts'
import { item } from '../../event-hub/events.ts'

const other = item({ id: 'evt-2', type: 'Other', payload: { note: 1 } })
const found = [item({ id: '0b9d1f6c-1111-4222-8333-abcdefabcdef' }), item({ id: 'evt-1' }), other]

function logWithPage(): SearchLog {
  const page = { page: 0, pageSize: 10, total: 3, items: found }
  const response = new HttpResponse(200, {}, JSON.stringify(page))
  response.exchange = { sentAt: 1000, durationMs: 20 } as Exchange
  const log = new SearchLog()
  log.add(answeredSearch(response, {}, true))
  return log
}

test.each<[string, string, number]>([
  ['nothing', '', 0],
  ['events in JSON', JSON.stringify({ found }), 3],
  ['an event like a received one, at another time', JSON.stringify({ ...other, timestamp: 'now' }), 0],
  ['received events in a page', `<pre>${JSON.stringify(found)}</pre>`, 1],
  ['received events in JSON text of a string', JSON.stringify({ debug: JSON.stringify(found) }), 1],
  ['an id that is part of another text', 'evt-10', 0],
])('the log finds the events that a response discloses: %s', (_, text, count) => {
  expect(logWithPage().disclosed(new HttpResponse(400, {}, text))).toBe(count)
})
