import { Agent, request } from 'undici'
import type { DeliveryRequest, Outcome } from './behaviour.ts'

/** Whether an address is on this machine: the only ones the embedded provider sends anything to. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

export interface Sender {
  /** Sends one request, and waits so many milliseconds for the status of the answer. Redirects are not followed. */
  send(target: URL, message: DeliveryRequest, timeout: number): Promise<Outcome>
  close(): Promise<void>
}

/** Sends to receivers on loopback, whatever their certificates say: nobody signs one for a loopback address. */
export function createSender(): Sender {
  const agent = new Agent({ connect: { rejectUnauthorized: false } })
  return {
    async send(target, message, timeout) {
      if (!isLoopback(target)) throw new Error(`${target.hostname} is not a loopback address.`)
      const signal = AbortSignal.timeout(timeout)
      try {
        const { statusCode, body } = await request(target, {
          ...message,
          dispatcher: agent,
          signal,
          // A connection of its own each time, so that one that the receiver has closed is never met.
          reset: true,
        })
        body.on('error', () => {})
        body.dump().catch(() => {})
        return { kind: 'answered', status: statusCode }
      } catch {
        return { kind: signal.aborted ? 'timeout' : 'no-response' }
      }
    },
    close: () => agent.destroy(),
  }
}
