import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { seeded } from '../load/seeded.ts'

// A server in a separate process. The parent process sets the mode of the server, and requests its report.

/** How the server responds. */
export type ServerMode =
  | { readonly kind: 'plain' }
  /** Holds responses between `from` and `until`, and sends them at `until`. In milliseconds after the first request. */
  | { readonly kind: 'stall'; readonly from: number; readonly until: number }
  /** Random faults: some requests fail, and some receive a 429 with `Retry-After: 1`. */
  | { readonly kind: 'faults'; readonly seed: number }

/** What the server has observed since its parent set the mode. Times in milliseconds since the epoch. */
export interface ServerReport {
  readonly arrivals: readonly number[]
  readonly connections: number
  /** Times of the 429 responses. */
  readonly throttledAt: readonly number[]
}

const now = () => performance.timeOrigin + performance.now()
let mode: ServerMode = { kind: 'plain' }
let arrivals: number[] = []
let throttledAt: number[] = []
let connections = 0
let random = () => 0.5

function stall({ from, until }: Extract<ServerMode, { kind: 'stall' }>, response: ServerResponse): void {
  const since = now() - (arrivals[0] ?? now())
  if (since < from || since >= until) response.end('{}')
  else setTimeout(() => response.end('{}'), until - since)
}

function injectFault(response: ServerResponse): void {
  const chance = random()
  if (chance < 0.15) response.socket?.resetAndDestroy()
  else if (chance < 0.3) response.socket?.end()
  else if (chance < 0.4) response.writeHead(200, { 'content-length': '100' }).write('{')
  else if (chance < 0.5) response.writeHead(200, { connection: 'close' }).end('{}')
  else if (chance < 0.55) {
    throttledAt.push(now())
    response.writeHead(429, { 'retry-after': '1' }).end('{}')
  } else response.end('{}')
}

const server = createServer((request, response) => {
  request.resume()
  arrivals.push(now())
  if (mode.kind === 'stall') stall(mode, response)
  else if (mode.kind === 'faults') injectFault(response)
  else response.end('{}')
})
server.on('connection', () => {
  connections += 1
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))

process.on('message', (message: ServerMode | 'report') => {
  if (message === 'report') {
    process.send?.({ arrivals, connections, throttledAt } satisfies ServerReport)
    return
  }
  mode = message
  arrivals = []
  throttledAt = []
  connections = 0
  if (mode.kind === 'faults') random = seeded(mode.seed)
  process.send?.('ready')
})
process.on('disconnect', () => process.exit())
