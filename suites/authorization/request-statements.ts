import type { Requirement } from '../../src/check/requirement.ts'

const section = 'Authorization'
const lateValidation =
  'A target may validate before or after the user signs in, so the request is sent in a signed-in session and judged where it ends.'
const anywhere = `Without a known application and its redirect URI, an error need not be sent anywhere: a page is a refusal, too. ${lateValidation}`
const exact = `A page with status 400 and an error redirect are both refusals; an error redirect to the altered redirect URI is a note. ${lateValidation}`
const unlisted = (part: string) =>
  `The specification does not list the ${part} among the parts that must match, but an exact match includes every part. ${exact}`

/** Which authorization requests return nothing. How they are refused is in error-name-statements.ts. */
export const requestStatements = {
  'AUTHZ-RESPONSE-TYPE-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request without response_type returns no code.',
    ambiguity: lateValidation,
  },
  'AUTHZ-RESPONSE-TYPE': {
    section,
    level: 'must',
    statement: 'The implicit flow is unsupported: response_type=token returns neither token nor code.',
    ambiguity: lateValidation,
  },
  'AUTHZ-RESPONSE-TYPE-ID-TOKEN': {
    section,
    level: 'must',
    statement: 'response_type=id_token returns neither token nor code.',
    ambiguity: lateValidation,
  },
  'AUTHZ-RESPONSE-TYPE-HYBRID': {
    section,
    level: 'must',
    statement: 'response_type=code id_token returns neither token nor code.',
    ambiguity: lateValidation,
  },
  'AUTHZ-RESPONSE-TYPE-NONE': {
    section: 'Errors: Authorization endpoint',
    level: 'silent',
    statement: 'The outcome of response_type=none is not shown; it is only not called unsupported.',
    reason: 'It is neither required nor forbidden, so Plumbline never sends it.',
  },
  'AUTHZ-CLIENT-ID-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request without client_id returns no code.',
    ambiguity: anywhere,
  },
  'AUTHZ-CLIENT-ID-UNKNOWN': {
    section,
    level: 'must',
    statement:
      'A client_id that belongs to no application returns no code: it has no registered redirect URI.',
    ambiguity: `No error is documented for it, so any refusal passes. ${lateValidation}`,
  },
  'AUTHZ-REDIRECT-URI-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request without redirect_uri returns no code, even if only one is registered.',
    ambiguity: anywhere,
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
      'A redirect URI with another host than the registered one receives no code, even if one is a subdomain of the other.',
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
    statement:
      'A redirect URI with another path than the registered one receives no code, even if a dot segment is part of it.',
    ambiguity: exact,
  },
  'AUTHZ-REDIRECT-URI-PATH-CASE': {
    section,
    level: 'must',
    statement: 'A redirect URI whose path differs in letter case from the registered one receives no code.',
    ambiguity: exact,
  },
  'AUTHZ-REDIRECT-URI-TRAILING-SLASH': {
    section,
    level: 'must',
    statement: 'A redirect URI that differs in a trailing slash from the registered one receives no code.',
    ambiguity: exact,
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
  'AUTHZ-SCOPE-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request without scope returns no code.',
    ambiguity: lateValidation,
  },
  'AUTHZ-OPENID-SCOPE': {
    section,
    level: 'must',
    statement: 'A scope without openid returns no code, even if openid is part of a longer word.',
    ambiguity: lateValidation,
  },
  'AUTHZ-STATE-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request without state returns no code.',
    ambiguity: lateValidation,
  },
  'AUTHZ-NONCE-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request without nonce returns no code.',
    ambiguity: lateValidation,
  },
  'AUTHZ-PKCE-REQUIRED': {
    section: 'Authentication, 1',
    level: 'must',
    statement: 'A request without PKCE, neither code_challenge nor code_challenge_method, returns no code.',
    ambiguity: lateValidation,
  },
  'AUTHZ-CHALLENGE-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request with code_challenge_method but without code_challenge returns no code.',
    ambiguity: lateValidation,
  },
  'AUTHZ-CHALLENGE-METHOD-REQUIRED': {
    section,
    level: 'must',
    statement:
      'A request with code_challenge but without code_challenge_method returns no code: no method is assumed.',
    ambiguity: lateValidation,
  },
  'AUTHZ-PKCE-S256-ONLY': {
    section: 'Authentication, 1',
    level: 'must',
    statement: 'S256, in upper case, is the only challenge method: plain and s256 return no code.',
    ambiguity: lateValidation,
  },
  'AUTHZ-MALFORMED': {
    section: 'Errors: Authorization endpoint',
    level: 'silent',
    statement: 'Which parameters count as malformed is not shown.',
    ambiguity:
      'A code_challenge that is too short may be refused at once, or no verifier may ever match it: recorded.',
  },
  'AUTHZ-LEVEL-OPTIONAL': {
    section,
    level: 'must',
    statement: 'A request without an authentication level returns a code.',
    ambiguity: 'Inconclusive if the request ends at a page, which may ask for a level.',
  },
} as const satisfies Record<string, Requirement>
