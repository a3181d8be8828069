import dns from 'node:dns'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { vi } from 'vitest'
import { type Caps, LoadGuard } from '../../load/engine/guard.ts'
import type { Source } from '../../load/engine/shot.ts'
import { Budget } from '../../src/http/budget.ts'

/** A server for probes. It records the requests that arrive. */
export interface Site {
  readonly url: URL
  /** Arrival times of requests, in milliseconds of `performance.now()`. */
  readonly arrivals: number[]
  /** Number of accepted TCP connections. */
  connections: number
  answer: (request: IncomingMessage, response: ServerResponse, index: number) => void
  close(): Promise<void>
}

export async function startSite(answer: Site['answer'] = (_, response) => response.end('{}')): Promise<Site> {
  const server: Server = createServer()
  const arrivals: number[] = []
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const site: Site = {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    arrivals,
    connections: 0,
    answer,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  server.on('connection', () => {
    site.connections += 1
  })
  server.on('request', (request, response) => {
    arrivals.push(performance.now())
    request.resume()
    site.answer(request, response, arrivals.length - 1)
  })
  return site
}

export const get = ({ url }: Pick<Site, 'url'>) => ({ method: 'GET' as const, url, headers: [] })

/** Repeats one request. */
export const repeated = (site: Site): Source => ({ next: () => get(site) })

/** The maximum number of arrivals within 1 s. */
export function peakOf(arrivals: readonly number[]): number {
  let first = 0
  let peak = 0
  for (const [last, at] of arrivals.entries()) {
    while (at - (arrivals[first] as number) >= 1000) first += 1
    peak = Math.max(peak, last - first + 1)
  }
  return peak
}

/** A guard of a run that has sent nothing yet, and the clock of its probes. */
export function guardWith(caps: Partial<Caps> = {}) {
  const began = performance.now()
  const now = () => performance.now() - began
  const budget = new Budget({ hosts: [], requestsPerSecond: 10, requestBudget: 0, loginBudget: 0 })
  const guard = new LoadGuard({ maxRequests: 100, maxSeconds: 30, maxRate: 200, ...caps }, budget, now)
  return { guard, now, budget }
}

/** Delays each connection to `localhost` except the first. */
export function slowConnections(ms: number): void {
  let connections = 0
  const lookup = async (_: string, __: unknown, callback: (error: null, all: object[]) => void) => {
    connections += 1
    if (connections > 1) await sleep(ms)
    callback(null, [{ address: '127.0.0.1', family: 4 }])
  }
  vi.spyOn(dns, 'lookup').mockImplementation(lookup as never)
}
