import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { DataPoint, Experiment } from '../../load/limiter/index.ts'
import { retryAfterMs } from '../../src/http/retry-after.ts'

/** Sends requests to a server on loopback, one at a time, and waits for Retry-After. */
export class RealExperiment implements Experiment {
  readonly epochOffset = Date.now() - performance.now()
  readonly #url: string
  readonly #agent = new Agent({ connections: 1 })
  #notBefore = 0

  constructor(url: string) {
    this.#url = url
  }

  now(): number {
    return performance.now()
  }

  async send(at: number): Promise<DataPoint> {
    const wait = Math.max(at, this.#notBefore) - this.now()
    if (wait > 0) await sleep(Math.ceil(wait))
    const sentAt = this.now()
    const { statusCode, headers, body } = await request(this.#url, { dispatcher: this.#agent })
    await body.dump()
    const endedAt = this.now()
    if (statusCode === 200) return { sentAt, endedAt, outcome: 'admitted' }
    if (statusCode !== 429) return { sentAt, endedAt, outcome: 'unknown' }
    const header = headers['retry-after']
    const waitMs = retryAfterMs(typeof header === 'string' ? header : undefined, undefined)
    if (waitMs !== undefined) this.#notBefore = endedAt + waitMs
    return {
      sentAt,
      endedAt,
      outcome: 'throttled',
      ...(waitMs !== undefined && { retryAfterMs: waitMs }),
    }
  }

  close(): Promise<void> {
    return this.#agent.close()
  }
}
