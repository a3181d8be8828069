import { isTokenRefusal } from '../../src/check/expect.ts'
import { expectError } from './refusal-checks.ts'
import { check } from './requirements.ts'

check(
  'TOKEN-CODE-EXPIRED',
  'an expired code is refused with the documented status and error',
  // Runs after all other checks, which need not wait for it.
  { effects: ['login', 'burns-codes', 'slow'], needs: ['user'], looksBack: true },
  async ({ expiry, tokens, expect, inconclusive, note, notApplicable, once, target: { codeLifetime } }) => {
    expect.sending(`the valid code exchange with a code that is ${codeLifetime} s old`)
    const code = await expiry.expiredCode()
    await tokens.control()
    const response = await tokens.alteredExchange(code)
    if (!isTokenRefusal(response)) {
      note(`a code is accepted ${codeLifetime} s after it was issued; RFC 6749 recommends at most 600 s`)
      return notApplicable('the lifetime of codes is not specified, and this one is still valid', 'target')
    }
    await expectError({ expect, inconclusive, once, tokens }, 'TOKEN-CODE-EXPIRED', response, [
      [400, 'invalid_grant'],
    ])
  },
)
