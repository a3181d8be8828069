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
  if (error instanceof Inconclusive) {
    const { cause, message: reason, advice, variables, dependsOn } = error
    return { cause, reason, advice, variables, dependsOn }
  }
  if (!(error instanceof HttpFailure)) throw error
  const { message: reason, advice, variables } = error
  return { cause: causeOf(error), reason, advice, variables, dependsOn: [] }
}

/** The result of a step; undefined if it is inconclusive, not applicable or without a response, so that others continue. */
export async function unlessInconclusive<T>(step: Promise<T>): Promise<T | undefined> {
  try {
    return await step
  } catch (error) {
    if ([Inconclusive, NotApplicable, HttpFailure].some((kind) => error instanceof kind)) return undefined
    throw error
  }
}

/** The message for a problem that only a change of Plumbline can fix. */
export function defect(what: string): string {
  return `a defect of Plumbline, please report it: ${what}`
}

/**
 * What an error message may contain of an unexpected error: its name and its place in the project. Its own message may
 * quote a response of the target.
 */
export function placeOf({ name = 'Error', stack = '' }: Partial<Pick<Error, 'name' | 'stack'>>): string {
  const frame = /\b((?:src|suites|load)\/[\w./-]+:\d+)/.exec(stack)?.[1]
  return frame === undefined ? name : `${name} at ${frame}`
}
