import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { generate } from 'selfsigned'
import { onTestFinished } from 'vitest'
import { type ProviderOptions, type RunningProvider, startProvider } from '../../provider/index.ts'
import { TestClient } from './client.ts'

/** A delivery that the receiver received. */
interface Delivery {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
  /** Time by the provider's retry clock, in milliseconds. */
  at: number
}

/** The status of the response, or a closed connection. */
export type Reaction = number | 'hang-up'

export const SECRET = 'a-secret-of-exactly-32-character'
const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
  keyType: 'ec',
  algorithm: 'sha256',
})

/** A provider that delivers events, with a receiver for them; both end with the test. */
export class WebhookFixture {
  readonly running: RunningProvider
  readonly client: TestClient
  readonly deliveries: Delivery[] = []
  /** Responses to the next deliveries; 204 after the last. */
  readonly reactions: Reaction[] = []
  readonly url: string
  private serial = 0

  private constructor(running: RunningProvider, url: string) {
    this.running = running
    this.client = new TestClient(running)
    this.url = url
  }

  static async start(options: Pick<ProviderOptions, 'now' | 'onFailedDelivery'> = {}) {
    const server = createServer({ key, cert })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const running = await startProvider({ variants: ['webhooks'], ...options })
    const { port } = server.address() as AddressInfo
    const fixture = new WebhookFixture(running, `https://127.0.0.1:${port}/hook`)
    server.on('request', async (request, response) => {
      const at = running.webhooks?.clock.now() ?? 0
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const { method = '', url = '', headers } = request
      const body = Buffer.concat(chunks).toString()
      if (!Object.keys(headers).some((name) => name.startsWith('x-service-'))) {
        // Not a delivery: the provider tests the target.
        response.writeHead(204).end()
        return
      }
      fixture.deliveries.push({ method, url, headers, body, at })
      const reaction = fixture.reactions.shift() ?? 204
      if (reaction === 'hang-up') request.socket.destroy()
      else response.writeHead(reaction).end()
    })
    onTestFinished(async () => {
      await running.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    })
    return fixture
  }

  /** One request to subscription management: status, JSON body if there is one, text. */
  async manage(method: string, path = '', body?: unknown, headers = this.client.partner()) {
    const url = `${this.running.partnerApiUrl}/events/subscriptions${path}`
    const response = await this.client.request(url, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const json = /^[{[]/.test(text) ? JSON.parse(text) : undefined
    return { status: response.status, headers: response.headers, json, text }
  }

  subscribe(fields: Record<string, unknown> = {}, headers = this.client.partner()) {
    return this.manage(
      'POST',
      '',
      { target_url: this.url, secret: SECRET, event_filters: [], ...fields },
      headers,
    )
  }

  /** Publishes an event that happens now, and waits until its first attempts have ended. */
  async publish({ type = 'ClaimValuesChanged', at = Date.now() } = {}): Promise<string> {
    this.serial += 1
    const id = `event-${this.serial}`
    this.running.hub.publish({
      id,
      local: helsinki(at),
      type,
      version: '1.0',
      subscriber: 'subject-ä',
      payload: { claims: { locale: 'fi' } },
    })
    await this.advance(0)
    return id
  }

  /** Advances the retry clock; returns the total seconds. */
  advance(seconds: number): Promise<number> {
    return this.running.webhooks?.clock.advance(seconds) ?? Promise.reject(new Error('nothing is pushed'))
  }

  /** Ids of the events of a search that covers six hours before and after now, in any zone of Europe. */
  async searched(): Promise<string[]> {
    const now = Date.now()
    const [from, to] = [now - 6 * 3_600_000, now + 6 * 3_600_000].map((at) =>
      new Date(at).toISOString().slice(0, -1),
    ) as [string, string]
    const response = await this.client.search({ from, to, pageSize: '1000' })
    return ((await response.json()) as { items: { id: string }[] }).items.map(({ id }) => id)
  }
}

/** Wall-clock time of the hub's zone, as in its events. */
function helsinki(at: number): number {
  const shown = new Date(at).toLocaleString('sv-SE', { timeZone: 'Europe/Helsinki' })
  return Date.parse(`${shown.replace(' ', 'T')}Z`) + (at % 1000)
}
