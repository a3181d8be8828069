import type { Delivery } from './delivery.ts'
import { Inbox, type InboxOptions } from './inbox.ts'
import { type DeliveryAnswer, type Listener, type ListenerOptions, listen } from './listener.ts'
import { type Verification, type VerifierOptions, verifyDelivery } from './verification.ts'

export interface ReceiverOptions extends ListenerOptions, VerifierOptions, InboxOptions {
  /** Path of the target_url; anything else is answered 404. */
  readonly path: string
  /** Told of every delivery that was refused, with what was found. */
  readonly onRefusal?: (delivery: Delivery, verification: Verification) => void
  /** Told of every delivery that could not be judged, and why. */
  readonly onUnjudged?: (delivery: Delivery, error: unknown) => void
}

export interface Receiver {
  readonly port: number
  /** Events that were acknowledged and wait to be processed. */
  readonly waiting: number
  /** Takes no more deliveries, then processes what was acknowledged. */
  close(): Promise<void>
}

/** Longest wait for a key: with the request itself, the answer has to be there within ten seconds. */
const keyTimeoutMs = 4000

/**
 * A receiver of webhooks as the contract has it (section Receiver contract for webhooks): reads the raw body,
 * verifies, acknowledges, and only then processes. Deliveries it cannot judge or keep just now, since the key
 * set cannot be had or too much waits, are answered 503, so that they come again; their nonces stay unused.
 * @throws Error with code EADDRINUSE where the port is taken
 */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const inbox = new Inbox(options)
  const verifier = { ...options, keyByKid: (kid: string) => inTime(options.keyByKid(kid)) }
  let verifying = 0

  async function receive(delivery: Delivery): Promise<DeliveryAnswer> {
    if (delivery.path.split('?', 1)[0] !== options.path) return { status: 404 }
    if (delivery.method !== 'POST') return { status: 405 }
    // Room is kept for those that are being verified: a genuine one has used its nonce by then.
    if (!inbox.hasRoom(verifying + 1)) return { status: 503 }
    verifying += 1
    try {
      const verification = await verifyDelivery(delivery, verifier)
      const { findings, event } = verification
      if (findings.length > 0 || event === undefined) {
        options.onRefusal?.(delivery, verification)
        return { status: 400 }
      }
      inbox.put({ id: String(event.id), type: String(event.type), envelope: event })
      return { status: 204 }
    } catch (error) {
      options.onUnjudged?.(delivery, error)
      return { status: 503 }
    } finally {
      verifying -= 1
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

/** A key in time, or none: a late one must not use up the nonce of a delivery that was turned away. */
function inTime<T>(key: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the key set did not come in time')), keyTimeoutMs)
    key.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
