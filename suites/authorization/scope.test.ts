import { codeOf, errorOf, isFinalPage } from '../../src/check/authorization/landing-content.ts'
import { landingPhrase } from '../../src/check/authorization/landing-text.ts'
import { login } from '../../src/check/check-options.ts'
import { notApplicable } from '../../src/check/verdict.ts'
import { check } from './requirements.ts'

check(
  'AUTHZ-SCOPE-ORDER',
  'a request with `openid` as its last scope returns a code',
  login,
  async ({ authorization, target: { scope }, expect }) => {
    if (!scope.includes(' ') || scope.endsWith(' openid'))
      return notApplicable('needs SCOPE with another scope after `openid`')
    const { landing } = await authorization.unusual('openid as its last scope')
    expect.describeRequest('the valid request with `openid` as the last scope')
    expect.that(codeOf(landing) !== undefined, 'a redirect with a code', landingPhrase(landing))
  },
)

check(
  'AUTHZ-SCOPE-INVALID',
  'the refusal of an unknown scope has the error `invalid_scope` or `invalid_request`',
  login,
  async ({ authorization, authorizationErrors, expect, note }) => {
    expect.describeRequest('the valid request with one more scope, which is unknown')
    const { landing } = await authorization.unusual('one more scope, which is unknown')
    const error = errorOf(landing)
    if (error === undefined && !isFinalPage(landing)) {
      note('an unknown scope is not refused with an error')
      return notApplicable(
        'needs a refusal of an unknown scope with an error, which is optional; the target accepts or ignores the scope',
        'target',
      )
    }
    const names = ['invalid_scope', 'invalid_request']
    await authorizationErrors.expectNamed('AUTHZ-SCOPE-INVALID', landing, names)
    if (error === 'invalid_request') note('an unknown scope is refused with invalid_request')
  },
)
