import type { VariableName } from '../target/variables.ts'

/**
 * Why a request has no response that can be judged. None of these is a violation.
 * - `throttled`: the target refuses requests because of a limit
 * - `unavailable`: the target responds with an error such as 503, or with a response too large to read
 * - `timed-out`, `unreachable`: there is no complete response
 * - `budget-spent`, `host-refused`: Plumbline did not send the request
 */
export type FailureKind =
  | 'throttled'
  | 'unavailable'
  | 'timed-out'
  | 'unreachable'
  | 'budget-spent'
  | 'host-refused'

interface FailureDetails {
  /** Retry-After of the response, if present, in milliseconds. */
  readonly retryAfterMs?: number | undefined
  /** Configuration variables that may be wrong, the likeliest first. */
  readonly variables?: readonly VariableName[]
  /** What to change, as an imperative. */
  readonly advice?: string
  /** The error code of the connection, such as ECONNREFUSED. */
  readonly code?: string
}

/** A request without a response that can be judged. The message contains no secret. */
export class HttpFailure extends Error {
  readonly kind: FailureKind
  readonly retryAfterMs: number | undefined
  readonly variables: readonly VariableName[]
  readonly advice: string | null
  readonly code: string | undefined

  constructor(
    kind: FailureKind,
    message: string,
    { retryAfterMs, variables = [], advice, code }: FailureDetails = {},
  ) {
    super(message)
    this.name = 'HttpFailure'
    this.kind = kind
    this.retryAfterMs = retryAfterMs
    this.variables = variables
    this.advice = advice ?? null
    this.code = code
  }
}

const causes = {
  throttled: 'throttled',
  unavailable: 'environment',
  'timed-out': 'environment',
  unreachable: 'environment',
  'budget-spent': 'configuration',
  'host-refused': 'configuration',
} as const satisfies Record<FailureKind, string>

/** The cause of the verdict, if a check cannot judge the target because of a failure. */
export function causeOf({ kind }: HttpFailure): (typeof causes)[FailureKind] {
  return causes[kind]
}

/** A failure to reach a host, and what to change. */
interface Unreachable {
  /** A predicate whose subject is the host, such as `refuses connections (ECONNREFUSED)`. */
  readonly what: string
  readonly advice?: string
}

/**
 * Why a host cannot be reached.
 * @param hasProxy whether a proxy is configured. A connection error may then concern the proxy, so that advice about
 * the host could mislead.
 */
export function whyUnreachable({ code, message }: HttpFailure, hasProxy: boolean): Unreachable {
  if (!hasProxy && code === 'ECONNREFUSED')
    return {
      what: `refuses connections (${code})`,
      advice: 'correct the host and port, or start the server there',
    }
  if (!hasProxy && (code === 'ENOTFOUND' || code === 'EAI_AGAIN'))
    return {
      what: `has a name that does not resolve (${code})`,
      advice: 'correct the host, or the DNS of this machine',
    }
  return { what: `cannot be reached: ${message}` }
}
