import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Temporal } from 'temporal-polyfill'
import { onTestFinished } from 'vitest'
import { createContext } from '../../../src/check/fixtures.ts'
import { RunContext } from '../../../src/check/run-context.ts'
import { targetFrom } from '../../../src/target/config.ts'
import { PartnerCredentialSteps } from '../../../suites/event-search/credential-steps.ts'
import { item } from '../../event-hub/events.ts'

/** A request to the hub. `rawUrl` is the path with the query, exactly as sent. */
export interface Arrived {
  readonly rawUrl: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
}

export interface Reply {
  readonly status: number
  readonly body?: unknown
}

/** Starts a hub for one test. Returns the requests that it receives, and the steps by which a check uses it. */
export async function hubFor(
  answer: (arrived: Arrived, count: number) => Reply,
  variables: Readonly<Record<string, string>> = {},
) {
  const arrived: Arrived[] = []
  const server = createServer((request, response) => {
    const rawUrl = request.url ?? ''
    const query = new URLSearchParams(rawUrl.split('?')[1] ?? '')
    arrived.push({ rawUrl, query, headers: request.headers })
    const { status, body } = answer({ rawUrl, query, headers: request.headers }, arrived.length)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body === undefined ? '' : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const target = targetFrom('embedded', {
    IDP_BASE_URL: base,
    PARTNER_API_URL: `${base}/partner/`,
    CLIENT_ID: 'application',
    CLIENT_SECRET: 'application-secret',
    REDIRECT_URI: 'https://partner.invalid/callback',
    PARTNER_CLIENT_ID: 'partner',
    PARTNER_CLIENT_SECRET: 'partner-secret',
    ...variables,
  })
  const run = new RunContext({ target })
  onTestFinished(async () => {
    await run.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const context = () => createContext(run, 'EVENT-ID')
  const { events, readings, rereadings } = context()
  const credentials = new PartnerCredentialSteps(run, { events })
  return { arrived, run, context, events, credentials, readings, rereadings }
}

/** Returns lawful search results with events at the given local times. */
export function lawfulSearch(
  times: readonly Temporal.PlainDateTime[],
  largestPage = Number.POSITIVE_INFINITY,
): (arrived: Arrived) => Reply {
  const { compare, from: local } = Temporal.PlainDateTime
  const events = times.toSorted(compare).map((at, index) => ({ at, index }))
  return ({ query }) => {
    const from = local(query.get('from') ?? '')
    const to = local(query.get('to') ?? '')
    const page = Number(query.get('page') ?? 0)
    const pageSize = Math.min(Number(query.get('pageSize') ?? 10), largestPage)
    const matching = events.filter(({ at }) => compare(from, at) <= 0 && compare(at, to) < 0)
    const items = matching
      .slice(page * pageSize, (page + 1) * pageSize)
      .map(({ at, index }) =>
        item({ id: `evt-${index}`, timestamp: at.toString({ fractionalSecondDigits: 3 }) }),
      )
    return { status: 200, body: { page, pageSize, total: matching.length, items } }
  }
}

/** `count` times at equal distances within the last `hours`, as local times in UTC. */
export function timesBeforeNow(count: number, hours: number): Temporal.PlainDateTime[] {
  const now = Temporal.Now.plainDateTimeISO('UTC')
  const step = Math.floor((hours * 3_600_000) / count)
  return Array.from({ length: count }, (_, index) =>
    now.subtract({ milliseconds: step * (index + 1) }).round('millisecond'),
  )
}
