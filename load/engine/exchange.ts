import { type Dispatcher, errors } from 'undici'
import { retryAfterMs } from '../../src/http/retry-after.ts'
import type { Answer, LoadRequest, Shot } from './shot.ts'

/** Largest body that is read to its end, in bytes. */
const largestBody = 4 * 1024 * 1024

/** What came of a request that left. */
export interface Outcome extends Pick<Shot, 'status' | 'failure' | 'retryAfterMs'> {
  readonly answer?: Answer
}

/**
 * One request and its whole answer, on undici's own level: streams and signals for each request would take most of
 * the time of a core at high rates.
 * @param timeoutMs longest wait for the end of the answer
 */
export function exchange(
  dispatcher: Dispatcher,
  { method, url, headers, body }: LoadRequest,
  timeoutMs: number,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const exchange = new Exchange(resolve, timeoutMs)
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: headers as string[],
        ...(body !== undefined && { body }),
      },
      exchange,
    )
  })
}

class TooLong extends Error {}
class TooLarge extends Error {}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #settle: (outcome: Outcome) => void
  readonly #timer: NodeJS.Timeout
  readonly #chunks: Buffer[] = []
  #controller: Dispatcher.DispatchController | undefined
  #size = 0
  #status = 0
  #headers: Answer['headers'] = {}

  constructor(settle: (outcome: Outcome) => void, timeoutMs: number) {
    this.#settle = settle
    // A connection that is not there yet has a time-out of its own.
    this.#timer = setTimeout(() => this.#controller?.abort(new TooLong()), timeoutMs)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Answer['headers']): void {
    this.#status = status
    this.#headers = headers
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#size > largestBody) controller.abort(new TooLarge())
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer)
    const wait = retryAfterMs(one(this.#headers['retry-after']), one(this.#headers.date))
    this.#settle({
      status: this.#status,
      answer: {
        status: this.#status,
        headers: this.#headers,
        text: Buffer.concat(this.#chunks).toString(),
      },
      ...(wait !== undefined && { retryAfterMs: wait }),
    })
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#timer)
    this.#settle({ failure: failureOf(error) })
  }
}

const timeouts = [TooLong, errors.HeadersTimeoutError, errors.BodyTimeoutError, errors.ConnectTimeoutError]
const refusals = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH'])

function failureOf(error: Error): NonNullable<Shot['failure']> {
  if (error instanceof errors.ClientDestroyedError) return 'ended'
  if (timeouts.some((kind) => error instanceof kind)) return 'timed-out'
  return refusals.has((error as NodeJS.ErrnoException).code ?? '') ? 'refused' : 'reset'
}

/** A field that came more than once has no one meaning. */
function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? undefined : value
}
