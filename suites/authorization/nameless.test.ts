import { check } from './requirements.ts'

check(
  'AUTHZ-ERROR-REDIRECT',
  'no request of the run came back with neither code nor error',
  { looksBack: true },
  async ({ authorization, expect, basis, notApplicable }) => {
    const nameless = authorization.nameless()
    if (nameless.length === 0) return notApplicable('no request came back without code and error', 'target')
    basis({ 'redirects without code and error': nameless.length })
    expect.violated({
      expected: 'a code or an error in every redirect to the redirect URI',
      actual: `there was neither after a good request changed in: ${nameless.join('; ')}`,
    })
  },
)
