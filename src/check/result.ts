import type { Exchange } from '../evidence/exchange.ts'
import type { Effect } from '../target/profiles.ts'
import type { VariableName } from '../target/variables.ts'
import { listText } from '../text/format.ts'
import type { RequirementId } from './requirement.ts'
import type { Cause, Finding, Verdict } from './verdict.ts'

/** A note, which changes no verdict. */
export interface Note {
  /** The subject of the note, such as `limiter of userinfo`; absent if it is the requirement of the check. */
  readonly subject?: string
  readonly text: string
}

export function noteText({ subject, text }: Note): string {
  return subject === undefined ? text : `${subject}: ${text}`
}

/** Behaviour that the specification does not define, recorded for comparison between runs. */
export interface Observation {
  readonly key: string
  readonly value: string | number | boolean | null | readonly string[]
  readonly requirement: string
  /** Name of the check that recorded the observation; absent until a run stores the result. */
  readonly check?: string
  /** Only for observations of a probe: the parts of `key`. */
  readonly measured?: Measurement
}

/** What a probe measured, and where. The observation has the value. */
export interface Measurement {
  readonly endpoint: string
  /** The probe, or another source of the requests, such as `artillery`. */
  readonly source: string
  /** Such as `latency-p99-ms`. */
  readonly figure: string
}

/** What a verdict is based on, besides the amounts of data in `basis`. */
export type BasisDetails = Pick<CheckResult, 'secondsSince' | 'timingsMs' | 'seed'>

/** The result of one check, or of a probe, as plain data. */
export interface CheckResult {
  readonly requirement: string
  readonly name: string
  /** Path of the suite, relative to the project. */
  readonly file: string
  readonly verdict: Verdict
  readonly cause: Cause | null
  /** One sentence; null for `pass` and `observed`. */
  readonly reason: string | null
  /** What to change, if known; otherwise null. */
  readonly advice: string | null
  /** The variables that may be wrong, the most likely first; absent if there is none. */
  readonly variables?: readonly VariableName[]
  /** Requirements whose violation would explain the verdict `inconclusive`. */
  readonly dependsOn: readonly RequirementId[]
  /** The violation; null for every verdict but `fail`. */
  readonly finding: Finding | null
  readonly notes: readonly Note[]
  readonly observations: readonly Observation[]
  /** Redacted requests and responses that the verdict is based on, in order; some are from before the check. */
  readonly exchanges: readonly Exchange[]
  /** Number of `exchanges` from before the check; absent in results of probes and of older versions. */
  readonly earlierExchanges?: number
  readonly durationMs: number
  /** Number of requests that this check added to the run. */
  readonly requests: number
  /** Number of logins with a typed password that this check added to the run. */
  readonly logins: number
  /** The effect that ENABLE must allow, if the check is not applicable without it. */
  readonly missingEffect?: Effect
  /** The effect that the profile of the target never allows, if the check is not applicable without it. */
  readonly forbiddenEffect?: Effect
  /** The areas whose requests the check judges; absent if it judges only its own requests. */
  readonly judgedAreas?: readonly string[]
  /** Effects of the check that its target does not allow by default. */
  readonly effectsBeyondDefault: readonly string[]
  /** The amount of data that the verdict is based on, for example `{ events: 120 }`. */
  readonly basis: Readonly<Record<string, number>>
  /** Seconds from an event to the checked request: `{ 'it was replaced': 61 }` for a refresh token. */
  readonly secondsSince?: Readonly<Record<string, number>>
  /** Measured intervals in milliseconds: `{ 'from the first request to the last': 0.4 }`. */
  readonly timingsMs?: Readonly<Record<string, number>>
  /** The random seed of the requests; with this SEED, a run repeats them. */
  readonly seed?: number
  /** The probe that measured; absent for a check. */
  readonly probe?: ProbeId
  /** Files of the run with details. */
  readonly attachments?: readonly ResultFile[]
  /** The command that repeats the result; by default the one that runs the checks of its requirement. */
  readonly reproduce?: string
}

/** A load probe and the endpoint that it measures: `limiter` and `userinfo`. */
export interface ProbeId {
  readonly name: string
  readonly endpoint: string
}

/** A file of a run, by its path relative to the run's directory. */
export interface ResultFile {
  readonly name: string
  readonly mediaType: string
  readonly path: string
}

/** The reason of a verdict in one line, with the advice and the requirements to read first. */
export function reasonText({
  reason,
  advice,
  dependsOn,
}: Pick<CheckResult, 'reason' | 'advice' | 'dependsOn'>): string {
  const see = dependsOn.length === 0 ? null : `see ${listText(dependsOn)}`
  return [reason, advice, see].filter((part) => part !== null).join('; ')
}
