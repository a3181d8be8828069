import type { EventEmitter } from 'node:events'
import { contentCoding } from './content-coding.ts'
import type { Engine } from './engine.ts'
import { askedWaitMs, endsConnection } from './exchange.ts'
import { maxLines } from './lines.ts'
import { type Answer, headerPairs, type LoadRequest, type Shot } from './shot.ts'

/**
 * A connection of autocannon 9. It tells nobody about the requests that it loses with a connection, nor about the
 * connections that it makes anew, so what sends and what connects is taken hold of.
 */
interface Connection extends EventEmitter {
  readonly destroyed: boolean
  readonly reqsMade: number
  readonly responseMax: number
  destroy(): void
  _connect(): void
  _doRequest(): void
}

/**
 * As many requests as are left, over ten connections, each as soon as the answer before it has come: nothing is paced,
 * and no Retry-After waited for. Each request and each reconnect is counted before it leaves, as everywhere.
 */
export async function closedLoop(
  engine: Engine,
  request: LoadRequest,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const amount = engine.guard.remaining
  if (amount < 1) return
  const { default: autocannon } = await import('autocannon')
  const connections: Connection[] = []
  const stop = () => {
    for (const connection of connections) if (!connection.destroyed) connection.destroy()
  }
  // What the newest answer was: it is told just before the connection says that it has one.
  let answer: Answer | undefined
  const setupClient = (connection: Connection) => {
    connections.push(connection)
    watch(connection, { engine, request, timeoutMs, newest: () => answer })
  }
  const running = autocannon({
    url: request.url.href,
    connections: Math.min(maxLines, amount),
    amount,
    timeout: timeoutMs / 1000,
    requests: [
      {
        method: request.method,
        headers: Object.fromEntries(headerPairs(request)),
        onResponse: (status, text, _, headers = {}) => {
          answer = { status, headers: inLowerCase(headers), text }
        },
      },
    ],
    setupClient: (client) => setupClient(client as unknown as Connection),
  })
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  await running
  signal.removeEventListener('abort', stop)
}

interface Watched {
  readonly engine: Engine
  readonly request: LoadRequest
  readonly timeoutMs: number
  readonly newest: () => Answer | undefined
}

/** Lets each request and reconnect past the guard, and records what became of it. */
function watch(connection: Connection, { engine, request, timeoutMs, newest }: Watched): void {
  const { _connect: connect, _doRequest: send } = connection
  let sentAt: number | undefined
  let everConnected = false
  let isClosing = false
  let failure: Shot['failure'] = 'reset'
  const lost = (why: Shot['failure']) => {
    if (sentAt === undefined) return
    const endedAt = engine.now()
    const isTimeOut = endedAt - sentAt > 0.95 * timeoutMs
    const shot = { intendedAt: sentAt, sentAt, endedAt, failure: isTimeOut ? 'timed-out' : (why ?? 'reset') }
    sentAt = undefined
    engine.recordUnpaced(request, shot as Shot)
  }
  const admits = () => {
    const isAdmitted = engine.admitsUnpaced()
    // Not at once: autocannon hears of the end of a connection only after it has made it.
    if (!isAdmitted) queueMicrotask(() => !connection.destroyed && connection.destroy())
    return isAdmitted
  }
  connection._connect = () => {
    lost(failure)
    isClosing = false
    failure = 'reset'
    if (connection.destroyed || (everConnected && !admits())) return
    everConnected = true
    connect.call(connection)
  }
  connection._doRequest = () => {
    if (connection.destroyed || isClosing) return
    if (connection.reqsMade < connection.responseMax) {
      if (!admits()) return
      sentAt = engine.now()
    }
    send.call(connection)
  }
  connection.on('connError', (error: NodeJS.ErrnoException) => {
    failure = error.code === 'ECONNREFUSED' ? 'refused' : 'reset'
  })
  connection.on('response', (status: number) => {
    const answer = newest()
    if (sentAt === undefined || !answer) return
    const asked = askedWaitMs(answer.headers)
    const shot = { intendedAt: sentAt, sentAt, endedAt: engine.now(), status }
    sentAt = undefined
    // autocannon would send the next one into a connection that is about to end.
    isClosing = endsConnection(answer.headers)
    // autocannon has made text of the body, from which a content coding cannot be undone.
    const readable = contentCoding(answer.headers) === '' ? answer : undefined
    engine.recordUnpaced(request, { ...shot, ...(asked !== undefined && { retryAfterMs: asked }) }, readable)
  })
  connection.on('done', () => lost(engine.guard.ended === undefined ? failure : 'ended'))
}

/** Names of headers are told as they were sent. */
function inLowerCase(headers: object): Answer['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
