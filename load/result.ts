import type { EndpointName } from './endpoints.ts'
import type { Shot } from './engine/shot.ts'
import type { Characterisation } from './limiter/index.ts'

/** The requirement that probes belong to: numbers are not shown, so they are observed. */
export const limitValues = 'PLATFORM-LIMIT-VALUES'

export const probeNames = ['limiter', 'anatomy', 'ramp', 'recovery', 'dimension', 'hold', 'capacity'] as const
export type ProbeName = (typeof probeNames)[number]

/** What one probe of one endpoint found; written as probes/<probe>-<endpoint>.json. Times in milliseconds since its begin. */
export interface ProbeResult {
  readonly probe: ProbeName
  readonly endpoint: EndpointName
  /** ISO 8601, UTC. */
  readonly startedAt: string
  /** What was found, in one sentence. */
  readonly finding: string
  /** Why it ended before it had done everything; null where it had. */
  readonly ended: string | null
  /** Requests and reconnects that it took. */
  readonly requests: number
  readonly shots: readonly Shot[]
  /** Waits that the target asked for with a 429 or 503. */
  readonly holds: readonly Span[]
  /** Arrival rates that the schedule wanted, where the probe had one. */
  readonly stages: readonly (Span & { readonly ratePerSecond: number })[]
  /** Numbers and words that are compared between runs and never judged. */
  readonly observations: readonly { readonly key: string; readonly value: ObservedValue }[]
  /** What the probe `limiter` made of it. */
  readonly limiter?: Characterisation
}

export interface Span {
  readonly from: number
  readonly until: number
}

export type ObservedValue = string | number | boolean | null | readonly string[]
