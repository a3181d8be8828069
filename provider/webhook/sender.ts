import type { AttemptOutcome, DeliveryRequest } from './behaviour.ts'

/** Whether a URL is on this machine. The embedded provider sends requests to no other host. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

export interface Sender {
  /** Sends one request and waits at most `timeout` milliseconds for the response. Redirects are not followed. */
  send(target: URL, message: DeliveryRequest, timeout: number): Promise<AttemptOutcome>
  close(): Promise<void>
}

/** Sends requests to receivers on loopback. Accepts any certificate, because no authority issues one for loopback. */
export function createSender(): Sender {
  // Loaded here because most providers push nothing.
  const client = import('undici').then(({ Agent, request }) => ({
    agent: new Agent({ connect: { rejectUnauthorized: false } }),
    request,
  }))
  return {
    async send(target, message, timeout) {
      if (!isLoopback(target)) throw new Error(`${target.hostname} is not a loopback address.`)
      const { agent, request } = await client
      const signal = AbortSignal.timeout(timeout)
      try {
        const { statusCode, body } = await request(target, {
          ...message,
          dispatcher: agent,
          signal,
          // One connection per request: a receiver may have closed an idle connection.
          reset: true,
        })
        body.on('error', () => {})
        body.dump().catch(() => {})
        return { kind: 'response', status: statusCode }
      } catch {
        return { kind: signal.aborted ? 'timeout' : 'no-response' }
      }
    },
    close: async () => (await client).agent.destroy(),
  }
}
