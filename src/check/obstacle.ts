import { causeOf, HttpFailure } from '../http/failures.ts'
import { Inconclusive, NotApplicable } from './verdict.ts'

/** Why a step of a check was impossible or could not be judged. */
export interface Obstacle extends Pick<Inconclusive, 'cause' | 'advice' | 'variables' | 'dependsOn'> {
  readonly reason: string
}

/** The obstacle that an error reports. @throws the error if it reports none: a violation or a defect */
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
 * The result of a step; undefined if the step was inconclusive, not applicable or without a response.
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
