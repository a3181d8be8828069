import type { VariableName } from '../target/variables.ts'
import { listText } from '../text/format.ts'
import type { RequirementId } from './requirement.ts'

export type Verdict = 'pass' | 'fail' | 'inconclusive' | 'not-applicable' | 'observed'

/** The reason why a verdict is `fail`, `inconclusive` or `not-applicable`; `harness` means a defect of Plumbline. */
export type Cause = 'target' | 'configuration' | 'throttled' | 'environment' | 'harness'

const precedence: readonly Verdict[] = ['fail', 'inconclusive', 'pass', 'observed']

/**
 * The verdict of a requirement by the verdicts of its checks: the first of `fail`, `inconclusive`, `pass` and
 * `observed` that any check has; `not-applicable` if no check has one of these.
 */
export function requirementVerdict(verdicts: readonly Verdict[]): Verdict {
  return precedence.find((verdict) => verdicts.includes(verdict)) ?? 'not-applicable'
}

export function countVerdicts(results: Iterable<{ readonly verdict: Verdict }>): Record<Verdict, number> {
  const counts = { pass: 0, fail: 0, inconclusive: 0, 'not-applicable': 0, observed: 0 }
  for (const { verdict } of results) counts[verdict] += 1
  return counts
}

/** Options of `Inconclusive`: a cause, a list of requirements, or more details. */
export type InconclusiveOptions =
  | Exclude<Cause, 'target'>
  /** Requirements whose violation makes the check inconclusive. */
  | readonly RequirementId[]
  | InconclusiveDetails

interface InconclusiveDetails {
  /**
   * By default `configuration` if there are variables, otherwise `environment`. If another violated requirement
   * explains the verdict, the stored result has `target` instead.
   */
  readonly cause?: Exclude<Cause, 'target'>
  /** Variables that may be wrong, the most likely first. */
  readonly variables?: readonly VariableName[]
  /** What to change, as an imperative; by default `check CLIENT_ID` for the variable `CLIENT_ID`. */
  readonly advice?: string | undefined
}

/** A violation in three parts, redacted. */
export interface Finding {
  /**
   * `the valid request`, or how the request differs from the valid one; null if the check does not describe the
   * request.
   */
  readonly request: string | null
  /** Everything that would satisfy the requirement. */
  readonly expected: string
  readonly actual: string
  /**
   * Number of the exchange (recorded request and response) with the actual response; absent if the finding is not
   * about a single response.
   */
  readonly exchange?: number
}

export class Violation extends Error {
  readonly finding: Finding
  /** What to check before you blame the target; null if there is nothing. */
  readonly advice: string | null

  constructor(finding: Finding, advice: string | null = null) {
    super(`expected: ${finding.expected}; actual: ${finding.actual}`)
    this.name = 'Violation'
    this.finding = finding
    this.advice = advice
  }
}

/** No conclusion about the target is possible; the cause states why. */
export class Inconclusive extends Error {
  override readonly cause: Exclude<Cause, 'target'>
  /** Requirements whose violation would explain the verdict. */
  readonly dependsOn: readonly RequirementId[]
  /** Variables that may be wrong, the most likely first. */
  readonly variables: readonly VariableName[]
  /** What to change, if known. */
  readonly advice: string | null

  constructor(reason: string, options: InconclusiveOptions = {}) {
    super(reason)
    const { cause, dependsOn = [], variables = [], advice } = detailsOf(options)
    const defaultAdvice = variables.length === 0 ? null : `check ${listText(variables)}`
    this.name = 'Inconclusive'
    this.cause = cause ?? (variables.length === 0 ? 'environment' : 'configuration')
    this.dependsOn = dependsOn
    this.variables = variables
    this.advice = advice ?? defaultAdvice
  }
}

function detailsOf(
  options: InconclusiveOptions,
): InconclusiveDetails & { readonly dependsOn?: readonly RequirementId[] } {
  if (typeof options === 'string') return { cause: options }
  return 'length' in options ? { dependsOn: options } : options
}

/** The check is not applicable to this target; the reason states what the target or its configuration lacks. */
export class NotApplicable extends Error {
  /** `environment`: an earlier run or check used up what this check needs, such as a user without consent. */
  override readonly cause: 'configuration' | 'target' | 'environment'

  constructor(reason: string, cause: NotApplicable['cause'] = 'configuration') {
    super(reason)
    this.name = 'NotApplicable'
    this.cause = cause
  }
}

export function inconclusive(reason: string, options?: InconclusiveOptions): never {
  throw new Inconclusive(reason, options)
}

/**
 * Ends a check that judges the requests of the whole run, if other requirements report every violation that it found.
 * @param judged what the check judges, in the plural: `the second and later ID tokens`
 * @param reportedBy the other requirements
 */
export function inconclusiveBecauseReported(judged: string, reportedBy: readonly RequirementId[]): never {
  const ids = [...new Set(reportedBy)]
  const rules = ids.length === 1 ? 'rule, and no other' : 'rules, and no others'
  return inconclusive(`${judged} violate the same ${rules}`, ids)
}

export function notApplicable(reason: string, cause?: NotApplicable['cause']): never {
  throw new NotApplicable(reason, cause)
}

/**
 * Requires a minimum amount of data.
 * @param what the data, in the singular if `least` is 1: `page`, `events`
 * @throws {Inconclusive} if there is less
 */
export function requireData(
  count: number,
  least: number,
  what: string,
  options: InconclusiveOptions = {},
): void {
  if (count >= least) return
  const shortage = least === 1 ? `no ${what} found` : `at least ${least} ${what} needed, ${count} found`
  throw new Inconclusive(`too little data: ${shortage}`, options)
}
