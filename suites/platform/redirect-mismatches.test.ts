import { errorOf } from '../../src/check/landing.ts'
import { lookingBackWithLogin } from '../../src/check/options.ts'
import { expectMismatchStatus, mismatchErrors, mismatches } from './redirect-mismatch.ts'
import { check } from './requirements.ts'

/** Alterations after which a redirect URI is still a plain address. */
const plain = ['path', 'trailing slash', 'letter case', 'port', 'query', 'scheme'] as const

check(
  'PLATFORM-REDIRECT-MISMATCH',
  'the response to every other unregistered redirect URI has status 400 or 302',
  lookingBackWithLogin,
  async ({ authorization, expect, basis, notApplicable }) => {
    const refused = await mismatches(authorization, plain)
    if (refused.length === 0) return notApplicable('no other unregistered redirect URI was refused', 'target')
    basis({ refusals: refused.length })
    for (const mismatch of refused) expectMismatchStatus({ expect }, mismatch)
  },
)

check(
  'PLATFORM-REDIRECT-MISMATCH-ERROR',
  'every other redirect that refuses an unregistered redirect URI has a documented error',
  lookingBackWithLogin,
  async ({ authorization, authorizationErrors, expect, basis, notApplicable }) => {
    const refused = await mismatches(authorization, plain)
    const named = refused.filter(({ landing }) => errorOf(landing) !== undefined)
    if (named.length === 0) return notApplicable('no refusal is a redirect with an error', 'target')
    basis({ refusals: named.length })
    for (const { landing, how } of named) {
      expect.sending(`the valid request whose redirect URI is the registered one ${how}`)
      await authorizationErrors.expectNamed('PLATFORM-REDIRECT-MISMATCH-ERROR', landing, mismatchErrors)
    }
  },
)
