import { loginAfterAllChecks } from '../../src/check/check-options.ts'
import { issueTimeStepMs } from '../../src/check/tokens/issued-tokens.ts'
import { type ReceivedTokens, receivedTokens } from '../../src/check/tokens/received-tokens.ts'
import { check } from './requirements.ts'

check(
  'TOKEN-REFRESH-NEW',
  'no refresh of the run returns an access token that is older than a second',
  loginAfterAllChecks,
  async ({ run, tokens, expect, basis, note }) => {
    // Inconclusive if the first refresh returned no tokens.
    tokens.refreshedTokens((await tokens.firstRefresh()).response)
    // Sent so that at least one refresh follows more than a second after the tokens before it.
    await tokens.laterRefresh()
    const all = receivedTokens(run)
    const refreshes = all.filter((received) => received.grant === 'refresh' && !isReplay(received, all))
    const repeated = refreshes.filter((received) => firstWithToken(received, all) !== received)
    const tooOld = repeated.filter((received) => isOlder(firstWithToken(received, all), received))
    run.recorder.useAsEvidence(tooOld.map(({ response }) => response.exchange))
    expect.describeRequest('refreshes')
    expect.that(
      tooOld.length === 0,
      'an access token that no earlier response contains',
      `an access token that is older than a second (${tooOld.length} of ${refreshes.length} refreshes)`,
    )
    if (repeated.length > tooOld.length) note('a refresh within a second returns the same access token')
    basis({ refreshes: refreshes.length })
  },
)

/** Whether the first response arrived more than a second before Plumbline sent the request of the second response. */
function isOlder(first: ReceivedTokens, second: ReceivedTokens): boolean {
  return second.response.exchange.sentAt - first.response.receivedAt > issueTimeStepMs
}

/** The first response of the run with the access token of this response. */
function firstWithToken(received: ReceivedTokens, all: readonly ReceivedTokens[]): ReceivedTokens {
  const token = received.response.object?.access_token
  return all.find(({ response }) => response.object?.access_token === token) ?? received
}

/**
 * Whether an earlier refresh replaced the refresh token of this one. The target may then repeat its earlier response,
 * so the check does not judge this refresh.
 */
function isReplay(received: ReceivedTokens, all: readonly ReceivedTokens[]): boolean {
  return all
    .slice(0, all.indexOf(received))
    .some(
      ({ refreshToken, response: { object } }) =>
        refreshToken !== undefined &&
        refreshToken === received.refreshToken &&
        object?.refresh_token !== undefined &&
        object.refresh_token !== refreshToken,
    )
}
