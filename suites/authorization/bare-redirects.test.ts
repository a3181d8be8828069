import { check } from './requirements.ts'

check(
  'AUTHZ-ERROR-REDIRECT',
  'no request of the run came back with neither code nor error',
  { looksBack: true },
  async ({ authorization, expect, basis, notApplicable }) => {
    const bareRedirects = authorization.bareRedirects()
    if (bareRedirects.length === 0)
      return notApplicable('no request came back without code and error', 'target')
    basis({ 'redirects without code and error': bareRedirects.length })
    expect.violated({
      expected: 'a code or an error in every redirect to the redirect URI',
      actual: `there was neither after a good request changed in: ${bareRedirects.join('; ')}`,
    })
  },
)
