import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { check } from './requirements.ts'

/**
 * The longest grace period that this file allows for, in milliseconds. In it, a target may accept a replaced refresh
 * token, so that a client that lost the response can retry.
 */
const graceMs = 60_000

// The file runs among the last of a run, when the replaced token is old. The target may then revoke every token of
// the login, so the checks need the effect `token-destruction`.
const lastOfAll = {
  effects: ['login', 'token-destruction'],
  optionalEffects: ['slow'],
  needs: ['user'],
  runsLast: true,
} as const
const requestText = 'a refresh with a token that an earlier refresh replaced'

check('TOKEN-REFRESH-OLD-REFUSED', 'a replaced refresh token is refused', lastOfAll, async (context) => {
  context.expect.describeRequest(requestText)
  const { response, seconds } = await refreshWithReplaced(context)
  context.expect.refused(response)
  context.basis({}, { secondsSince: { 'it was replaced': seconds } })
})

check(
  'TOKEN-REFRESH-OLD-REFUSED-ERROR',
  'a replaced refresh token is refused with the documented status and error',
  lastOfAll,
  async (context) => {
    context.expect.describeRequest(requestText)
    const { response, seconds } = await refreshWithReplaced(context)
    await context.tokenErrors.expectPermitted('TOKEN-REFRESH-OLD-REFUSED', response)
    context.basis({}, { secondsSince: { 'it was replaced': seconds } })
  },
)

/**
 * The response to a refresh with a replaced refresh token, sent once for both checks. If the target accepts the token
 * within the grace period, Plumbline sends it again after that period.
 * @returns `seconds`: the time from the replacement of the token to the response
 * @throws {Inconclusive} if the target accepts the token within the grace period, and the run may not wait
 * @throws {NotApplicable} if refreshes do not replace the refresh token
 */
function refreshWithReplaced(
  context: CheckContext,
): Promise<{ readonly response: HttpResponse; readonly seconds: number }> {
  const { run, tokens, sharedRequests, target } = context
  return context.once(refreshWithReplaced, async () => {
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
