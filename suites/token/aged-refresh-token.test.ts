import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { check } from './requirements.ts'

/**
 * The longest grace period that this file allows for, in milliseconds. In it, a target may accept a replaced refresh
 * token, so that a client that lost the response can retry.
 */
const graceMs = 60_000

// Runs after all other checks, when the replaced token is old. Its use may revoke every token of the session.
const lastOfAll = {
  effects: ['login', 'token-destruction'],
  optionalEffects: ['slow'],
  needs: ['user'],
  runsLast: true,
} as const
const requestText = 'a refresh with a token that an earlier refresh replaced'

check('TOKEN-REFRESH-OLD-REFUSED', 'a replaced refresh token is refused', lastOfAll, async (context) => {
  context.expect.describeRequest(requestText)
  const { response, seconds } = await agedRefresh(context)
  context.expect.refused(response)
  context.basis({}, { secondsSince: { 'it was replaced': seconds } })
})

check(
  'TOKEN-REFRESH-OLD-REFUSED-ERROR',
  'a replaced refresh token is refused with the documented status and error',
  lastOfAll,
  async (context) => {
    context.expect.describeRequest(requestText)
    const { response, seconds } = await agedRefresh(context)
    await context.tokenErrors.expectPermitted('TOKEN-REFRESH-OLD-REFUSED', response)
    context.basis({}, { secondsSince: { 'it was replaced': seconds } })
  },
)

/**
 * The shared refresh with a replaced refresh token. If the target accepts the token within the grace period,
 * Plumbline sends it again after that period.
 * @throws {Inconclusive} if the run may not wait; {NotApplicable} if refreshes do not rotate
 */
function agedRefresh(
  context: CheckContext,
): Promise<{ readonly response: HttpResponse; readonly seconds: number }> {
  const { run, tokens, sharedRequests, target } = context
  return context.once(agedRefresh, async () => {
    const replaced = await sharedRequests.replacedRefreshToken()
    if (!replaced) return notApplicable('needs rotation of refresh tokens, which is optional', 'target')
    const { refreshToken, replacedAt } = replaced
    const age = () => Date.now() - replacedAt
    let response = await tokens.refresh(refreshToken)
    if (response.status < 300 && age() < graceMs) {
      if (!target.allowedEffects.includes('slow')) {
        return inconclusive(
          `the refresh token was accepted ${Math.round(age() / 1000)} s after it was replaced, which may be a grace period`,
          {
            variables: ['ENABLE'],
            advice: 'add slow to ENABLE: the run then sends the token again a minute after it was replaced',
          },
        )
      }
      await run.wait(graceMs - age(), 'because a replaced refresh token may have a grace period')
      response = await tokens.refresh(refreshToken)
    }
    return { response, seconds: Math.round(age() / 1000) }
  })
}
