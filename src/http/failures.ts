import type { VariableName } from '../target/variables.ts'

/** Why a request has no response that can be judged. None of these is a violation. */
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
  /** Variables that may be wrong, the likeliest first. */
  readonly variables?: readonly VariableName[]
  /** What to change, as an imperative. */
  readonly advice?: string
}

/** A request without a response that can be judged. The message contains no secret. */
export class HttpFailure extends Error {
  readonly kind: FailureKind
  readonly retryAfterMs: number | undefined
  readonly variables: readonly VariableName[]
  readonly advice: string | null

  constructor(
    kind: FailureKind,
    message: string,
    { retryAfterMs, variables = [], advice }: FailureDetails = {},
  ) {
    super(message)
    this.name = 'HttpFailure'
    this.kind = kind
    this.retryAfterMs = retryAfterMs
    this.variables = variables
    this.advice = advice ?? null
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

/** The cause of a verdict that rests on a failure. */
export function causeOf({ kind }: HttpFailure): (typeof causes)[FailureKind] {
  return causes[kind]
}
