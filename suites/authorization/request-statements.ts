import type { Requirement } from '../../src/check/requirement.ts'

const section = 'Authorization'
const lateValidation =
  'A target may validate before or after the user signs in, so Plumbline sends the request in a signed-in session or signs the user in, and judges the final response.'
const emptyIsAbsent = `A parameter without a value counts as absent (RFC 6749, 3.1). ${lateValidation}`
const anywhere = `Without a known application and its redirect URI, a page is a refusal, too. ${lateValidation}`
const exact = `A page with status 400 and an error redirect are both refusals; an error redirect to the altered redirect URI is a note. ${lateValidation}`
const unlisted = (part: string) =>
  `The specification does not list the ${part} among the parts that must match, but an exact match includes every part. ${exact}`

/** Requests that must return no code. error-name-statements.ts has the errors of their refusals. */
export const requestStatements = {
  'AUTHZ-RESPONSE-TYPE-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request without `response_type` returns no code.',
    ambiguity: lateValidation,
  },
  'AUTHZ-RESPONSE-TYPE': {
    section,
    level: 'must',
    statement:
      'A request with `response_type=token` (the implicit flow), or with an unknown `response_type`, returns neither token nor code.',
    ambiguity: lateValidation,
  },
  'AUTHZ-RESPONSE-TYPE-ID-TOKEN': {
    section,
    level: 'must',
    statement: 'A request with `response_type=id_token` returns neither token nor code.',
    ambiguity: lateValidation,
  },
  'AUTHZ-RESPONSE-TYPE-HYBRID': {
    section,
    level: 'must',
    statement: 'A request with `response_type=code id_token` or `code token` returns neither token nor code.',
    ambiguity: lateValidation,
  },
  'AUTHZ-RESPONSE-TYPE-NONE': {
    section: 'Errors: Authorization endpoint',
    level: 'silent',
    statement: 'The response to `response_type=none` is not specified.',
    reason: 'The specification neither requires nor forbids this response type, so Plumbline never sends it',
  },
  'AUTHZ-CLIENT-ID-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request without `client_id` returns no code.',
    ambiguity: anywhere,
  },
  'AUTHZ-CLIENT-ID-UNKNOWN': {
    section,
    level: 'must',
    statement: 'A request with an unknown `client_id` returns no code: it has no registered redirect URI.',
    ambiguity: `No error is documented for it, so any refusal passes. ${lateValidation}`,
  },
  'AUTHZ-REDIRECT-URI-REQUIRED': {
    section,
    level: 'must',
    statement:
      'A request without `redirect_uri` returns no code, even if only one redirect URI is registered.',
    ambiguity: anywhere,
  },
  'AUTHZ-REDIRECT-URI-SCHEME': {
    section,
    level: 'must',
    statement: 'A redirect URI whose scheme differs from the registered one receives no code.',
    ambiguity: exact,
  },
  'AUTHZ-REDIRECT-URI-HOST': {
    section,
    level: 'must',
    statement:
      'A redirect URI whose host differs from the registered one receives no code, even if one is a subdomain of the other.',
    ambiguity: exact,
  },
  'AUTHZ-REDIRECT-URI-PORT': {
    section,
    level: 'must',
    statement: 'A redirect URI whose port differs from the registered one receives no code.',
    ambiguity: exact,
  },
  'AUTHZ-REDIRECT-URI-PATH': {
    section,
    level: 'must',
    statement:
      'A redirect URI whose path differs from the registered one receives no code, even if it contains a dot segment or a second slash.',
    ambiguity: exact,
  },
  'AUTHZ-REDIRECT-URI-PATH-CASE': {
    section,
    level: 'must',
    statement: 'A redirect URI whose path differs from the registered one by letter case receives no code.',
    ambiguity: exact,
  },
  'AUTHZ-REDIRECT-URI-TRAILING-SLASH': {
    section,
    level: 'must',
    statement: 'A redirect URI that differs from the registered one by a trailing slash receives no code.',
    ambiguity: exact,
  },
  'AUTHZ-REDIRECT-URI-SPELLING': {
    section,
    level: 'must',
    statement:
      'A redirect URI that spells the registered one differently receives no code: with its host in a different letter case, the standard port, a percent-encoded letter, or a redundant dot segment.',
    ambiguity: `Such URIs are equivalent (RFC 3986, 6.2.2 and 6.2.3), but an exact match compares the text, as RFC 6749, 3.1.2.3 does. ${exact}`,
  },
  'AUTHZ-REDIRECT-URI-QUERY': {
    section,
    level: 'must',
    statement: 'A redirect URI with a query that is not registered receives no code.',
    ambiguity: unlisted('query'),
  },
  'AUTHZ-REDIRECT-URI-USER': {
    section,
    level: 'must',
    statement: 'A redirect URI with a user name that is not registered receives no code.',
    ambiguity: unlisted('user name'),
  },
  'AUTHZ-REDIRECT-URI-FRAGMENT': {
    section,
    level: 'must',
    statement: 'A redirect URI with a fragment that is not registered receives no code.',
    ambiguity: unlisted('fragment'),
  },
  'AUTHZ-REDIRECT-URI-OTHER-CLIENT': {
    section,
    level: 'must',
    statement: 'A redirect URI that is registered for another application only receives no code.',
    ambiguity: `A registered value is one of the application in \`client_id\`. ${exact}`,
  },
  'AUTHZ-SCOPE-ORDER': {
    section,
    level: 'must',
    statement: 'A request whose scope contains `openid`, but not as the first scope, returns a code.',
    ambiguity: 'The order of scopes has no meaning (RFC 6749, 3.3).',
  },
  'AUTHZ-SCOPE-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request without `scope` returns no code.',
    ambiguity: lateValidation,
  },
  'AUTHZ-OPENID-SCOPE': {
    section,
    level: 'must',
    statement: 'A scope without `openid` returns no code, even if `openid` is part of a longer word.',
    ambiguity: lateValidation,
  },
  'AUTHZ-STATE-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request without `state`, or with an empty one, returns no code.',
    ambiguity: lateValidation,
  },
  'AUTHZ-NONCE-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request without `nonce`, or with an empty one, returns no code.',
    ambiguity: lateValidation,
  },
  'AUTHZ-PKCE-REQUIRED': {
    section: 'Authentication, 1',
    level: 'must',
    statement:
      'A request of any application without PKCE, neither `code_challenge` nor `code_challenge_method`, returns no code, also with `prompt=none`.',
    ambiguity: lateValidation,
  },
  'AUTHZ-CHALLENGE-REQUIRED': {
    section,
    level: 'must',
    statement:
      'A request of any application with `code_challenge_method` but without `code_challenge`, or with an empty one, returns no code.',
    ambiguity: emptyIsAbsent,
  },
  'AUTHZ-CHALLENGE-METHOD-REQUIRED': {
    section,
    level: 'must',
    statement:
      'A request with `code_challenge` but without `code_challenge_method` returns no code: no method is assumed.',
    ambiguity: lateValidation,
  },
  'AUTHZ-PKCE-S256-ONLY': {
    section: 'Authentication, 1',
    level: 'must',
    statement:
      'A request of any application with a challenge method other than S256, such as `plain` or `s256`, returns no code.',
    ambiguity: lateValidation,
  },
  'AUTHZ-MALFORMED': {
    section: 'Errors: Authorization endpoint',
    level: 'silent',
    statement: 'Which parameters count as malformed is not specified.',
    ambiguity:
      'A target may refuse a `code_challenge` that is too short at once, or accept no verifier for it: recorded.',
  },
  'AUTHZ-LEVEL-OPTIONAL': {
    section,
    level: 'must',
    statement: 'A request without an authentication level returns a code.',
    ambiguity: 'The check is inconclusive if the request ends at a page, which may ask for a level.',
  },
} as const satisfies Record<string, Requirement>
