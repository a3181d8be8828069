import { loginAfterAllChecks } from '../../src/check/check-options.ts'
import { describe } from '../../src/check/expect.ts'
import { acceptsToken } from '../../src/check/userinfo-response.ts'
import { isClientError } from '../../src/check/valid-requests.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { counted } from '../../src/text/format.ts'
import { check } from './requirements.ts'

check(
  'USERINFO-BEARER',
  'every valid access token of the run is accepted, on every request',
  loginAfterAllChecks,
  async ({ run, resources, expect, observe, note, basis }) => {
    // Inconclusive if UserInfo refuses the valid access token now.
    await resources.userinfoControl()
    const { userinfoUses: uses } = run.provider.log
    // Only refusals of a token that the target accepts later count: such a token was neither expired nor revoked.
    const refused = uses.filter(
      ({ accessToken, response }, index) =>
        isRefusal(response) &&
        uses.slice(index).some((later) => later.accessToken === accessToken && acceptsToken(later.response)),
    )
    const wronglyRefused = refused.filter((use) =>
      uses
        .slice(0, uses.indexOf(use))
        .some(({ accessToken, response }) => accessToken === use.accessToken && acceptsToken(response)),
    )
    run.recorder.useAsEvidence(refused.map(({ response }) => response.exchange))
    expect.describeRequest('GETs of UserInfo with one access token')
    const actual = [...new Set(wronglyRefused.map(({ response }) => describe(response)))].join('; ')
    expect.that(
      wronglyRefused.length === 0,
      'acceptance of the token, as before and after these requests',
      `${actual} (${counted(wronglyRefused.length, 'request')})`,
    )
    observe('userinfo.new-access-token-refused', refused.length > 0)
    if (refused.length > 0) note('a new access token was refused, and accepted a moment later')
    basis({ requests: uses.length })
  },
)

/** Whether a response is a 4xx, or a response below 400 without claims, such as a login page. A 5xx is no refusal. */
function isRefusal(response: HttpResponse): boolean {
  return isClientError(response) || (response.status < 400 && !acceptsToken(response))
}
