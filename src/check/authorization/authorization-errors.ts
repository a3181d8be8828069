import { documentedErrors } from '../../oauth/errors.ts'
import type { Expect } from '../expect.ts'
import { requireFirstFinding } from '../first-finding.ts'
import type { RequirementId } from '../requirement.ts'
import { RunSteps } from '../run-steps.ts'
import { type CompletedLanding, errorOf } from './landing-content.ts'
import { expectErrorNamed, requireError } from './landing-expectations.ts'

/** Ids of requirements to refuse a request. For each there is a requirement `…-ERROR` on the error of the refusal. */
export type RefusalId = {
  [Id in RequirementId]: Id extends `${infer Refusal extends RequirementId}-ERROR` ? Refusal : never
}[RequirementId]

/** Expectations of error names of the authorization endpoint. Each cause has one finding per run. */
export class AuthorizationErrors extends RunSteps<{ readonly expect: Expect }> {
  /**
   * Expects a refused request to have one of the documented error names.
   * @param requirement the requirement that the request is refused, with any error
   * @throws {Inconclusive} if there is no error to judge, or another requirement has the same finding
   */
  async expectRefusedAs(
    requirement: RefusalId,
    landing: CompletedLanding,
    errors: readonly string[],
  ): Promise<void> {
    requireError(landing, requirement)
    await this.expectNamed(`${requirement}-ERROR`, landing, errors)
  }

  /**
   * Expects the error of a landing to have one of the documented names. An undocumented name has one finding per run. A
   * name that is documented for another cause has one finding for all requests with the same expected names.
   * @throws {Inconclusive} if another requirement has the same finding
   */
  async expectNamed(id: RequirementId, landing: CompletedLanding, errors: readonly string[]): Promise<void> {
    const error = errorOf(landing)
    if (error !== undefined && !errors.includes(error)) {
      const cause = documentedErrors.has(error) ? [...errors, error] : [error]
      requireFirstFinding(this.run, `authorization error ${JSON.stringify(cause)}`, id)
    }
    expectErrorNamed(this.steps.expect, landing, ...errors)
  }
}
