import type { Delivery } from './delivery.ts'
import { type DeliveryResponse, type Listener, type ListenerOptions, listen } from './listener.ts'
import { type Verification, type VerifierOptions, verifyDelivery } from './verification.ts'

export interface ReceiverOptions extends ListenerOptions, VerifierOptions, InboxOptions {
  /** Path of the `target_url` of the subscription. The response to other paths is 404. */
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

/** Time limit for fetching a key. The service waits 10 s for the response. Receiving the request may take 5 s of that. */
const keyTimeoutMs = 4000

/**
 * Starts a webhook receiver (section Receiver contract for webhooks). It verifies each delivery, acknowledges it with
 * 204, and then processes its event. The response is 503 while the key set is unavailable or the queue is full. The
 * nonce then stays unused, so that the service can retry.
 * @throws Error with code EADDRINUSE if the port is in use
 */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const inbox = new Inbox(options)
  /** Number of deliveries whose nonce is used, but whose event is not in the inbox yet. */
  let arriving = 0
  const verifier: VerifierOptions = {
    ...options,
    keyByKid: (kid) => inTime(options.keyByKid(kid)),
    nonces: {
      has: (nonce) => options.nonces.has(nonce),
      // `verifyDelivery` calls this last, so that a forged delivery takes no place in the inbox.
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

/** Rejects after the time limit for a key: the response is then 503, and the nonce stays unused. */
function inTime<T>(key: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('fetching the key set took too long')), keyTimeoutMs)
    key.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

export interface ReceivedEvent {
  readonly id: string
  readonly type: string
  readonly envelope: Readonly<Record<string, unknown>>
}

interface InboxOptions {
  /** Processes one event at a time, in order of arrival. */
  readonly handle: (event: ReceivedEvent) => Promise<void> | void
  /** Called with an event that `handle` failed to process. The service does not deliver an acknowledged event again. */
  readonly onFailure: (event: ReceivedEvent, error: unknown) => void
  /** Maximum number of waiting events; 1000 by default. */
  readonly limit?: number
  /** Maximum number of remembered event ids; 100 000 by default. */
  readonly memory?: number
}

/**
 * A queue of acknowledged events. It ignores an event whose id it remembers, because a service may deliver an event
 * several times (section Events).
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

  /** Whether the queue can take this many further events. */
  hasRoom(events: number): boolean {
    return this.#waiting + events <= this.#limit
  }

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
      // The caller may process the event later, for example after reading it from the Event Hub.
      this.#known.delete(event.id)
      notify(() => this.#options.onFailure(event, error))
    } finally {
      this.#waiting -= 1
    }
  }
}

/**
 * Calls an observer. An error that the observer throws becomes a warning of the process: it must not affect responses.
 */
function notify(callObserver: () => void): void {
  try {
    callObserver()
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error))
  }
}
