import { errorOf } from '../../src/check/authorization/landing-content.ts'
import { loginAfterAllChecks } from '../../src/check/check-options.ts'
import { notApplicable } from '../../src/check/verdict.ts'
import { expectMismatchError, expectMismatchStatus, mismatches } from './redirect-mismatch.ts'
import { check } from './requirements.ts'

/** Alterations that gateways forward. A gateway may itself refuse other alterations, such as unusual spellings. */
const addresses = ['path', 'trailing slash', 'letter case', 'port', 'query', 'scheme'] as const

check(
  'PLATFORM-REDIRECT-MISMATCH',
  'the response to a redirect URI with a different path, port, query or scheme has status 400 or 302',
  loginAfterAllChecks,
  async ({ authorization, expect, basis }) => {
    const refused = await mismatches(authorization, addresses)
    if (refused.length === 0)
      return notApplicable(
        'needs a refusal of an unregistered redirect URI; other checks judge whether the target refuses it',
        'target',
      )
    basis({ refusals: refused.length })
    for (const mismatch of refused) expectMismatchStatus(expect, mismatch)
  },
)

check(
  'PLATFORM-REDIRECT-MISMATCH-ERROR',
  'a redirect that refuses a different path, port, query or scheme has a documented error',
  loginAfterAllChecks,
  async (context) => {
    const refused = await mismatches(context.authorization, addresses)
    const named = refused.filter(({ landing }) => errorOf(landing) !== undefined)
    if (named.length === 0)
      return notApplicable(
        'concerns only a redirect with an error name; the target refused in another way, which is permitted',
        'target',
      )
    context.basis({ refusals: named.length })
    for (const mismatch of named) await expectMismatchError(context, mismatch)
  },
)
