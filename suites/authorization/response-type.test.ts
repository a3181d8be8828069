import type { CheckContext } from '../../src/check/fixtures.ts'
import { errorOf, expectNothingIssued, expectRefusedAs } from '../../src/check/landing.ts'
import { unsupportedResponseTypes } from './causes.ts'
import type { RefusalSteps } from './refusal-steps.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

type Cause = (typeof unsupportedResponseTypes)[number]

for (const cause of unsupportedResponseTypes) {
  const { refused, named, difference, errors } = cause

  check(refused, `a request ${difference} is refused`, login, async ({ refusals, expect }) => {
    expect.sending(`the valid request ${difference}`)
    expectNothingIssued(expect, (await refusals.of(cause)).landing)
  })

  check(
    named,
    `a request ${difference} is refused with ${errors.join(' or ')}`,
    login,
    async ({ refusals, authorization, target, expect }) => {
      expect.sending(`the valid request ${difference}`)
      const landing = await refusal(cause, { refusals, authorization, target, expect })
      expectRefusedAs(expect, landing, refused, ...errors)
    },
  )
}

/**
 * Where a request ends whose only flaw is its response_type. PKCE has no place in a flow without a code, but it is
 * required in every request: where its absence is refused first, the request with PKCE decides.
 */
async function refusal(
  cause: Cause,
  {
    refusals,
    authorization,
    target,
    expect,
  }: Pick<CheckContext, 'authorization' | 'target' | 'expect'> & { readonly refusals: RefusalSteps },
) {
  const { landing } = await refusals.of(cause)
  const { response_type, ...pkce } = cause.changes(target)
  if (errorOf(landing) !== 'invalid_request' || Object.keys(pkce).length === 0) return landing
  expect.sending(`the valid request with response_type=${response_type}`)
  return (await authorization.authorize('signed-in', { response_type: response_type ?? null })).landing
}
