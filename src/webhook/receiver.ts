import type { Delivery } from './delivery.ts'
import { Inbox, type InboxOptions } from './inbox.ts'
import { type DeliveryAnswer, type Listener, type ListenerOptions, listen } from './listener.ts'
import { unharmed } from './unharmed.ts'
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
  /** Genuine deliveries that have used their nonce, and whose events are not in the inbox yet. */
  let arriving = 0
  const verifier: VerifierOptions = {
    ...options,
    keyByKid: (kid) => inTime(options.keyByKid(kid)),
    nonces: {
      has: (nonce) => options.nonces.has(nonce),
      // Room is looked for when everything else was judged: a forged delivery never takes any.
      take: (nonce) => {
        if (!inbox.hasRoom(arriving + 1)) throw new Error('too many events wait to be processed')
        const unseen = options.nonces.take(nonce)
        if (unseen) arriving += 1
        return unseen
      },
    },
  }

  async function receive(delivery: Delivery): Promise<DeliveryAnswer> {
    if (delivery.path.split('?', 1)[0] !== options.path) return { status: 404 }
    if (delivery.method !== 'POST') return { status: 405 }
    try {
      const verification = await verifyDelivery(delivery, verifier)
      const { findings, event } = verification
      if (findings.length > 0 || event === undefined) {
        unharmed(() => options.onRefusal?.(delivery, verification))
        return { status: 400 }
      }
      arriving -= 1
      inbox.put({ id: String(event.id), type: String(event.type), envelope: event })
      return { status: 204 }
    } catch (error) {
      unharmed(() => options.onUnjudged?.(delivery, error))
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

/** A key in time, or none: a late one must not use up the nonce of a delivery that was turned away. */
function inTime<T>(key: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the key set did not come in time')), keyTimeoutMs)
    key.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
