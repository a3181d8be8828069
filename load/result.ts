import type { Observation } from '../src/check/result.ts'
import type { EndpointName } from './endpoints.ts'
import type { Shot } from './engine/shot.ts'
import type { Characterisation, Identified } from './limiter/index.ts'

/** The requirement of all probes. The specification states no limits, so probes only observe them. */
export const limitValuesId = 'PLATFORM-LIMIT-VALUES'

export const probeNames = ['limiter', 'anatomy', 'ramp', 'recovery', 'dimension', 'hold', 'capacity'] as const
export type ProbeName = (typeof probeNames)[number]

/** The result of one probe, as in probes/<probe>-<endpoint>.json. Times are in milliseconds since the probe began to send. */
export interface ProbeResult {
  readonly probe: ProbeName
  readonly endpoint: EndpointName
  /** ISO 8601, UTC. */
  readonly startedAt: string
  /** The result, in one or more sentences. */
  readonly finding: string
  /** A title for a long finding. */
  readonly headline?: string
  /** Why the probe ended early; null if it did not. */
  readonly ended: string | null
  /** Requests and reconnects. */
  readonly requests: number
  readonly shots: readonly Shot[]
  /** Waits that responses with 429 or 503 requested. */
  readonly waits: readonly Span[]
  /** The scheduled arrival rates; empty if the probe had no schedule. */
  readonly stages: readonly Stage[]
  /** Values that are compared between runs, but never judged. */
  readonly observations: readonly Pick<Observation, 'key' | 'value' | 'measured'>[]
  /** Only in a result of the probe `limiter`. */
  readonly limiter?: Characterisation
}

/** The limiter that the probe `limiter` identified; undefined if the probe identified none. */
export function identifiedIn({ limiter }: Pick<ProbeResult, 'limiter'>): Identified | undefined {
  return limiter?.result === 'identified' ? limiter : undefined
}

/** A period. In a `ProbeResult`, in milliseconds since the probe began to send. */
export interface Span {
  readonly from: number
  readonly until: number
}

export interface Stage extends Span {
  readonly ratePerSecond: number
}

/** The waits that responses with 429 or 503 requested in Retry-After. */
export function waitsOf(shots: readonly Shot[]): Span[] {
  return shots.flatMap(({ status, endedAt, retryAfterMs }) =>
    (status === 429 || status === 503) && retryAfterMs
      ? [{ from: endedAt, until: endedAt + retryAfterMs }]
      : [],
  )
}

/**
 * Observations with the keys that drift compares, such as `limits.token.ramp.first-throttled-rate`.
 * @param source the probe, or `artillery` if Artillery sent the requests
 */
export function limitObservations(
  endpoint: EndpointName,
  source: ProbeName | 'artillery',
  values: Readonly<Record<string, Observation['value']>>,
): ProbeResult['observations'] {
  return Object.entries(values).map(([figure, value]) => ({
    key: `limits.${endpoint}.${source}.${figure}`,
    value,
    measured: { endpoint, source, figure },
  }))
}

/** The name of a probe in results and progress, such as `ramp of token`. */
export function nameOf({ probe, endpoint }: Pick<ProbeResult, 'probe' | 'endpoint'>): string {
  return `${probe} of ${endpoint}`
}
