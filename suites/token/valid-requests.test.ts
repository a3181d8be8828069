import { loginAfterAllChecks } from '../../src/check/check-options.ts'
import { describe } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { blockAdvice } from '../../src/check/short-block.ts'
import { clientRefusal } from '../../src/check/tokens/refused-client.ts'
import { isClientError, type ValidTokenRequest } from '../../src/check/valid-requests.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import { isGatewayRefusal } from '../../src/evidence/exchange.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { issuedAccessToken } from '../../src/oauth/token-keeper.ts'
import { check } from './requirements.ts'

check(
  'TOKEN-CODE-EXCHANGE',
  'every valid code exchange of the run is accepted',
  loginAfterAllChecks,
  async ({ run, tokens, expect, basis, note }) => {
    // Sends the first code exchange if no check has sent it. Inconclusive if it returned no tokens.
    await tokens.first()
    const { exchanges } = run.validRequests
    expect.describeRequest('valid code exchanges')
    expectAccepted({ run, expect, note }, exchanges, 'code exchanges')
    basis({ 'code exchanges': exchanges.length })
  },
)

check(
  'TOKEN-REFRESH-NEWEST',
  'every refresh of the run with a token that was issued just before is accepted',
  loginAfterAllChecks,
  async ({ run, tokens, expect, observe, basis, note }) => {
    // Inconclusive if the first refresh returned no tokens.
    tokens.refreshedTokens((await tokens.firstRefresh()).response)
    // Sent so that the run has at least two refreshes to judge.
    await tokens.laterRefresh()
    const { refreshes, hasRefusedOlderGrant } = run.validRequests
    observe('token.older-refresh-tokens-refused', hasRefusedOlderGrant)
    if (refreshes.length === 0)
      return notApplicable(
        'needs a refresh token that Plumbline sent right after the response that issued it',
        'target',
      )
    expect.describeRequest('refreshes with the newest refresh token')
    expectAccepted({ run, expect, note }, refreshes, 'refreshes')
    basis({ refreshes: refreshes.length })
  },
)

/**
 * Expects the target to accept valid requests. Adds a note if it may have refused the client and not its request.
 * @param requestNoun such as `code exchanges`
 * @throws {Violation} if the target refuses a valid request for another reason
 * @throws {Inconclusive} if the target first accepted and then refused the client, or a gateway may have blocked a
 *   single request
 */
function expectAccepted(
  { run, expect, note }: Pick<CheckContext, 'run' | 'expect' | 'note'>,
  all: readonly ValidTokenRequest[],
  requestNoun: string,
): void {
  const failed = all.filter(({ response }) => isClientError(response) || isIncomplete(response))
  const clientRefusalOf = ({ applicationId: id, response }: ValidTokenRequest) =>
    clientRefusal(run, { id }, response)
  const gatewayPages = failed.filter(
    ({ response: { exchange } }) => exchange.response && isGatewayRefusal(exchange.response),
  )
  // If a gateway responded to one of several requests, it may have blocked only that one.
  const blocked = gatewayPages.length === 1 && all.length > 1 ? gatewayPages : []
  const inDoubt = failed.filter((request) => !blocked.includes(request) && clientRefusalOf(request))
  const violating = failed.filter((request) => !blocked.includes(request) && !inDoubt.includes(request))
  run.recorder.useAsEvidence(failed.map(({ response }) => response.exchange))
  expect.that(violating.length === 0, 'status 200 and an access token', responsesOf(violating, all.length))
  if (blocked.length > 0)
    inconclusive(`a gateway may have blocked a request: ${responsesOf(blocked, all.length)}`, {
      cause: 'throttled',
      advice: blockAdvice,
    })
  if (inDoubt.some((request) => clientRefusalOf(request) === 'ended'))
    inconclusive(
      `the target refused valid ${requestNoun} of a client that it had accepted before: ${responsesOf(inDoubt, all.length)}`,
      {
        cause: 'environment',
        advice:
          'ask the operators of the target whether the secret of the client expired, or its registration was revoked, during the run; if neither happened, the target violates this requirement',
      },
    )
  if (inDoubt.length > 0) note(`the client itself may have been refused: ${responsesOf(inDoubt, all.length)}`)
}

/** Whether a response is not a refusal, but has a status other than 200 or no access token. */
function isIncomplete(response: HttpResponse): boolean {
  return response.status < 400 && issuedAccessToken(response) === undefined
}

function responsesOf(failed: readonly ValidTokenRequest[], count: number): string {
  const responses = new Set(failed.map(({ response }) => describe(response)))
  return `${[...responses].join('; ')} (${failed.length} of ${count})`
}
