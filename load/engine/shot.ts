import type { IncomingHttpHeaders } from 'node:http'

/** A request that a probe sends again and again. It may hold credentials and is never written. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  /** Names and values, one after the other. */
  readonly headers: readonly string[]
  readonly body?: string
}

/** What became of one request; times in milliseconds since the probe began. */
export interface Shot {
  /** When the schedule wanted it sent. Latency counts from here, so that a target that stalls cannot hide it. */
  readonly intendedAt: number
  readonly sentAt: number
  readonly endedAt: number
  /** Absent where no whole answer came. */
  readonly status?: number
  readonly failure?: 'refused' | 'reset' | 'timed-out' | 'ended'
  /** What a 429 or 503 asks to wait, where it says so in a form that RFC 9110 knows. */
  readonly retryAfterMs?: number
}

/** An answer in full, for the probe that sent it; only its form is ever written. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Requests of one kind, one after the other. */
export interface Source {
  /** The next request; undefined where there is none until an answer has come. */
  next(): LoadRequest | undefined
  /** Told of each answer, in any order; for requests whose successors depend on it. */
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
