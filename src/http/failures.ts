/** Why a request brought no answer that can be judged. None of these is the target's contradiction. */
export type FailureKind =
  | 'throttled'
  | 'unavailable'
  | 'timed-out'
  | 'unreachable'
  | 'budget-spent'
  | 'host-refused'

/** A request that could not be answered, or was not sent. Messages hold no secret. */
export class HttpFailure extends Error {
  readonly kind: FailureKind
  /** Milliseconds that the target asked to wait for, where it did. */
  readonly retryAfterMs: number | undefined

  constructor(kind: FailureKind, message: string, retryAfterMs?: number) {
    super(message)
    this.name = 'HttpFailure'
    this.kind = kind
    this.retryAfterMs = retryAfterMs
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
