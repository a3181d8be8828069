import { type Effect, profiles } from '../target/profiles.ts'
import { reasonNotApplicable } from './applicability.ts'
import { type CheckDefinition, catalogue, hostsOf, judgedAreasOf } from './catalogue.ts'
import { defect, placeOf } from './defect.ts'
import { CheckExecution } from './execution.ts'
import { checkBase } from './fixtures.ts'
import { findRefusingHost } from './host-refusal.ts'
import { obstacleIfAny } from './obstacle.ts'
import type { CheckResult } from './result.ts'
import type { RunContext, UnusableHost } from './run-context.ts'
import { type ShortBlock, shortBlock } from './short-block.ts'
import type { SuiteCheck } from './suites.ts'
import { type Cause, Inconclusive, NotApplicable, type Verdict, Violation } from './verdict.ts'

type CheckOutcome = Pick<
  CheckResult,
  | 'verdict'
  | 'cause'
  | 'reason'
  | 'advice'
  | 'variables'
  | 'dependsOn'
  | 'finding'
  | 'missingEffect'
  | 'forbiddenEffect'
>

/**
 * A check with only these effects may run twice. Others take long, may lock, revoke or change something, or use features
 * that are only announced.
 */
const repeatable: ReadonlySet<Effect> = new Set(['login', 'burns-codes', 'bad-credentials'])

/** The value that a check threw; it need not be an `Error`. */
interface Thrown {
  readonly error: unknown
}

/** Executes one check and turns every outcome into a verdict with its cause. Never throws. */
export async function executeCheck(
  check: SuiteCheck,
  run: RunContext,
  execution = new CheckExecution(check.requirement),
): Promise<CheckResult> {
  const { requests, logins } = run.budget
  const sentBefore = run.recorder.count
  const started = performance.now()
  const { verdict, cause, dependsOn, ...texts } = await outcomeOf(check, run, execution)
  const judgedAreas = judgedAreasOf(check)
  // Scrubbing removes secrets. These values contain no text of the target, and scrubbing could damage them: if the
  // test user is named `token`, it would alter the path `suites/token/…`.
  const unscrubbed = {
    requirement: check.requirement,
    name: check.name,
    file: check.file,
    verdict,
    cause,
    dependsOn,
    ...(judgedAreas && { judgedAreas }),
    earlierExchanges: [...execution.evidence].filter(({ number }) => number <= sentBefore).length,
  }
  const { allowed } = profiles[run.target.name]
  const scrubbed = run.vault.scrubAll({
    ...texts,
    notes: execution.notes,
    observations: execution.observations,
    durationMs: Math.round(performance.now() - started),
    requests: run.budget.requests - requests,
    logins: run.budget.logins - logins,
    // Amounts of data on which the verdict is based, such as `{ tokens: 3 }`.
    basis: execution.basisCounts,
    ...execution.basisDetails,
    effectsBeyondDefault: [
      ...(check.effects ?? []),
      ...(check.optionalEffects ?? []).filter((effect) => run.target.allowedEffects.includes(effect)),
    ].filter((effect) => !allowed.includes(effect)),
  })
  // Checks share exchanges (recorded requests and responses), so the vault keeps the scrubbed copy of each.
  const exchanges = [...execution.evidence]
    .sort((a, b) => a.number - b.number)
    .map((exchange) => run.vault.scrubConstant(exchange))
  return { ...unscrubbed, ...scrubbed, exchanges }
}

async function outcomeOf(
  definition: CheckDefinition,
  run: RunContext,
  execution: CheckExecution,
): Promise<CheckOutcome> {
  const notApplicable = reasonNotApplicable(definition, run.target)
  if (notApplicable) return { ...outcomeWith('not-applicable'), cause: 'configuration', ...notApplicable }
  const unusableHost = hostsOf(definition).flatMap((host) => run.unusableHosts[host] ?? [])[0]
  if (unusableHost) return unusable(unusableHost)
  const findingsBefore = new Set(run.firstFindings.keys())
  const first = await thrownBy(definition, run, execution)
  // After a pass, `findRefusingHost` and `shortBlock` send nothing and return undefined.
  const refusingHost = await examined(run, execution, () => findRefusingHost(run, execution, first?.error))
  if (refusingHost) return unusable(refusingHost)
  const block = await examined(run, execution, () => shortBlock(run, execution, first?.error))
  if (block) {
    // The gateway, not the target, caused the violation of this check. If its finding stayed in `firstFindings`, a later
    // check with the same finding would count as a consequence of this one: it would be inconclusive instead of failing.
    for (const key of run.firstFindings.keys()) if (!findingsBefore.has(key)) run.firstFindings.delete(key)
  }
  const thrown = block ? await repeatedAfterBlock(block, definition, run, execution) : first
  const level = catalogue.requirements.get(definition.requirement)?.level
  switch (level) {
    case 'silent':
      return outcomeOfSilent(thrown, execution)
    case 'reference':
      return outcomeOfReference(thrown, execution)
    default:
      return thrown ? outcomeOfError(thrown.error) : outcomeOfExpectations(execution, 'pass')
  }
}

