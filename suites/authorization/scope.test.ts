import { errorOf, expectErrorNamed } from '../../src/check/landing.ts'
import { login } from '../../src/check/options.ts'
import { check } from './requirements.ts'

check(
  'AUTHZ-SCOPE-INVALID',
  'the refusal of an unknown scope has the error `invalid_scope` or `invalid_request`',
  login,
  async ({ authorization, expect, note, notApplicable }) => {
    expect.sending('the valid request with one more scope, which is unknown')
    const { landing } = await authorization.unusual('one more scope, which is unknown')
    const error = errorOf(landing)
    if (error === undefined) {
      note('an unknown scope is not refused')
      return notApplicable('the target does not refuse an unknown scope with an error', 'target')
    }
    expectErrorNamed(expect, landing, 'invalid_scope', 'invalid_request')
    if (error === 'invalid_request') note('an unknown scope is refused with invalid_request')
  },
)
