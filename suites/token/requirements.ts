import { defineArea } from '../../src/check/catalogue.ts'
import type { Requirement } from '../../src/check/requirement.ts'

const exchange = 'Token: code exchange'
const refresh = 'Token: refresh'
const response = 'Token response'
const errors = 'Errors: Token endpoint'
const authentication = 'Authentication, 2'

const must = (section: string, statement: string, ambiguity?: string): Requirement => ({
  section,
  level: 'must',
  statement,
  ...(ambiguity !== undefined && { ambiguity }),
})
const silent = (section: string, statement: string): Requirement => ({ section, level: 'silent', statement })

const twoFaults =
  'A request without credentials lacks a parameter and fails to authenticate: 400 with invalid_request is taken as well.'
const refusedOnly = 'No error is documented for this case; being refused is required.'
const namedOnce =
  'Status and error are judged with a longer path (TOKEN-REDIRECT-URI-MATCH); where that is accepted as well, it is one finding.'
const sameRule = 'Judged where the code exchange keeps the rule: one that neither keeps is one finding.'

const area = {
  name: 'token',
  title: 'Token endpoint',
  order: 4,
  host: 'identity-provider',
} as const

const requirements = {
  // Token response
  'TOKEN-SCOPE': must(
    response,
    'scope of a token response is a string.',
    'Whether it is always there is not said, and RFC 6749, 5.1 lets it be absent where all was granted that was asked for: absence is a note.',
  ),
  'TOKEN-SCOPE-SEPARATOR': must(
    response,
    'Scopes in a token response are separated by single spaces.',
    'Which scopes are granted is not said; only their separation is judged.',
  ),
  'TOKEN-TYPE-BEARER': must(
    response,
    'token_type is bearer.',
    'Names of token types do not depend on case (RFC 6749, 5.1); the casing seen is a note.',
  ),
  'TOKEN-EXPIRES-IN': must(response, 'expires_in is a positive whole number of seconds.'),
  'TOKEN-REFRESH-TOKEN-ISSUED': must(response, 'A code exchange brings a refresh token.'),
  'TOKEN-ID-TOKEN-ISSUED': must(response, 'A code exchange brings an ID token.'),

  // Token: code exchange
  'TOKEN-CODE-EXCHANGE': must(
    exchange,
    'A code, its verifier, its redirect URI and the client credentials bring an access token.',
    '401 for the own client is a matter of configuration until shown otherwise.',
  ),
  'TOKEN-ACCEPT-OPTIONAL': must(exchange, 'A code exchange without an Accept header brings the same tokens.'),
  'TOKEN-VERIFIER-WRONG': must(
    exchange,
    'A code is worth nothing with another verifier than the one of its challenge.',
    'No error name is documented for a wrong verifier: being refused is required, the name is recorded.',
  ),
  'TOKEN-VERIFIER-PLAIN': must(
    exchange,
    'A code is worth nothing with its code_challenge in place of its verifier, as the method plain would have it.',
    refusedOnly,
  ),
  'TOKEN-VERIFIER-MISSING': must(exchange, 'A code is worth nothing without its verifier.'),
  'TOKEN-CODE-OTHER-CLIENT': must(
    exchange,
    'A code that was issued to one application is worth nothing to another.',
    refusedOnly,
  ),
  'TOKEN-CODE-UNKNOWN': must(exchange, 'A code that was never issued is worth nothing.', refusedOnly),

  // Authentication, 2
  'TOKEN-CLIENT-AUTH-METHOD': must(
    authentication,
    'Only the configured method authenticates a client; the other one is refused with 401 and invalid_client.',
  ),
  'TOKEN-CLIENT-AUTH-MISSING': must(
    authentication,
    'A code exchange without client credentials is refused with 401 and invalid_client.',
    twoFaults,
  ),
  'TOKEN-CLIENT-SECRET-MISSING': must(
    authentication,
    'A code exchange that names the client but brings no secret is refused with 401 and invalid_client.',
    twoFaults,
  ),
  'TOKEN-CLIENT-UNKNOWN': must(
    authentication,
    'A client that does not exist is refused with 401 and invalid_client.',
  ),
  'TOKEN-CLIENT-SECRET': must(errors, 'A wrong client secret is refused with 401 and invalid_client.'),
  'TOKEN-CLIENT-SECRET-EXPIRED': {
    ...must(errors, 'A client secret that has expired is refused with 401 and invalid_client.'),
    reason: 'Secrets expire at the provider, on a day no check can bring about',
  },
  'TOKEN-CLIENT-AUTH-BOTH': silent(
    authentication,
    'What becomes of a request with both methods at once is not said (RFC 6749, 2.3 forbids sending it).',
  ),

  // Errors: Token endpoint
  'TOKEN-MISSING-GRANT-TYPE': must(
    errors,
    'A request without grant_type is refused with 400 and invalid_request.',
  ),
  'TOKEN-MISSING-CODE': must(errors, 'A code exchange without code is refused with 400 and invalid_request.'),
  'TOKEN-MISSING-REDIRECT-URI': must(
    errors,
    'A code exchange without redirect_uri is refused with 400 and invalid_request.',
  ),
  'TOKEN-MISSING-CODE-VERIFIER': must(
    errors,
    'The refusal of a code exchange without code_verifier has status 400 and names invalid_request.',
    'RFC 7636, 4.6 calls a failed verification invalid_grant, which is taken as well.',
  ),
  'TOKEN-MISSING-REFRESH-TOKEN': must(
    errors,
    'A refresh without refresh_token is refused with 400 and invalid_request.',
  ),
  'TOKEN-DUPLICATE-GRANT-TYPE': must(
    errors,
    'A code exchange with grant_type twice is refused with 400 and invalid_request.',
  ),
  'TOKEN-DUPLICATE-CODE': must(
    errors,
    'A code exchange with code twice is refused with 400 and invalid_request.',
  ),
  'TOKEN-DUPLICATE-REDIRECT-URI': must(
    errors,
    'A code exchange with redirect_uri twice is refused with 400 and invalid_request.',
  ),
  'TOKEN-DUPLICATE-CODE-VERIFIER': must(
    errors,
    'A code exchange with code_verifier twice is refused with 400 and invalid_request.',
  ),
  'TOKEN-DUPLICATE-REFRESH-TOKEN': must(
    errors,
    'A refresh with refresh_token twice is refused with 400 and invalid_request.',
  ),
  'TOKEN-BODY-JSON': must(
    errors,
    'A JSON body in place of a form is refused with 400 and invalid_request.',
    'Another media type than the documented one may also be answered 415 (RFC 9110, 15.5.16), which is a note. Where credentials belong in the form, they are missing with it: invalid_client is taken as well.',
  ),
  'TOKEN-BODY-MALFORMED': must(
    errors,
    'A body of bytes that make no form is refused with 400 and invalid_request.',
    'Where credentials belong in the form, they are missing with it: invalid_client is taken as well.',
  ),
  'TOKEN-CODE-SINGLE-USE': must(errors, 'A code that was used is refused with 400 and invalid_grant.'),
  'TOKEN-CODE-EXPIRED': {
    ...must(errors, 'A code that has expired is refused with 400 and invalid_grant.'),
    reason: 'How long a code lives is not shown, so no wait is known to be long enough',
  },
  'TOKEN-REDIRECT-URI-MATCH': must(
    errors,
    'A code exchange with another redirect URI than the authorization request is refused with 400 and invalid_grant.',
  ),
  'TOKEN-REDIRECT-URI-TRAILING-SLASH': must(
    errors,
    'A code exchange is refused whose redirect URI differs by a trailing slash.',
    namedOnce,
  ),
  'TOKEN-REDIRECT-URI-CASE': must(
    errors,
    'A code exchange is refused whose redirect URI differs by the letter case of its path.',
    namedOnce,
  ),
  'TOKEN-REFRESH-OLD-REFUSED': must(
    errors,
    'A refresh token that was rotated away is refused with 400 and invalid_grant.',
    'Rotating, repeating and omitting the refresh token are all lawful; only a rotated one is tried, at the end of the run. For how long it may stay good is not said: a minute is allowed, which only ENABLE=slow waits for.',
  ),
  'TOKEN-REFRESH-REVOKED': {
    ...must(errors, 'A refresh token that was revoked is refused with 400 and invalid_grant.'),
    reason: 'The interface has no way to revoke a token',
  },
  'TOKEN-GRANT-UNAUTHORIZED': must(
    errors,
    'A grant that the client is not permitted is refused with 400 and unauthorized_client.',
    'The refresh token that is tried belongs to nobody, so invalid_grant is taken as well.',
  ),
  'TOKEN-GRANT-CLIENT-CREDENTIALS': must(
    errors,
    'The grant client_credentials is refused with 400 and unsupported_grant_type.',
  ),
  'TOKEN-GRANT-PASSWORD': must(errors, 'The grant password is refused with 400 and unsupported_grant_type.'),
  'TOKEN-GRANT-UNKNOWN': must(
    errors,
    'A grant type that does not exist is refused with 400 and unsupported_grant_type.',
  ),
  'TOKEN-GRANT-OTHERS': silent(
    errors,
    'Whether the grants of RFC 7523 and RFC 8628 are supported is not said.',
  ),
  'TOKEN-ERROR-JSON': must(
    errors,
    'Every refusal of the token endpoint is a JSON body with error.',
    'Judged on all refusals with status 400 and 401 that the run has met; their media type is a note.',
  ),
  'TOKEN-ERROR-DESCRIPTION': must(
    errors,
    'Every refusal of the token endpoint carries error_description.',
    'Judged on all refusals with status 400 and 401 that the run has met.',
  ),

  // Token: refresh
  'TOKEN-REFRESH': must(refresh, 'A refresh token brings an access token.'),
  'TOKEN-REFRESH-NEW': must(refresh, 'The access token of a refresh is a new one.'),
  'TOKEN-REFRESH-ROTATION': silent(
    refresh,
    'Whether a refresh rotates, repeats or omits the refresh token is left open.',
  ),
  'TOKEN-REFRESH-TOKEN-FORM': must(
    refresh,
    'The refresh token of a refresh, where there is one, is a non-empty string.',
    'A refresh may leave it out.',
  ),
  'TOKEN-REFRESH-NEWEST': must(
    refresh,
    'The newest refresh token works: the one a refresh brought, else the one before.',
    'Rotating, repeating and omitting the refresh token are all lawful.',
  ),
  'TOKEN-REFRESH-KEEP-NEWEST': {
    section: refresh,
    level: 'client',
    statement: 'A client keeps the newest refresh token it was given.',
    reason:
      'Plumbline keeps the tokens of its shared login in TokenKeeper (src/oauth/token-keeper.ts), shown by tests/oauth/token-keeper.test.ts',
  },
  'TOKEN-REFRESH-SCOPE': must(response, 'scope of a refresh is a string.', sameRule),
  'TOKEN-REFRESH-TYPE': must(response, 'token_type of a refresh is bearer.', sameRule),
  'TOKEN-REFRESH-EXPIRES-IN': must(
    response,
    'expires_in of a refresh is a positive whole number of seconds.',
    sameRule,
  ),
  'TOKEN-REFRESH-CLIENT-AUTH': must(
    refresh,
    'A refresh without client credentials is refused with 401 and invalid_client.',
    twoFaults,
  ),
  'TOKEN-REFRESH-SECRET-MISSING': must(
    refresh,
    'A refresh that names the client but brings no secret is refused with 401 and invalid_client.',
    twoFaults,
  ),
  'TOKEN-REFRESH-UNKNOWN': must(
    refresh,
    'A refresh token that was never issued is worth nothing.',
    refusedOnly,
  ),
  'TOKEN-REFRESH-OTHER-CLIENT': must(
    refresh,
    'A refresh token that was issued to one application is worth nothing to another.',
    refusedOnly,
  ),
  'TOKEN-REFRESH-RACE': must(
    refresh,
    'Of refreshes at the same time with one token, each is answered with tokens or with 400 and invalid_grant.',
    'Any split between winners and losers is lawful and is recorded.',
  ),
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(area, requirements)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
