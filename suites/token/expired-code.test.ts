import { loginUntilExpiry } from '../../src/check/check-options.ts'
import { isTokenRefusal } from '../../src/check/expect.ts'
import { notApplicable } from '../../src/check/verdict.ts'
import { check } from './requirements.ts'

check(
  'TOKEN-CODE-EXPIRED',
  'an expired code is refused with the documented status and error',
  // Runs last, so that the wait for the expiry delays no ordinary check.
  { ...loginUntilExpiry, effects: ['login', 'burns-codes', 'slow'], waitsFor: 'code' },
  async ({ expiry, tokens, tokenErrors, expect, note, target: { codeLifetime } }) => {
    expect.describeRequest(`an otherwise valid code exchange with a code that is ${codeLifetime} s old`)
    const code = await expiry.expiredCode()
    // Control: the target accepts a valid code exchange.
    await tokens.control()
    const response = await tokens.sendCodeExchange(code)
    if (!isTokenRefusal(response)) {
      note(`a code is accepted ${codeLifetime} s after it was issued; RFC 6749 recommends at most 600 s`)
      return notApplicable(
        'the lifetime of codes is not specified, and the code of this check is still valid',
        'target',
      )
    }
    await tokenErrors.expectOneOf('TOKEN-CODE-EXPIRED', response, [[400, 'invalid_grant']])
  },
)
