import { causeOf, HttpFailure } from '../http/failures.ts'
import { profiles } from '../target/profiles.ts'
import { type CheckDefinition, catalogue } from './catalogue.ts'
import { CheckContext } from './context.ts'
import { defect, placeOf } from './defect.ts'
import type { CheckResult } from './result.ts'
import {
  type Cause,
  type Expectation,
  Inconclusive,
  NotApplicable,
  type Verdict,
  Violation,
} from './verdict.ts'
import { whyNot } from './why-not.ts'
import type { World } from './world.ts'

interface Outcome {
  readonly verdict: Verdict
  readonly cause: Cause | null
  readonly reason: string | null
  readonly expectation: Expectation | null
}

/** Runs one check and turns whatever happens into a verdict with its cause. Never throws. */
export async function runCheck(
  definition: CheckDefinition,
  file: string,
  world: World,
): Promise<CheckResult> {
  const context = new CheckContext(world, definition.requirement)
  const { requests, logins } = world.gate
  const started = performance.now()
  const refusal = whyNot(definition, world.target)
  const outOfReach = world.outOfReach[definition.area]
  const { verdict, cause, ...told }: Outcome = refusal
    ? {
        verdict: 'not-applicable',
        cause: 'configuration',
        reason: refusal,
        expectation: null,
      }
    : outOfReach === undefined
      ? await attempt(definition, context, world)
      : inconclusive(outOfReach, 'configuration')
  const own = { requirement: definition.requirement, name: definition.name, file, verdict, cause }
  const { allowed } = profiles[world.target.name]
  const found = world.vault.scrubAll({
    ...told,
    sent: context.expect.sent ?? null,
    notes: context.notes,
    observations: context.observations,
    exchanges: [...context.evidence].sort((a, b) => a.number - b.number),
    durationMs: Math.round(performance.now() - started),
    requests: world.gate.requests - requests,
    logins: world.gate.logins - logins,
    basis: context.basisCounts,
    enabled: (definition.effects ?? []).filter((effect) => !allowed.includes(effect)),
  })
  return { ...own, ...found }
}

async function attempt(definition: CheckDefinition, context: CheckContext, world: World): Promise<Outcome> {
  try {
    await world.recorder.during(async () => {
      try {
        await definition.run(context)
      } finally {
        await context.close()
      }
    }, context.evidence)
  } catch (error) {
    return outcomeOf(error)
  }
  if (catalogue.requirements.get(definition.requirement)?.level === 'silent') {
    return context.observations.length > 0
      ? { verdict: 'observed', cause: null, reason: null, expectation: null }
      : harness('the check recorded no observation')
  }
  return context.expect.count > 0
    ? { verdict: 'pass', cause: null, reason: null, expectation: null }
    : harness('the check ended without asserting anything')
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof Violation) {
    return { verdict: 'fail', cause: 'target', reason: error.message, expectation: error.expectation }
  }
  if (error instanceof NotApplicable) {
    return { verdict: 'not-applicable', cause: error.cause, reason: error.message, expectation: null }
  }
  if (error instanceof Inconclusive) return inconclusive(error.message, error.cause)
  if (error instanceof HttpFailure) return inconclusive(error.message, causeOf(error))
  return harness(error instanceof Error ? placeOf(error) : `a thrown ${typeof error}`)
}

function inconclusive(reason: string, cause: Cause): Outcome {
  return { verdict: 'inconclusive', cause, reason, expectation: null }
}

function harness(what: string): Outcome {
  return inconclusive(defect(what), 'harness')
}
