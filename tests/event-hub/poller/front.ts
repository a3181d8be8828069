import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'
import { onTestFinished } from 'vitest'
import type { RunningProvider } from '../../../provider/index.ts'

/** Failures between a poller and its hub. */
export type Fault = 'none' | '500' | '503' | '429' | 'reset' | 'cut' | 'html'

/** Seconds of Retry-After in the 429. */
export const retryAfter = 2

interface Search {
  readonly at: number
  readonly query: URLSearchParams
}

/**
 * A server in front of a provider's Event Hub that injects failures.
 * @param faultOf the failure of a search, by its number from 0
 */
export async function faultyFront(
  provider: RunningProvider,
  faultOf: (number: number) => Fault | Promise<Fault>,
): Promise<{ readonly partnerApiUrl: string; readonly searches: Search[] }> {
  const searches: Search[] = []
  const server = createServer(async (incoming, response) => {
    const url = new URL(incoming.url ?? '/', provider.partnerApiUrl)
    searches.push({ at: Date.now(), query: url.searchParams })
    const fault = await faultOf(searches.length - 1)
    const names = ['x-client-id', 'x-client-secret'] as const
    const headers = Object.fromEntries(names.map((name) => [name, String(incoming.headers[name])]))
    const hub = await request(`${provider.issuer}${url.pathname}${url.search}`, { headers })
    answer(response, fault, hub.statusCode, await hub.body.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { partnerApiUrl: `http://127.0.0.1:${port}${new URL(provider.partnerApiUrl).pathname}`, searches }
}

function answer(response: ServerResponse, fault: Fault, status: number, body: string): void {
  const json = { 'content-type': 'application/json' }
  if (fault === 'reset') response.destroy()
  else if (fault === 'html')
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Please wait</h1>')
  else if (fault === '429') response.writeHead(429, { ...json, 'retry-after': String(retryAfter) }).end('{}')
  else if (fault === '500' || fault === '503') response.writeHead(Number(fault), json).end('{}')
  else if (fault === 'cut') {
    response.writeHead(status, { ...json, 'content-length': Buffer.byteLength(body) })
    response.write(body.slice(0, body.length / 2), () => response.destroy())
  } else response.writeHead(status, json).end(body)
}
