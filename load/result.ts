import type { EndpointName } from './endpoints.ts'
import type { Shot } from './engine/shot.ts'
import type { Characterisation } from './limiter/index.ts'

/** The requirement of all probes: the specification shows no numbers, so they are observed. */
export const limitValues = 'PLATFORM-LIMIT-VALUES'

export const probeNames = ['limiter', 'anatomy', 'ramp', 'recovery', 'dimension', 'hold', 'capacity'] as const
export type ProbeName = (typeof probeNames)[number]

/** What a probe of an endpoint found; written as probes/<probe>-<endpoint>.json. Times in milliseconds since it began. */
export interface ProbeResult {
  readonly probe: ProbeName
  readonly endpoint: EndpointName
  /** ISO 8601, UTC. */
  readonly startedAt: string
  /** One sentence. */
  readonly finding: string
  /** Why it ended early; null where it did not. */
  readonly ended: string | null
  /** Requests and reconnects. */
  readonly requests: number
  readonly shots: readonly Shot[]
  /** Waits that the target asked for with a 429 or 503. */
  readonly waits: readonly Span[]
  /** Arrival rates of the schedule, where the probe had one. */
  readonly stages: readonly Stage[]
  /** Compared between runs, never judged. */
  readonly observations: readonly { readonly key: string; readonly value: ObservedValue }[]
  /** Of the probe `limiter`. */
  readonly limiter?: Characterisation
}

export interface Span {
  readonly from: number
  readonly until: number
}

export interface Stage extends Span {
  readonly ratePerSecond: number
}

export type ObservedValue = string | number | boolean | null | readonly string[]

/** The waits that the target asked for. */
export function waitsOf(shots: readonly Shot[]): Span[] {
  return shots.flatMap(({ status, endedAt, retryAfterMs }) =>
    (status === 429 || status === 503) && retryAfterMs
      ? [{ from: endedAt, until: endedAt + retryAfterMs }]
      : [],
  )
}

/** A probe of an endpoint, as results and progress name it. */
export function nameOf({ probe, endpoint }: Pick<ProbeResult, 'probe' | 'endpoint'>): string {
  return `${probe} of ${endpoint}`
}
