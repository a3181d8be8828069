import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { seeded } from '../load/what-if/seeded.ts'

// A server in a process of its own, told by its parent how to answer, and asked what it saw.

/** How the server answers until it is told otherwise. */
export type Mood =
  | { readonly kind: 'plain' }
  /** From the first request on, in milliseconds: answers nothing between the two moments, and everything then. */
  | { readonly kind: 'stall'; readonly from: number; readonly until: number }
  /** Each request meets one of the faults by chance, or is answered; some answers are throttled for a second. */
  | { readonly kind: 'faults'; readonly seed: number }

/** What the server saw since its mood was set; times in milliseconds since the epoch, to the microsecond. */
export interface Seen {
  readonly arrivals: readonly number[]
  readonly connections: number
  /** When it sent a 429 that asks to stay away for a second. */
  readonly throttledAt: readonly number[]
}

const now = () => performance.timeOrigin + performance.now()
let mood: Mood = { kind: 'plain' }
let arrivals: number[] = []
let throttledAt: number[] = []
let connections = 0
let random = () => 0.5

function stall({ from, until }: Extract<Mood, { kind: 'stall' }>, response: ServerResponse): void {
  const since = now() - (arrivals[0] ?? now())
  if (since < from || since >= until) response.end('{}')
  else setTimeout(() => response.end('{}'), until - since)
}

function fault(response: ServerResponse): void {
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
  if (mood.kind === 'stall') stall(mood, response)
  else if (mood.kind === 'faults') fault(response)
  else response.end('{}')
})
server.on('connection', () => {
  connections += 1
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))

process.on('message', (message: Mood | 'report') => {
  if (message === 'report') {
    process.send?.({ arrivals, connections, throttledAt } satisfies Seen)
    return
  }
  mood = message
  arrivals = []
  throttledAt = []
  connections = 0
  if (mood.kind === 'faults') random = seeded(mood.seed)
  process.send?.('ready')
})
process.on('disconnect', () => process.exit())
