import { Agent } from 'undici'
import { EventAudit } from '../src/event-hub/audit.ts'
import { formatLocal, parseLocal } from '../src/event-hub/local-time.ts'
import { pagesOf, readAhead } from '../src/event-hub/paging.ts'
import { searchPages } from '../src/event-hub/poller/source.ts'
import { EventHub } from '../src/event-hub/search.ts'
import type { EventWindow } from '../src/event-hub/window.ts'
import { Recorder } from '../src/evidence/recorder.ts'
import { Budget } from '../src/http/budget.ts'
import { Http } from '../src/http/http.ts'
import { targetFrom } from '../src/target/config.ts'
import { partnerApiOf } from '../src/target/parts.ts'
import type { DayFigures } from './day.ts'

// Reads a window of events once, in a separate process, and reports duration and memory.
//   VARIABLES=… node bench/day-reader.ts audit|bare FROM TO

const pageSize = 1000
const [how, from = '', to = ''] = process.argv.slice(2)
const target = targetFrom('embedded', process.env)
const local = (text: string) => {
  const time = parseLocal(text)
  if (!time) throw new Error(`${text} is not a local date-time`)
  return time.at
}
const window = { from: local(from), to: local(to) }

/** Reads like Plumbline: paced, validated by schema and rules, and with ids compared. */
async function audited(window: EventWindow): Promise<number> {
  const http = new Http(new Budget(target), new Recorder(), target.proxy)
  const audit = new EventAudit(window)
  const read = searchPages(new EventHub(http, target), pageSize, 'safe')
  for await (const page of pagesOf(readAhead((number) => read(window, number)))) audit.take(page)
  await http.close()
  const { events, ids, outside, conflicting, whole, malformed, order } = audit.findings()
  const problems = outside + conflicting + Object.keys(malformed).length
  if (!whole || problems > 0 || ids !== events || order !== 'ascending')
    throw new Error(`the audit found ${JSON.stringify(audit.findings())}`)
  return events
}

/** The baseline: reads each page with undici and parses its JSON. */
async function bare(window: EventWindow): Promise<number> {
  const agent = new Agent()
  const { url, credentials } = partnerApiOf(target)
  const headers = { 'X-Client-Id': credentials.id, 'X-Client-Secret': credentials.secret }
  let events = 0
  for (let page = 0; ; page += 1) {
    const query = `from=${formatLocal(window.from)}&to=${formatLocal(window.to)}&page=${page}&pageSize=${pageSize}`
    const { body } = await agent.request({
      origin: new URL(url).origin,
      path: `${new URL(url).pathname}/events/search?${query}`,
      method: 'GET',
      headers,
    })
    const { total, items } = (await body.json()) as { total: number; items: unknown[] }
    events += items.length
    if ((page + 1) * pageSize >= total) break
  }
  await agent.close()
  return events
}

const started = performance.now()
const events = await (how === 'bare' ? bare(window) : audited(window))
const figures: DayFigures = {
  events,
  milliseconds: performance.now() - started,
  peakMiB: process.resourceUsage().maxRSS / 1024,
}
process.send?.(figures)
process.disconnect?.()
