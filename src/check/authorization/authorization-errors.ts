import { documentedErrors } from '../../oauth/errors.ts'
import type { Expect } from '../expect.ts'
import { requireFirstFinding } from '../first-finding.ts'
import type { RequirementId } from '../requirement.ts'
import { RunSteps } from '../run-steps.ts'
import { type CompletedLanding, errorOf } from './landing-content.ts'
import { expectErrorNamed, requireError } from './landing-expectations.ts'

/**
 * The id of a requirement to refuse a request. Another requirement, with `-ERROR` after this id, concerns the error of
 * the refusal: for example `AUTHZ-RESPONSE-TYPE` and `AUTHZ-RESPONSE-TYPE-ERROR`.
 */
export type RefusalId = {
  [Id in RequirementId]: Id extends `${infer Refusal extends RequirementId}-ERROR` ? Refusal : never
}[RequirementId]

/**
 * Expectations of error names of the authorization endpoint. If several checks find the same wrong name, only the first
 * one reports it.
 */
export class AuthorizationErrors extends RunSteps<{ readonly expect: Expect }> {
  /**
   * Expects a request to be refused with one of the documented error names.
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
   * Expects the error of a landing to have one of the documented names. A run reports each undocumented name only once,
   * and a name that is documented for another cause once for each list of expected names.
   * @param errors the documented names
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
