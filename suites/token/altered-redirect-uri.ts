import { loginAndSpendCode } from '../../src/check/check-options.ts'
import { isTokenRefusal } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { RequirementId } from '../../src/check/requirement.ts'
import { requireNoLock } from '../../src/check/tokens/refused-client.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { alteredRedirectUri, type UriAlteration } from '../../src/oauth/redirect-uri.ts'
import { check } from './requirements.ts'

/**
 * Defines two checks of one code exchange with an altered redirect URI: the exchange is refused, and its refusal has
 * a documented status and error. The exchange may share its code with others, which are refused before it: the
 * documented error is the same for an invalid code, so a code that those refusals invalidated makes no difference.
 * @param name describes the flaw and follows "a redirect URI": `with a different port`
 */
export function checkAlteredRedirectUri(
  id: RequirementId & `TOKEN-REDIRECT-URI-${string}`,
  flaw: UriAlteration,
  name: string,
  send: (context: CheckContext) => Promise<HttpResponse | undefined>,
): void {
  const responseTo = async (context: CheckContext): Promise<HttpResponse> => {
    const { sharedRequests, expect, application } = context
    const altered = alteredRedirectUri(application.redirectUri, flaw)
    if (!altered) return notApplicable(`REDIRECT_URI has no variant ${name}`)
    if (!isTokenRefusal(await sharedRequests.wrongRedirectUri()))
      return inconclusive('a redirect URI with a longer path is accepted as well', [
        'TOKEN-REDIRECT-URI-MATCH',
      ])
    const response = await send(context)
    if (!response) throw new Error(`no exchange with a redirect URI ${name} was sent`)
    expect.describeRequest(`an otherwise valid code exchange with the redirect URI ${altered.how}`)
    return response
  }

  check(id, `a code exchange is refused for a redirect URI ${name}`, loginAndSpendCode, async (context) => {
    context.expect.refused(await responseTo(context))
  })

  check(
    'TOKEN-REDIRECT-URI-MATCH-ERROR',
    `a code exchange is refused with the documented status and error for a redirect URI ${name}`,
    loginAndSpendCode,
    async (context) => {
      const response = await responseTo(context)
      if (!isTokenRefusal(response)) return inconclusive('the request was not refused', [id])
      // The exchange may share its code with others (src/check/shared-requests.ts), so it is not repeated after a
      // lock.
      requireNoLock(context.run, context.application, response)
      await context.tokenErrors.expectPermitted('TOKEN-REDIRECT-URI-MATCH', response)
    },
  )
}
