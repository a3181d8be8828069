import { codeOf } from '../../src/check/authorization/landing-content.ts'
import { expectNothingIssued } from '../../src/check/authorization/landing-expectations.ts'
import { login, loginWithSecond } from '../../src/check/check-options.ts'
import { notApplicable } from '../../src/check/verdict.ts'
import { requestWithRedirectUri, sameAddress } from '../../src/oauth/redirect-uri.ts'
import { check } from './requirements.ts'

for (const [id, alteration, name] of [
  ['AUTHZ-REDIRECT-URI-SCHEME', 'scheme', 'with a different scheme'],
  ['AUTHZ-REDIRECT-URI-HOST', 'host', 'on a different host'],
  ['AUTHZ-REDIRECT-URI-HOST', 'host below it', 'on a subdomain of the registered host'],
  ['AUTHZ-REDIRECT-URI-PORT', 'port', 'with a different port'],
  ['AUTHZ-REDIRECT-URI-PATH', 'path', 'with a different path'],
  ['AUTHZ-REDIRECT-URI-PATH', 'dot segment', 'with a dot segment that leads to a different path'],
  ['AUTHZ-REDIRECT-URI-PATH', 'double slash', 'with a second slash before its path'],
  ['AUTHZ-REDIRECT-URI-PATH-CASE', 'letter case', 'with its path in a different letter case'],
  ['AUTHZ-REDIRECT-URI-TRAILING-SLASH', 'trailing slash', 'that differs by a trailing slash'],
  ['AUTHZ-REDIRECT-URI-SPELLING', 'case of its host', 'with its host in a different letter case'],
  ['AUTHZ-REDIRECT-URI-SPELLING', 'standard port', 'that differs by the standard port of its scheme'],
  ['AUTHZ-REDIRECT-URI-SPELLING', 'encoded letter', 'with a percent-encoded letter'],
  ['AUTHZ-REDIRECT-URI-SPELLING', 'redundant dot segment', 'with a redundant dot segment'],
  ['AUTHZ-REDIRECT-URI-QUERY', 'query', 'with a different query'],
  ['AUTHZ-REDIRECT-URI-USER', 'user name', 'with a user name'],
  ['AUTHZ-REDIRECT-URI-FRAGMENT', 'fragment', 'with a fragment'],
] as const) {
  check(id, `a redirect URI ${name} receives no code`, login, async ({ expect, note, authorization }) => {
    const altered = await authorization.withAlteredRedirectUri(alteration)
    if (!altered) return notApplicable(`REDIRECT_URI has no variant ${name}`, 'configuration')
    const { request, landing, how } = altered
    expect.describeRequest(requestWithRedirectUri(how))
    const isRedirected = landing.kind === 'redirect' && sameAddress(landing.location, request.redirectUri)
    if (isRedirected && codeOf(landing) === undefined)
      note(
        `the target redirected, without a code, to an unregistered redirect URI: the registered one ${how}`,
      )
    // PLATFORM-REDIRECT-MISMATCH-ERROR judges the name of the error.
    expectNothingIssued(expect, landing)
  })
}

check(
  'AUTHZ-REDIRECT-URI-OTHER-CLIENT',
  'the redirect URI of the second application receives no code of the first one',
  loginWithSecond,
  async ({ expect, authorization, application, target: { secondApplication } }) => {
    const { redirectUri } = secondApplication ?? application
    if (redirectUri === application.redirectUri)
      return notApplicable('both applications have the same redirect URI')
    const { landing } = await authorization.authorize('signed-in', { redirect_uri: redirectUri })
    expect.describeRequest('the valid request with the redirect URI of the second application')
    expectNothingIssued(expect, landing)
  },
)
