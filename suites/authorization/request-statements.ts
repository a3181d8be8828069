import type { Requirement } from '../../src/check/requirement.ts'

const section = 'Authorization'
const lateValidation =
  'A provider may validate before or after the user signs in, so the request is made in a signed-in session and judged where it ends.'
const naming =
  'That nothing is issued is judged; an error name outside the document is drift and becomes a note.'
const ambiguity = `${lateValidation} ${naming}`
const anywhere =
  'Without a known application and its redirect URI there may be nowhere to send an error, so a page is a right answer; an error name is judged where one comes.'
const exact = `A refusal may be a 400 page, or an error redirect; an error that is sent to the altered address is a note, a code there is the violation. ${lateValidation}`

/** What an authorization request has to hold. */
export const requestStatements = {
  'AUTHZ-RESPONSE-TYPE-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request without response_type brings no code.',
    ambiguity: `Both invalid_request and unsupported_response_type describe it. ${ambiguity}`,
  },
  'AUTHZ-RESPONSE-TYPE': {
    section,
    level: 'must',
    statement:
      'The implicit flow is unsupported: response_type=token brings neither token nor code, but unsupported_response_type.',
    ambiguity,
  },
  'AUTHZ-RESPONSE-TYPE-ID-TOKEN': {
    section,
    level: 'must',
    statement: 'response_type=id_token brings neither token nor code, but unsupported_response_type.',
    ambiguity,
  },
  'AUTHZ-RESPONSE-TYPE-HYBRID': {
    section,
    level: 'must',
    statement: 'response_type=code id_token brings neither token nor code, but unsupported_response_type.',
    ambiguity,
  },
  'AUTHZ-RESPONSE-TYPE-NONE': {
    section: 'Errors: Authorization endpoint',
    level: 'silent',
    statement: 'What response_type=none brings is not shown; it is only not called unsupported.',
    reason: 'It is neither required nor forbidden, so it is never asked for.',
  },
  'AUTHZ-CLIENT-ID-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request without client_id brings no code.',
    ambiguity: `${anywhere} ${lateValidation}`,
  },
  'AUTHZ-CLIENT-ID-UNKNOWN': {
    section,
    level: 'must',
    statement:
      'A client_id that belongs to no application brings no code: it has no registered redirect URI.',
    ambiguity: `No error is documented for it, so only that nothing is issued is judged. ${lateValidation}`,
  },
  'AUTHZ-REDIRECT-URI-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request without redirect_uri brings no code, also where only one is registered.',
    ambiguity: `${anywhere} ${lateValidation}`,
  },
  'AUTHZ-REDIRECT-URI-SCHEME': {
    section,
    level: 'must',
    statement: 'A redirect URI with another scheme than the registered one receives no code.',
    ambiguity: exact,
  },
  'AUTHZ-REDIRECT-URI-HOST': {
    section,
    level: 'must',
    statement:
      'A redirect URI with another host than the registered one receives no code, also where one is below the other.',
    ambiguity: exact,
  },
  'AUTHZ-REDIRECT-URI-PORT': {
    section,
    level: 'must',
    statement: 'A redirect URI with another port than the registered one receives no code.',
    ambiguity: exact,
  },
  'AUTHZ-REDIRECT-URI-PATH': {
    section,
    level: 'must',
    statement: 'A redirect URI with another path than the registered one receives no code.',
    ambiguity: exact,
  },
  'AUTHZ-REDIRECT-URI-PATH-CASE': {
    section,
    level: 'must',
    statement: 'A redirect URI whose path has other letter case than the registered one receives no code.',
    ambiguity: exact,
  },
  'AUTHZ-REDIRECT-URI-TRAILING-SLASH': {
    section,
    level: 'must',
    statement: 'A redirect URI with a trailing slash more or less than the registered one receives no code.',
    ambiguity: exact,
  },
  'AUTHZ-REDIRECT-URI-QUERY': {
    section,
    level: 'must',
    statement: 'A redirect URI with a query that is not registered receives no code.',
    ambiguity: `The query is not among the parts the document lists, but a match that is exact leaves no part out. ${exact}`,
  },
  'AUTHZ-SCOPE-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request without scope brings no code.',
    ambiguity: `It lacks openid as well, so invalid_request and invalid_scope are both right. ${lateValidation}`,
  },
  'AUTHZ-OPENID-SCOPE': {
    section,
    level: 'must',
    statement: 'A scope without openid brings no code, also where openid is part of a longer word.',
    ambiguity: `Two error names are documented for it, invalid_request and invalid_scope: both are right. ${lateValidation}`,
  },
  'AUTHZ-SCOPE-INVALID': {
    section: 'Errors: Authorization endpoint',
    level: 'must',
    statement: 'A scope that is refused because it is invalid is called invalid_scope.',
    ambiguity:
      'An unknown scope may be dropped without an error, which is a note. To call it a malformed parameter (invalid_request) is understood and is a note as well.',
  },
  'AUTHZ-STATE-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request without state brings no code.',
    ambiguity,
  },
  'AUTHZ-NONCE-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request without nonce brings no code.',
    ambiguity,
  },
  'AUTHZ-PKCE-REQUIRED': {
    section: 'Authentication, 1',
    level: 'must',
    statement: 'A request without PKCE, neither challenge nor method, brings no code.',
    ambiguity,
  },
  'AUTHZ-CHALLENGE-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request that names a challenge method but has no code_challenge brings no code.',
    ambiguity,
  },
  'AUTHZ-CHALLENGE-METHOD-REQUIRED': {
    section,
    level: 'must',
    statement:
      'A request with a code_challenge but without code_challenge_method brings no code: no method is assumed.',
    ambiguity,
  },
  'AUTHZ-PKCE-S256-ONLY': {
    section: 'Authentication, 1',
    level: 'must',
    statement: 'S256 is the only challenge method, in capitals: plain and s256 bring no code.',
    ambiguity,
  },
  'AUTHZ-MALFORMED': {
    section: 'Errors: Authorization endpoint',
    level: 'silent',
    statement: 'What counts as a malformed parameter is not shown.',
    ambiguity:
      'A challenge that is too short may be refused at once, or only by a verifier that never matches: recorded.',
  },
  'AUTHZ-LEVEL-OPTIONAL': {
    section,
    level: 'must',
    statement: 'A request that asks for no authentication level is served.',
    ambiguity: 'Where it ends at a page, a level may be asked for behind it, and nothing is decided.',
  },
} as const satisfies Record<string, Requirement>
