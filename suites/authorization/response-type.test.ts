import { type CompletedLanding, errorOf } from '../../src/check/authorization/landing-content.ts'
import { expectRefused } from '../../src/check/authorization/landing-expectations.ts'
import { login } from '../../src/check/check-options.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { authorizationErrors } from '../../src/oauth/errors.ts'
import { quotedNames, unsupportedResponseTypes } from './flaws.ts'
import type { RefusalSteps } from './refusal-steps.ts'
import { check } from './requirements.ts'

type ResponseTypeFlaw = (typeof unsupportedResponseTypes)[number]
type Context = Pick<CheckContext, 'authorization' | 'once' | 'target' | 'expect'> & {
  readonly refusals: RefusalSteps
}

for (const flaw of unsupportedResponseTypes) {
  const { requirement, errorRequirement, difference, errors } = flaw

  check(
    requirement,
    `a request ${difference} is refused`,
    login,
    async ({ refusals, authorization, once, target, expect }) => {
      expectRefused(expect, await refusal(flaw, { refusals, authorization, once, target, expect }))
    },
  )

  check(
    errorRequirement,
    `a request ${difference} is refused with ${quotedNames(errors)}`,
    login,
    async ({ refusals, authorization, authorizationErrors, once, target, expect }) => {
      const landing = await refusal(flaw, { refusals, authorization, once, target, expect })
      await authorizationErrors.expectRefusedAs({ requirement, errorRequirement }, landing, errors)
    },
  )
}

/**
 * The landing of a request whose only flaw is its response_type. Every request requires PKCE, which has no meaning in a
 * flow without a code: if the request without PKCE has another documented error, the request with PKCE decides. An
 * error that the authorization endpoint does not have is wrong for either flaw.
 */
async function refusal(
  flaw: ResponseTypeFlaw,
  { refusals, authorization, once, target, expect }: Context,
): Promise<CompletedLanding> {
  expect.describeRequest(`the valid request ${flaw.difference}`)
  const { landing } = await refusals.landingOf(flaw)
  const { response_type = null, ...pkce } = flaw.changes(target)
  const error = errorOf(landing)
  const isDecisive =
    error === undefined ||
    !authorizationErrors.has(error) ||
    flaw.errors.some((documented) => documented === error)
  if (isDecisive || Object.keys(pkce).length === 0) return landing
  expect.describeRequest(
    `the valid request with \`response_type=${response_type}\` and with PKCE; without PKCE, the error is ${error}, which may concern PKCE`,
  )
  const withPkce = await once([refusal, response_type], () =>
    authorization.authorize('signed-in', { response_type }),
  )
  return withPkce.landing
}
