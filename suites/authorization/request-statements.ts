import { must, type Requirement, silent } from '../../src/check/requirement.ts'

const section = 'Authorization'
const lateValidation =
  'A target may validate before or after the user signs in, so Plumbline sends the request in a signed-in session or signs the user in, and judges the final response.'
const emptyIsAbsent = `A parameter without a value counts as absent (RFC 6749, 3.1). ${lateValidation}`
const anywhere = `Without a known application and its redirect URI, a page is a refusal, too. ${lateValidation}`
const exact = `A page with status 400 and an error redirect are both refusals; an error redirect to the altered redirect URI passes too, with a note. ${lateValidation}`
const unlisted = (part: string) =>
  `The specification does not list the ${part} among the parts that must match, but an exact match includes every part. ${exact}`

/** Requests that must return no code. error-name-statements.ts has the errors of their refusals. */
export const requestStatements = {
  'AUTHZ-RESPONSE-TYPE-REQUIRED': must(
    section,
    'A request without `response_type` returns no code.',
    lateValidation,
  ),
  'AUTHZ-RESPONSE-TYPE': must(
    section,
    'A request with `response_type=token` (the implicit flow), or with an unknown `response_type`, returns neither token nor code.',
    lateValidation,
  ),
  'AUTHZ-RESPONSE-TYPE-ID-TOKEN': must(
    section,
    'A request with `response_type=id_token` returns neither token nor code.',
    lateValidation,
  ),
  'AUTHZ-RESPONSE-TYPE-HYBRID': must(
    section,
    'A request with `response_type=code id_token` or `code token` returns neither token nor code.',
    lateValidation,
  ),
  'AUTHZ-RESPONSE-TYPE-NONE': {
    ...silent('Errors: Authorization endpoint', 'The response to `response_type=none` is not specified.'),
    reason:
      'The specification neither requires nor forbids `response_type=none`, so Plumbline never sends it',
  },
  'AUTHZ-CLIENT-ID-REQUIRED': must(section, 'A request without `client_id` returns no code.', anywhere),
  'AUTHZ-CLIENT-ID-UNKNOWN': must(
    section,
    'A request with an unknown `client_id` returns no code: no redirect URI is registered for it.',
    `No error is documented for this case, so any refusal passes. ${lateValidation}`,
  ),
  'AUTHZ-REDIRECT-URI-REQUIRED': must(
    section,
    'A request without `redirect_uri` returns no code, even if only one redirect URI is registered.',
    anywhere,
  ),
  'AUTHZ-REDIRECT-URI-SCHEME': must(
    section,
    'A redirect URI whose scheme differs from the registered one receives no code.',
    exact,
  ),
  'AUTHZ-REDIRECT-URI-HOST': must(
    section,
    'A redirect URI whose host differs from the registered one receives no code, even if one is a subdomain of the other.',
    exact,
  ),
  'AUTHZ-REDIRECT-URI-PORT': must(
    section,
    'A redirect URI whose port differs from the registered one receives no code.',
    exact,
  ),
  'AUTHZ-REDIRECT-URI-PATH': must(
    section,
    'A redirect URI whose path differs from the registered one receives no code, even if the difference is only a dot segment or a second slash.',
    exact,
  ),
  'AUTHZ-REDIRECT-URI-PATH-CASE': must(
    section,
    'A redirect URI whose path differs from the registered one by letter case receives no code.',
    exact,
  ),
  'AUTHZ-REDIRECT-URI-TRAILING-SLASH': must(
    section,
    'A redirect URI that differs from the registered one by a trailing slash receives no code.',
    exact,
  ),
  'AUTHZ-REDIRECT-URI-SPELLING': must(
    section,
    'A different spelling of the registered redirect URI receives no code: its host in a different letter case, the standard port, a percent-encoded letter, or a redundant dot segment.',
    `Such URIs are equivalent (RFC 3986, 6.2.2 and 6.2.3), but an exact match compares the text, as RFC 6749, 3.1.2.3 does. ${exact}`,
  ),
  'AUTHZ-REDIRECT-URI-QUERY': must(
    section,
    'A redirect URI with a query that is not registered receives no code.',
    unlisted('query'),
  ),
  'AUTHZ-REDIRECT-URI-USER': must(
    section,
    'A redirect URI with a user name that is not registered receives no code.',
    unlisted('user name'),
  ),
  'AUTHZ-REDIRECT-URI-FRAGMENT': must(
    section,
    'A redirect URI with a fragment that is not registered receives no code.',
    unlisted('fragment'),
  ),
  'AUTHZ-REDIRECT-URI-OTHER-CLIENT': must(
    section,
    'A redirect URI that is registered only for another application receives no code.',
    `A redirect URI counts as registered only if it is registered for the application in \`client_id\`. ${exact}`,
  ),
  'AUTHZ-SCOPE-ORDER': must(
    section,
    'A request whose scope contains `openid`, but not as the first scope, returns a code.',
    'The order of scopes has no meaning (RFC 6749, 3.3).',
  ),
  'AUTHZ-SCOPE-REQUIRED': must(section, 'A request without `scope` returns no code.', lateValidation),
  'AUTHZ-OPENID-SCOPE': must(
    section,
    'A request whose scope lacks `openid` returns no code, even if a longer word in the scope contains `openid`.',
    lateValidation,
  ),
  'AUTHZ-STATE-REQUIRED': must(
    section,
    'A request without `state`, or with an empty one, returns no code.',
    lateValidation,
  ),
  'AUTHZ-NONCE-REQUIRED': must(
    section,
    'A request without `nonce`, or with an empty one, returns no code.',
    lateValidation,
  ),
  'AUTHZ-PKCE-REQUIRED': must(
    'Authentication, 1',
    'No application receives a code for a request without PKCE (neither `code_challenge` nor `code_challenge_method`), even with `prompt=none`.',
    lateValidation,
  ),
  'AUTHZ-CHALLENGE-REQUIRED': must(
    section,
    'No application receives a code for a request with `code_challenge_method`, but without `code_challenge` or with an empty one.',
    emptyIsAbsent,
  ),
  'AUTHZ-CHALLENGE-METHOD-REQUIRED': must(
    section,
    'A request with `code_challenge` but without `code_challenge_method` returns no code: no method is assumed.',
    lateValidation,
  ),
  'AUTHZ-PKCE-S256-ONLY': must(
    'Authentication, 1',
    'No application receives a code for a request with a challenge method other than S256, such as `plain` or `s256`.',
    lateValidation,
  ),
  'AUTHZ-MALFORMED': silent(
    'Errors: Authorization endpoint',
    'Which parameters count as malformed is not specified.',
    'A target may immediately refuse a `code_challenge` that is too short, or accept it and later refuse every `code_verifier`; the check records the response.',
  ),
  'AUTHZ-LEVEL-OPTIONAL': must(
    section,
    'A request without an authentication level returns a code.',
    'The check is inconclusive if the request ends at a page, which may ask for a level.',
  ),
} as const satisfies Record<string, Requirement>
