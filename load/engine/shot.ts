import type { IncomingHttpHeaders } from 'node:http'

/** A request of a probe. It may contain credentials: only a redacted copy is written to disk. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: string
}

/**
 * A sent request and its outcome. Times are in milliseconds on the clock of all probes; in a `ProbeResult`, since the
 * probe started.
 */
export interface Shot {
  /** Intended start by the schedule. Latency counts from here, to avoid coordinated omission. */
  readonly intendedAt: number
  readonly sentAt: number
  readonly endedAt: number
  /** Absent without a complete response. */
  readonly status?: number
  /** Why there is no complete response. `ended`: the probe ended first. */
  readonly failure?: 'refused' | 'reset' | 'timed-out' | 'ended'
  /** Retry-After in milliseconds, if valid by RFC 9110. */
  readonly retryAfterMs?: number
}

/** Whether the status is 429. A limiter may refuse with other statuses: see `isRefusedByLimiter` (`outcome.ts`). */
export function is429({ status }: Pick<Shot, 'status'>): boolean {
  return status === 429
}

/** A complete response. Only a redacted copy is written to disk. */
export interface LoadResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Creates the requests of a probe: all for one endpoint, with the same client and user. */
export interface Source {
  /** The next request; undefined if a response must arrive first. */
  next(): LoadRequest | undefined
  /** Called after each request, in any order; absent if later requests do not depend on responses. */
  learn?(request: LoadRequest, response: LoadResponse | undefined): void
}

/** A shot whose times count from `start`. */
export function shotSince(start: number, shot: Shot): Shot {
  return {
    ...shot,
    intendedAt: shot.intendedAt - start,
    sentAt: shot.sentAt - start,
    endedAt: shot.endedAt - start,
  }
}

/** Time from the intended start to the last byte, in milliseconds. */
export function latencyMs({ intendedAt, endedAt }: Shot): number {
  return endedAt - intendedAt
}

/** Time from sending to the last byte, in milliseconds. */
export function serviceTimeMs({ sentAt, endedAt }: Shot): number {
  return endedAt - sentAt
}
