import type { Delivery } from './delivery.ts'
import { type DeliveryResponse, type Listener, type ListenerOptions, listen } from './listener.ts'
import { type Verification, type VerifierOptions, verifyDelivery } from './verification.ts'

export interface ReceiverOptions extends ListenerOptions, VerifierOptions, InboxOptions {
  /** Path of the target_url; the response to other paths is 404. */
  readonly path: string
  /** Called with each rejected delivery and its findings. */
  readonly onRefusal?: (delivery: Delivery, verification: Verification) => void
  /** Called with each delivery that could not be judged, and the reason. */
  readonly onUnjudged?: (delivery: Delivery, error: unknown) => void
}

interface Receiver {
  readonly port: number
  /** Number of acknowledged events that wait to be processed. */
  readonly waiting: number
  /** Stops listening, then processes the acknowledged events. */
  close(): Promise<void>
}

/** Time limit for fetching a key: the response is due within 10 s, including the request. */
const keyTimeoutMs = 4000

/**
 * A webhook receiver (section Receiver contract for webhooks): it reads the raw body, verifies, acknowledges, and then
 * processes. If it cannot judge or store a delivery now, because the key set is unavailable or its queue is full, the
 * response is 503, so that the service retries; the nonce stays unused.
 * @throws Error with code EADDRINUSE if the port is in use
 */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const inbox = new Inbox(options)
  /** Number of genuine deliveries whose nonce is used and whose event is not yet in the inbox. */
  let arriving = 0
  const verifier: VerifierOptions = {
    ...options,
    keyByKid: (kid) => inTime(options.keyByKid(kid)),
    nonces: {
      has: (nonce) => options.nonces.has(nonce),
      // Checked after all other rules, so that a forged delivery never occupies a place.
      take: (nonce) => {
        if (!inbox.hasRoom(arriving + 1)) throw new Error('too many events wait to be processed')
        const unseen = options.nonces.take(nonce)
        if (unseen) arriving += 1
        return unseen
      },
    },
  }

  async function receive(delivery: Delivery): Promise<DeliveryResponse> {
    if (delivery.path.split('?', 1)[0] !== options.path) return { status: 404 }
    if (delivery.method !== 'POST') return { status: 405 }
    try {
      const verification = await verifyDelivery(delivery, verifier)
      const { findings, event } = verification
      if (findings.length > 0 || event === undefined) {
        notify(() => options.onRefusal?.(delivery, verification))
        return { status: 400 }
      }
      arriving -= 1
      inbox.put({ id: String(event.id), type: String(event.type), envelope: event })
      return { status: 204 }
    } catch (error) {
      notify(() => options.onUnjudged?.(delivery, error))
      return { status: 503 }
    }
  }

  const listener: Listener = await listen(receive, options)
  return {
    port: listener.port,
    get waiting() {
      return inbox.waiting
    },
    close: async () => {
      await listener.close()
      await inbox.drained()
    },
  }
}

/** Rejects if a key takes too long: a late key must not use up the nonce of a delivery that was rejected. */
function inTime<T>(key: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('fetching the key set took too long')), keyTimeoutMs)
    key.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

export interface ReceivedEvent {
  readonly id: string
  readonly type: string
  /** The whole envelope. */
  readonly envelope: Readonly<Record<string, unknown>>
}

interface InboxOptions {
  /** Processes an event; called for one event at a time, in order of arrival. */
  readonly handle: (event: ReceivedEvent) => Promise<void> | void
  /** Called with an event whose processing failed: it was acknowledged, so the service will not deliver it again. */
  readonly onFailure: (event: ReceivedEvent, error: unknown) => void
  /** Maximum number of waiting events. */
  readonly limit?: number
  /** Maximum number of remembered ids. */
  readonly memory?: number
}

/**
 * A queue of acknowledged events. It ignores an event whose id is in the queue or, as far back as its memory reaches, was
 * processed before (section Events).
 */
class Inbox {
  readonly #options: InboxOptions
  readonly #limit: number
  readonly #memory: number
  /** Ids of waiting and processed events, oldest first. */
  readonly #known = new Set<string>()
  #waiting = 0
  #last: Promise<void> = Promise.resolve()

  constructor(options: InboxOptions) {
    this.#options = options
    this.#limit = options.limit ?? 1000
    this.#memory = options.memory ?? 100_000
  }

  get waiting(): number {
    return this.#waiting
  }

  /** @param more number of events to add */
  hasRoom(more: number): boolean {
    return this.#waiting + more <= this.#limit
  }

  /** Adds an event, unless it was added before. */
  put(event: ReceivedEvent): void {
    if (this.#known.has(event.id)) return
    this.#known.add(event.id)
    const [oldest = ''] = this.#known
    if (this.#known.size > this.#memory) this.#known.delete(oldest)
    this.#waiting += 1
    this.#last = this.#last.then(() => this.#process(event))
  }

  /** Resolves when all events added until now are processed. */
  drained(): Promise<void> {
    return this.#last
  }

  async #process(event: ReceivedEvent): Promise<void> {
    try {
      await this.#options.handle(event)
    } catch (error) {
      // Permits another attempt, for example with the event from the Event Hub.
      this.#known.delete(event.id)
      notify(() => this.#options.onFailure(event, error))
    } finally {
      this.#waiting -= 1
    }
  }
}

/**
 * Calls an observer. If it throws, the error becomes a warning of the process, and does not affect responses or later
 * events.
 */
function notify(tell: () => void): void {
  try {
    tell()
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error))
  }
}
