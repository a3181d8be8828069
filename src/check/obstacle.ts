import { causeOf, HttpFailure } from '../http/failures.ts'
import type { VariableName } from '../target/variables.ts'
import type { RequirementId } from './requirement.ts'
import { type Cause, Inconclusive, NotApplicable } from './verdict.ts'

/** Why something could not be done or judged on a target. */
export interface Obstacle {
  readonly cause: Exclude<Cause, 'target'>
  readonly reason: string
  /** What to change, if known. */
  readonly advice: string | null
  /** Variables that may be wrong, the most likely first. */
  readonly variables: readonly VariableName[]
  /** Requirements whose violation would explain it. */
  readonly dependsOn: readonly RequirementId[]
}

/** The obstacle that an error reports. @throws any other error, which is a violation or a defect */
export function obstacleOf(error: unknown): Obstacle {
  const obstacle = obstacleIfAny(error)
  if (obstacle === undefined) throw error
  return obstacle
}

/** The obstacle that an error reports; undefined for any other error. */
export function obstacleIfAny(error: unknown): Obstacle | undefined {
  if (error instanceof Inconclusive) {
    const { cause, message: reason, advice, variables, dependsOn } = error
    return { cause, reason, advice, variables, dependsOn }
  }
  if (!(error instanceof HttpFailure)) return undefined
  const { message: reason, advice, variables } = error
  return { cause: causeOf(error), reason, advice, variables, dependsOn: [] }
}

/**
 * The result of a step; undefined if it is inconclusive, not applicable or without a response, so that others continue.
 * @throws any other error, which is a violation or a defect
 */
export async function unlessUndecided<T>(step: Promise<T>): Promise<T | undefined> {
  try {
    return await step
  } catch (error) {
    if (error instanceof NotApplicable || obstacleIfAny(error)) return undefined
    throw error
  }
}
