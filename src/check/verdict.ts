/** What a check or a requirement came to. */
export type Verdict = 'pass' | 'fail' | 'inconclusive' | 'not-applicable' | 'observed'

/** Who or what is behind a verdict that is neither `pass` nor `observed`. */
export type Cause = 'target' | 'configuration' | 'throttled' | 'environment' | 'harness'

const severity: readonly Verdict[] = ['fail', 'inconclusive', 'pass', 'observed']

/**
 * The verdict of a requirement: the worst of its checks that applied,
 * `not-applicable` when none did.
 */
export function worst(verdicts: readonly Verdict[]): Verdict {
  return severity.find((verdict) => verdicts.includes(verdict)) ?? 'not-applicable'
}

/** What the specification asks against what came: the two halves of every finding. */
export interface Expectation {
  /** Everything that would have been acceptable, in words. */
  readonly acceptable: string
  /** What came instead, redacted. */
  readonly came: string
}

/** The target contradicts the specification. */
export class Violation extends Error {
  readonly expectation: Expectation
  /** What was sent, in words: the difference from a good request. */
  readonly sent: string | undefined

  constructor(expectation: Expectation, sent?: string) {
    super(`expected ${expectation.acceptable}, but ${expectation.came}`)
    this.name = 'Violation'
    this.expectation = expectation
    this.sent = sent
  }
}

/** Nothing can be said about the target; the cause says why. */
export class Inconclusive extends Error {
  override readonly cause: Exclude<Cause, 'target'>

  constructor(reason: string, cause: Exclude<Cause, 'target'> = 'environment') {
    super(reason)
    this.name = 'Inconclusive'
    this.cause = cause
  }
}

/** The check has nothing to look at on this target; the reason says what would enable it. */
export class NotApplicable extends Error {
  override readonly cause: 'configuration' | 'target'

  constructor(reason: string, cause: 'configuration' | 'target' = 'configuration') {
    super(reason)
    this.name = 'NotApplicable'
    this.cause = cause
  }
}