/** Runs `examine` after a check; undefined if it throws. Its requests become evidence of the check. */
function examined<T>(
  run: RunContext,
  { evidence }: CheckExecution,
  examine: () => Promise<T | undefined>,
): Promise<T | undefined> {
  return run.recorder.collectInto(evidence, examine).catch(() => undefined)
}

/**
 * Repeats a check after a gateway blocked one of its requests, if all its effects are repeatable. The repetition may judge
 * the blocked response again, because a request shared by several checks is sent only once.
 * @returns the violation that the repetition finds in a response other than the blocked one; otherwise the `Inconclusive`
 * of the block, so that a repetition without a violation does not make the check pass
 */
async function repeatedAfterBlock(
  { error, exchange }: ShortBlock,
  definition: CheckDefinition,
  run: RunContext,
  execution: CheckExecution,
): Promise<Thrown> {
  const { effects = [], optionalEffects = [] } = definition
  const isRepeatable = [...effects, ...optionalEffects].every((effect) => repeatable.has(effect))
  const second = isRepeatable ? await thrownBy(definition, run, execution) : undefined
  const isOther = second?.error instanceof Violation && second.error.finding.exchange !== exchange.number
  return isOther ? second : { error }
}

/** Runs a check. @returns the error that it threw; undefined if it completed */
async function thrownBy(
  { body, fixtures }: CheckDefinition,
  run: RunContext,
  execution: CheckExecution,
): Promise<Thrown | undefined> {
  try {
    await run.recorder.collectInto(execution.evidence, async () => {
      try {
        await body(fixtures.create(checkBase(run, execution)) as never)
      } finally {
        await execution.close()
      }
    })
    return undefined
  } catch (error) {
    execution.thrown = error
    return { error }
  }
}

/** The check of a `silent` requirement records behaviour and has no expectation. */
function outcomeOfSilent(thrown: Thrown | undefined, execution: CheckExecution): CheckOutcome {
  if (thrown?.error instanceof Violation)
    return inconclusive(defect('the check of a `silent` requirement has an expectation'), 'harness')
  if (thrown) return outcomeOfError(thrown.error)
  return execution.observations.length > 0
    ? outcomeWith('observed')
    : inconclusive(defect('the check recorded no observation'), 'harness')
}

/**
 * The check of a `reference` requirement records whether behaviour is as described. A difference is not a violation.
 */
function outcomeOfReference(thrown: Thrown | undefined, execution: CheckExecution): CheckOutcome {
  if (!thrown) {
    const compared = outcomeOfExpectations(execution, 'observed')
    if (compared.verdict === 'observed') execution.observeReference('as described')
    return compared
  }
  const { error } = thrown
  if (error instanceof Violation) {
    execution.note(error.message)
    execution.observeReference('different')
    return outcomeWith('observed')
  }
  // The check depends on a requirement from which the target already deviates, so there is nothing to compare.
  if (error instanceof Inconclusive && error.dependsOn.length > 0)
    return { ...outcomeWith('not-applicable'), cause: 'target', reason: error.message }
  return outcomeOfError(error)
}

function outcomeOfExpectations(execution: CheckExecution, verdict: Verdict): CheckOutcome {
  return execution.expect.count > 0
    ? outcomeWith(verdict)
    : inconclusive(defect('the check ended without an expectation'), 'harness')
}

function outcomeOfError(error: unknown): CheckOutcome {
  if (error instanceof Violation) {
    const { message: reason, finding, advice } = error
    return { ...outcomeWith('fail'), cause: 'target', reason, advice, finding }
  }
  if (error instanceof NotApplicable) {
    return { ...outcomeWith('not-applicable'), cause: error.cause, reason: error.message }
  }
  // `Inconclusive`, or a request without a response that can be judged.
  const obstacle = obstacleIfAny(error)
  if (obstacle) {
    const { variables, ...texts } = obstacle
    return { ...outcomeWith('inconclusive'), ...texts, ...(variables.length > 0 && { variables }) }
  }
  if (error instanceof Error && error.name === 'AbortError')
    return inconclusive('the run was interrupted during this check', 'environment')
  const what = error instanceof Error ? placeOf(error) : `a thrown ${typeof error}`
  return inconclusive(defect(what), 'harness')
}

function outcomeWith(verdict: Verdict): CheckOutcome {
  return { verdict, cause: null, reason: null, advice: null, dependsOn: [], finding: null }
}

function unusable({ reason, cause, advice }: UnusableHost): CheckOutcome {
  return { ...inconclusive(reason, cause), ...(advice !== undefined && { advice }) }
}

function inconclusive(reason: string, cause: Cause): CheckOutcome {
  return { ...outcomeWith('inconclusive'), cause, reason }
}
