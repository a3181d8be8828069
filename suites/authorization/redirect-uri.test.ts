import { codeOf, expectNothingIssued } from '../../src/check/landing.ts'
import { login } from '../../src/check/options.ts'
import { sameAddress } from '../../src/oauth/redirect-uri.ts'
import { check } from './requirements.ts'

const altered = [
  ['AUTHZ-REDIRECT-URI-SCHEME', 'scheme'],
  ['AUTHZ-REDIRECT-URI-HOST', 'host'],
  ['AUTHZ-REDIRECT-URI-HOST', 'host below it'],
  ['AUTHZ-REDIRECT-URI-PORT', 'port'],
  ['AUTHZ-REDIRECT-URI-PATH', 'path'],
  ['AUTHZ-REDIRECT-URI-PATH', 'dot segment'],
  ['AUTHZ-REDIRECT-URI-PATH-CASE', 'letter case in its path'],
  ['AUTHZ-REDIRECT-URI-TRAILING-SLASH', 'trailing slash'],
  ['AUTHZ-REDIRECT-URI-QUERY', 'query'],
  ['AUTHZ-REDIRECT-URI-USER', 'user name'],
  ['AUTHZ-REDIRECT-URI-FRAGMENT', 'fragment'],
] as const

for (const [id, part] of altered) {
  check(
    id,
    `a redirect URI with another ${part} receives no code`,
    login,
    async ({ expect, note, notApplicable, authorization }) => {
      const altered = await authorization.withAlteredRedirectUri(part)
      if (!altered)
        return notApplicable(`REDIRECT_URI has no part that can be altered as its ${part}`, 'configuration')
      const { request, landing } = altered
      expect.sending(`the valid request whose redirect URI has another ${part}`)
      if (landing.kind === 'redirect' && codeOf(landing) === undefined) {
        if (sameAddress(landing.location, request.redirectUri))
          note(`the target redirected with an error to the redirect URI with another ${part}`)
      }
      // PLATFORM-REDIRECT-MISMATCH-ERROR judges the name of the error.
      expectNothingIssued(expect, landing)
    },
  )
}
