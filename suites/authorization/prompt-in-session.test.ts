import { codeOf } from '../../src/check/authorization/landing-content.ts'
import { expectRedirect } from '../../src/check/authorization/landing-expectations.ts'
import { landingPhrase } from '../../src/check/authorization/landing-text.ts'
import { login } from '../../src/check/check-options.ts'
import { notApplicable } from '../../src/check/verdict.ts'
import { check } from './requirements.ts'

check(
  'AUTHZ-PROMPT-NONE-SESSION',
  '`prompt=none` in a session returns a code without a page',
  login,
  async ({ authorization, expect }) => {
    const { landing: control } = await authorization.repeated()
    expect.describeRequest('the valid request with `prompt=none` in a session that has just returned a code')
    const { landing } = await authorization.unusual('prompt=none')
    const redirect = expectRedirect(expect, landing)
    if (codeOf(control) === undefined) {
      return notApplicable(
        `needs a session in which a request without the parameter \`prompt\` returns a code without a page; that request ended at ${landingPhrase(control)}`,
        'target',
      )
    }
    expect.that(codeOf(redirect) !== undefined, 'a redirect with a code', landingPhrase(redirect))
  },
)
