import { codeOf, expectNothingIssued, expectRefusedAnywhere } from '../../src/check/landing.ts'
import { sameAddress } from '../../src/oauth/redirect-uri.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

const altered = [
  ['AUTHZ-REDIRECT-URI-SCHEME', 'scheme'],
  ['AUTHZ-REDIRECT-URI-HOST', 'host'],
  ['AUTHZ-REDIRECT-URI-HOST', 'host below it'],
  ['AUTHZ-REDIRECT-URI-PORT', 'port'],
  ['AUTHZ-REDIRECT-URI-PATH', 'path'],
  ['AUTHZ-REDIRECT-URI-PATH-CASE', 'letter case in its path'],
  ['AUTHZ-REDIRECT-URI-TRAILING-SLASH', 'trailing slash'],
  ['AUTHZ-REDIRECT-URI-QUERY', 'query'],
] as const

for (const [id, part] of altered) {
  check(
    id,
    `no code goes to a redirect URI with another ${part}`,
    login,
    async ({ expect, note, notApplicable, authorization }) => {
      const altered = await authorization.withAlteredRedirectUri(part)
      if (!altered)
        return notApplicable(`REDIRECT_URI has nothing that can be altered as its ${part}`, 'configuration')
      const { request, landing } = altered
      expect.sending(`a good request whose redirect URI has another ${part}`)
      if (landing.kind === 'redirect' && codeOf(landing) === undefined) {
        if (sameAddress(landing.location, request.redirectUri))
          note(`an error was sent to the redirect URI with another ${part}`)
      }
      // What the error may be called is for PLATFORM-REDIRECT-MISMATCH-ERROR.
      expectNothingIssued(expect, landing)
    },
  )
}

check(
  'AUTHZ-REDIRECT-URI-REQUIRED',
  'a request without redirect_uri is refused',
  login,
  async ({ authorization, expect }) => {
    expect.sending('a good request without redirect_uri')
    const { landing } = await authorization.authorize('signed-in', { redirect_uri: null })
    expectRefusedAnywhere(expect, landing, 'invalid_request', 'redirect_uri_mismatch')
  },
)
