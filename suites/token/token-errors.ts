import {
  describe,
  isPermittedError,
  isText,
  isTokenRefusal,
  type RefusalError,
} from '../../src/check/expect.ts'
import { requireFirstFinding } from '../../src/check/first-finding.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { RequirementId } from '../../src/check/requirement.ts'
import { RunSteps } from '../../src/check/run-steps.ts'
import { refusalOf, requireReasonInRequest } from '../../src/check/tokens/refused-request.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import type { Application } from '../../src/target/target.ts'
import { permittedErrors, refusals, type TokenRefusal, type TokenRefusalId } from './refusals.ts'

/**
 * Sends a request that must be refused.
 * @param errorsOtherThanInvalidGrant permitted error names, without `invalid_grant`: since an invalid code or refresh
 *   token also leads to `invalid_grant`, this error does not show that the flaw was the reason
 */
export type SendRefused = (
  context: CheckContext,
  errorsOtherThanInvalidGrant: readonly string[],
) => Promise<HttpResponse>

/** Requests that the token endpoint must refuse, and assertions on the status and error of their refusals. */
export class TokenErrors extends RunSteps<CheckContext> {
  /**
   * The response to a request that must be refused. The request is sent once per run, or twice if the reason for the
   * refusal may have been temporary.
   */
  responseTo(id: TokenRefusalId, send: SendRefused): Promise<HttpResponse> {
    const { application } = this.steps
    const refusal: TokenRefusal = refusals[id]
    const permitted = permittedErrors(refusal, credentialsInForm(application))
    const errorsOtherThanInvalidGrant = permitted
      .map(([, name]) => name)
      .filter((name) => name !== 'invalid_grant')
    return this.run.once([this.responseTo, id], () =>
      refusalOf(
        this.steps,
        () => send(this.steps, errorsOtherThanInvalidGrant),
        (response) =>
          isPermittedError(response, ...permitted) || response.status === refusal.alternativeStatus,
      ),
    )
  }

  /**
   * Expects a refusal to have a status and error that are permitted for its cause.
   * @param application whose credentials the request contains, correct or altered
   * @throws {Inconclusive} if the request was not refused, or its error cannot be judged
   */
  async expectPermitted(
    id: TokenRefusalId,
    response: HttpResponse,
    application = this.steps.application,
  ): Promise<void> {
    const refusal: TokenRefusal = refusals[id]
    const { expect, note } = this.steps
    if (!isTokenRefusal(response)) return inconclusive('the request was not refused', [id])
    if (response.status === refusal.alternativeStatus) {
      expect.refused(response)
      note(`${refusal.request} is refused with status ${response.status}`)
    } else {
      const permitted = permittedErrors(refusal, credentialsInForm(application))
      await this.expectOneOf(`${id}-ERROR`, response, permitted, application)
    }
  }

  /**
   * Expects a refusal to have one of these statuses and errors.
   * @param permitted the documented status and error first
   * @throws {Inconclusive} if the target refuses the application itself, an absent error is a finding of
   *   TOKEN-ERROR-JSON, or another requirement with the same documented error has the same finding
   */
  async expectOneOf(
    id: RequirementId,
    response: HttpResponse,
    permitted: readonly RefusalError[],
    application = this.steps.application,
  ): Promise<void> {
    const { status, object } = response
    if (!isText(object?.error) && (status === 400 || status === 401))
      return inconclusive(`the refusal has no error (${describe(response)})`, ['TOKEN-ERROR-JSON'])
    if (!isPermittedError(response, ...permitted)) {
      await requireReasonInRequest(this.steps, response, application)
      requireFirstFinding(this.run, JSON.stringify([permitted[0], status, object?.error]), id)
    }
    this.steps.expect.permittedError(response, ...permitted)
  }
}

function credentialsInForm({ authMethod }: Application): boolean {
  return authMethod === 'client_secret_post'
}
