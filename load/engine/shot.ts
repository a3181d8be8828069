import type { IncomingHttpHeaders } from 'node:http'

/** A request that a probe sends again and again. It may hold credentials and is never written. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly body?: string
}

/** One request that was sent, and its outcome; times in milliseconds since the probe began. */
export interface Shot {
  /** When the schedule wanted it sent. Latency counts from here, so that a target that stalls cannot hide it. */
  readonly intendedAt: number
  readonly sentAt: number
  readonly endedAt: number
  /** Absent where there was no complete response. */
  readonly status?: number
  readonly failure?: 'refused' | 'reset' | 'timed-out' | 'ended'
  /** The wait that Retry-After asks for, where it has a form of RFC 9110. */
  readonly retryAfterMs?: number
}

/** A whole response, for the probe that sent the request; only its form is ever written. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Makes requests of one kind. */
export interface Source {
  /** The next request; undefined where there is none until a response has arrived. */
  next(): LoadRequest | undefined
  /** Called with each response, in any order: later requests may depend on it. */
  learn(request: LoadRequest, answer: Answer | undefined): void
}

/** Headers as pairs of name and value. */
export function headerPairs({ headers }: LoadRequest): [name: string, value: string][] {
  return headers.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, headers[index + 1] ?? '']] : [],
  )
}

/** Intended start to last byte, in milliseconds. */
export function latencyMs({ intendedAt, endedAt }: Shot): number {
  return endedAt - intendedAt
}

/** Real start to last byte, in milliseconds. */
export function serviceTimeMs({ sentAt, endedAt }: Shot): number {
  return endedAt - sentAt
}
