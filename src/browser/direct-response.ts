import type { HeaderEntry } from './headers.ts'

/** A response to a request that was sent without the page. */
export interface DirectResponse {
  readonly status: number
  readonly headers: readonly HeaderEntry[]
  readonly body: Buffer
  /** Milliseconds since the epoch. */
  readonly sentAt: number
  readonly durationMs: number
}
