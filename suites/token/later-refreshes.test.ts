import { loginAfterAllChecks } from '../../src/check/check-options.ts'
import { issueTimeStepMs } from '../../src/check/tokens/issued-tokens.ts'
import { type ReceivedTokens, receivedTokens } from '../../src/check/tokens/received-tokens.ts'
import { check } from './requirements.ts'

check(
  'TOKEN-REFRESH-NEW',
  'no refresh of the run returns an access token that is older than a second',
  loginAfterAllChecks,
  async ({ run, tokens, expect, basis, note }) => {
    tokens.refreshedTokens((await tokens.firstRefresh()).response)
    await tokens.laterRefresh()
    const all = receivedTokens(run)
    const refreshes = all.filter((received) => received.grant === 'refresh' && !isReplay(received, all))
    const repeated = refreshes.filter((received) => firstWithToken(received, all) !== received)
    const old = repeated.filter((received) => isOlder(firstWithToken(received, all), received))
    run.recorder.useAsEvidence(old.map(({ response }) => response.exchange))
    expect.describeRequest('refreshes')
    expect.that(
      old.length === 0,
      'an access token that no earlier response contains',
      `an access token that is older than a second (${old.length} of ${refreshes.length} refreshes)`,
    )
    if (repeated.length > old.length) note('a refresh within a second returns the same access token')
    basis({ refreshes: refreshes.length })
  },
)

/** Whether the first response arrived more than a second before the request of the second response was sent. */
function isOlder(first: ReceivedTokens, second: ReceivedTokens): boolean {
  return second.response.exchange.sentAt - first.response.receivedAt > issueTimeStepMs
}

/** The first response of the run with the access token of this response. */
function firstWithToken(received: ReceivedTokens, all: readonly ReceivedTokens[]): ReceivedTokens {
  const token = received.response.object?.access_token
  return all.find(({ response }) => response.object?.access_token === token) ?? received
}

/** Whether an earlier refresh replaced the same refresh token. The target may then repeat its earlier response. */
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
