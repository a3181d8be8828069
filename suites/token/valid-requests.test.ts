import { describe } from '../../src/check/expect.ts'
import { lookingBack } from '../../src/check/options.ts'
import { isClientError, type ValidTokenRequest } from '../../src/check/valid-requests.ts'
import { check } from './requirements.ts'

check(
  'TOKEN-CODE-EXCHANGE',
  'every valid code exchange of the run is accepted',
  lookingBack,
  async ({ run, tokens, expect, basis, target }) => {
    await tokens.first()
    const { exchanges } = run.valid
    const accepted = new Set(
      exchanges.filter(({ response }) => response.status === 200).map(({ applicationId }) => applicationId),
    )
    // The credentials or the registration of the second application may be wrong.
    const isInDoubt = ({ applicationId, response }: ValidTokenRequest) =>
      applicationId === target.secondApplication?.id &&
      !accepted.has(applicationId) &&
      (response.status === 401 || response.object?.error === 'unauthorized_client')
    const failed = exchanges.filter(
      (one) => (isClientError(one.response) || hasNoAccessToken(one)) && !isInDoubt(one),
    )
    run.recorder.recall(failed.map(({ response }) => response.exchange))
    expect.sending('valid code exchanges')
    expect.that(failed.length === 0, 'status 200 and an access token', responsesOf(failed, exchanges.length))
    basis({ 'code exchanges': exchanges.length })
  },
)

check(
  'TOKEN-REFRESH-NEWEST',
  'every refresh of the run with a token that was issued just before is accepted',
  lookingBack,
  async ({ run, tokens, expect, observe, basis, notApplicable }) => {
    tokens.refreshedTokens((await tokens.firstRefresh()).response)
    const { refreshes, hasRefusedOlderGrant } = run.valid
    observe('token.older-refresh-tokens-refused', hasRefusedOlderGrant)
    if (refreshes.length === 0) return notApplicable('no refresh token was sent right after its response')
    const refused = refreshes.filter(({ response }) => isClientError(response))
    run.recorder.recall(refused.map(({ response }) => response.exchange))
    expect.sending('refreshes with tokens that the last response issued')
    expect.that(refused.length === 0, 'status 200', responsesOf(refused, refreshes.length))
    basis({ refreshes: refreshes.length })
  },
)

/** Whether a response is a success or a redirect, but has no access token. */
function hasNoAccessToken({ response: { status, object } }: ValidTokenRequest): boolean {
  return status < 400 && typeof object?.access_token !== 'string'
}

function responsesOf(failed: readonly ValidTokenRequest[], count: number): string {
  const responses = new Set(failed.map(({ response }) => describe(response)))
  return `${[...responses].join('; ')} (${failed.length} of ${count})`
}
