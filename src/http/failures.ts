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
  /** Milliseconds that the target asked to wait for, where it did. */
  readonly retryAfterMs?: number | undefined
  /** Variables that may be wrong, the likeliest first. */
  readonly variables?: readonly VariableName[]
  /** What to change, as an imperative. */
  readonly advice?: string
}

/** A request that could not be answered, or was not sent. Messages hold no secret. */
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

/** What is behind a failure, as a cause of a verdict. */
export function causeOf({ kind }: HttpFailure): (typeof causes)[FailureKind] {
  return causes[kind]
}
