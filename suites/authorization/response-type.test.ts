import { type CompletedLanding, errorOf } from '../../src/check/authorization/landing-content.ts'
import { login } from '../../src/check/check-options.ts'
import { authorizationErrors } from '../../src/oauth/errors.ts'
import { type RequestFlaw, unsupportedResponseTypes } from './flaws.ts'
import { checkRefusalAndError } from './refusal-checks.ts'
import type { AuthorizationContext } from './requirements.ts'

for (const flaw of unsupportedResponseTypes) {
  const { requirement, difference, errors } = flaw
  checkRefusalAndError(requirement, `a request ${difference}`, login, errors, (context) =>
    refusal(flaw, context),
  )
}

/**
 * The landing of a request whose only flaw is its response_type. The specification requires PKCE of all requests,
 * although a flow without a code does not need PKCE. If the refusal of the request without PKCE has another documented
 * error, the request with PKCE decides. An undocumented error is wrong for both requests.
 */
async function refusal(
  flaw: RequestFlaw,
  { refusals, authorization, once, target, expect }: AuthorizationContext,
): Promise<CompletedLanding> {
  expect.describeRequest(`the valid request ${flaw.difference}`)
  const landing = await refusals.landingOf(flaw)
  const { response_type = null, ...pkce } = flaw.changes(target)
  const error = errorOf(landing)
  const isDecisive = error === undefined || !authorizationErrors.has(error) || flaw.errors.includes(error)
  if (isDecisive || Object.keys(pkce).length === 0) return landing
  expect.describeRequest(
    `the valid request with \`response_type=${response_type}\` and with PKCE; without PKCE, the error is ${error}, which may concern PKCE`,
  )
  const withPkce = await once([refusal, response_type], () =>
    authorization.authorize('signed-in', { response_type }),
  )
  return withPkce.landing
}
