import { defineArea } from '../../src/check/catalogue.ts'
import { fixtures } from '../../src/check/fixtures.ts'
import { must, type Requirement, silent } from '../../src/check/requirement.ts'
import { refreshStatements } from './refresh-statements.ts'
import { refusalErrorStatements, refusedOnly } from './refusals.ts'
import { TokenErrors } from './token-errors.ts'

const exchange = 'Token: code exchange'
const response = 'Token response'
const errors = 'Errors: Token endpoint'
const authentication = 'Authentication, 2'

const longerPathFirst =
  'TOKEN-REDIRECT-URI-MATCH-ERROR judges status and error. TOKEN-REDIRECT-URI-MATCH judges a redirect URI with a longer path: if the target accepts the longer path, this requirement is inconclusive.'

const area = {
  name: 'token',
  title: 'Token endpoint',
  order: 4,
  host: 'identity-provider',
  needs: ['application'],
} as const

const requirements = {
  // Token response
  'TOKEN-SCOPE': must(
    response,
    'The `scope` of a token response, if present, is a non-empty string.',
    'RFC 6749, 5.1 allows its absence if all requested scopes were granted: absence is a note.',
  ),
  'TOKEN-SCOPE-SEPARATOR': must(
    response,
    'Several scopes in a token response are separated by single spaces.',
    'Which scopes are granted is not specified; only their separation is judged.',
  ),
  'TOKEN-TYPE-BEARER': must(
    response,
    'The `token_type` of a token response is `bearer`.',
    'Token types are case-insensitive (RFC 6749, 5.1); capital letters are a note.',
  ),
  'TOKEN-EXPIRES-IN': must(
    response,
    'The `expires_in` of a token response is a positive whole number of seconds.',
  ),
  'TOKEN-REFRESH-TOKEN-ISSUED': must(response, 'A code exchange returns a refresh token.'),
  'TOKEN-ID-TOKEN-ISSUED': must(response, 'A code exchange returns an ID token.'),

  'TOKEN-LATER': must(
    response,
    'Every later token response of the run follows the rules for the first one: `token_type`, `expires_in` and `scope`, and after a code exchange `id_token` and `refresh_token`.',
    'The check judges all token responses at the end of the run, for both applications. It omits rules that the first code exchange or the first refresh violates: other requirements judge those. An absent `refresh_token` is judged only for the first application, since the second one may lack the grant.',
  ),

  // Token: code exchange
  'TOKEN-CODE-EXCHANGE': must(
    exchange,
    'A valid code exchange returns 200 and an access token.',
    'A 401 for the configured client counts as wrong configuration, unless other requests show that the configuration is right. A target may lock the client for a while after failed authentications: such a refusal is only a note. If the target accepts the client at first and later refuses it without a possible lock, the check is inconclusive. The check judges all valid exchanges of the run whose code was the newest and less than 20 s old, including those of the second application.',
  ),
  'TOKEN-ACCEPT-OPTIONAL': must(exchange, 'A code exchange without an Accept header succeeds.'),
  'TOKEN-VERIFIER-WRONG': must(
    exchange,
    'A code exchange with the `code_verifier` of another request is refused, for every application.',
    refusedOnly,
  ),
  'TOKEN-VERIFIER-PLAIN': must(
    exchange,
    'A code exchange with the `code_challenge` as its `code_verifier` (method `plain`) is refused.',
    refusedOnly,
  ),
  'TOKEN-VERIFIER-MISSING': must(
    exchange,
    'A code exchange without `code_verifier`, or with an empty one, is refused.',
    'This requirement judges only whether the request is refused. TOKEN-MISSING-CODE-VERIFIER judges the status and error of the refusal.',
  ),
  'TOKEN-CODE-OTHER-CLIENT': must(
    exchange,
    'A code that was issued to another application is refused.',
    refusedOnly,
  ),
  'TOKEN-CODE-UNKNOWN': must(exchange, 'A code that was never issued is refused.', refusedOnly),

  // Authentication, 2
  'TOKEN-CLIENT-AUTH-METHOD': must(
    authentication,
    'A code exchange with the client authentication method that is not registered for the client is refused.',
  ),
  'TOKEN-CLIENT-AUTH-MISSING': must(authentication, 'A code exchange without client credentials is refused.'),
  'TOKEN-CLIENT-SECRET-MISSING': must(
    authentication,
    'A code exchange with a `client_id` and no secret is refused.',
  ),
  'TOKEN-CLIENT-SECRET-EMPTY': must(
    authentication,
    'A code exchange with an empty client secret is refused.',
  ),
  'TOKEN-CLIENT-UNKNOWN': must(authentication, 'A code exchange by a client that does not exist is refused.'),
  'TOKEN-CLIENT-SECRET': must(
    errors,
    'A code exchange with a wrong client secret is refused, for every application.',
  ),
  'TOKEN-CLIENT-SECRET-EXPIRED': {
    ...must(errors, 'An expired client secret is refused with 401 and `invalid_client`.'),
    reason: 'The provider sets the day on which a secret expires, and a check cannot change that day',
  },
  'TOKEN-CLIENT-AUTH-BOTH': silent(
    authentication,
    'The response to a request with both client authentication methods is not specified (RFC 6749, 2.3 forbids clients to use both).',
  ),

  // Errors: Token endpoint
  'TOKEN-MISSING-GRANT-TYPE': must(errors, 'A code exchange without `grant_type` is refused.'),
  'TOKEN-MISSING-CODE': must(errors, 'A code exchange without `code` is refused.'),
  'TOKEN-MISSING-REDIRECT-URI': must(errors, 'A code exchange without `redirect_uri` is refused.'),
  'TOKEN-MISSING-CODE-VERIFIER': must(
    errors,
    'The refusal of a code exchange without `code_verifier` has status 400 and the error `invalid_request`.',
    'A failed verification is an `invalid_grant` (RFC 7636, 4.6), which passes as well. TOKEN-VERIFIER-MISSING judges whether the request is refused.',
  ),
  'TOKEN-MISSING-REFRESH-TOKEN': must(errors, 'A refresh without `refresh_token` is refused.'),
  'TOKEN-DUPLICATE-GRANT-TYPE': must(errors, 'A code exchange with `grant_type` twice is refused.'),
  'TOKEN-DUPLICATE-CODE': must(errors, 'A code exchange with `code` twice is refused.'),
  'TOKEN-DUPLICATE-REDIRECT-URI': must(errors, 'A code exchange with `redirect_uri` twice is refused.'),
  'TOKEN-DUPLICATE-CODE-VERIFIER': must(errors, 'A code exchange with `code_verifier` twice is refused.'),
  'TOKEN-DUPLICATE-REFRESH-TOKEN': must(errors, 'A refresh with `refresh_token` twice is refused.'),
  'TOKEN-DUPLICATE-DIFFERENT': must(
    errors,
    'A code exchange with two different values of every parameter, or with `client_id` twice, is refused.',
    'The first value of each parameter is valid. If the target accepts a parameter that is repeated with the same value, this check does not judge different values: only the requirements for equal values are violated.',
  ),
  'TOKEN-BODY-JSON': must(errors, 'A code exchange with a JSON body in place of a form is refused.'),
  'TOKEN-BODY-MALFORMED': must(errors, 'A token request whose body is not a valid form is refused.'),
  'TOKEN-CODE-SINGLE-USE': must(
    errors,
    'A code that was already exchanged is refused, for every application.',
  ),
  'TOKEN-CODE-EXPIRED': must(
    errors,
    'An expired code is refused with 400 and `invalid_grant`.',
    'The lifetime of codes is not specified: a code that is CODE_LIFETIME old and still accepted is a note.',
  ),
  'TOKEN-REDIRECT-URI-MATCH': must(
    errors,
    'A code exchange whose redirect URI differs from that of the authorization request is refused.',
  ),
  'TOKEN-REDIRECT-URI-HOST': must(
    errors,
    'A code exchange whose redirect URI has a different host is refused.',
    longerPathFirst,
  ),
  'TOKEN-REDIRECT-URI-SCHEME': must(
    errors,
    'A code exchange whose redirect URI has a different scheme is refused.',
    longerPathFirst,
  ),
  'TOKEN-REDIRECT-URI-PORT': must(
    errors,
    'A code exchange whose redirect URI has a different port is refused.',
    longerPathFirst,
  ),
  'TOKEN-REDIRECT-URI-QUERY': must(
    errors,
    'A code exchange whose redirect URI has a different query is refused.',
    longerPathFirst,
  ),
  'TOKEN-REDIRECT-URI-TRAILING-SLASH': must(
    errors,
    'A code exchange whose redirect URI differs by a trailing slash is refused.',
    longerPathFirst,
  ),
  'TOKEN-REDIRECT-URI-CASE': must(
    errors,
    'A code exchange whose redirect URI differs by the letter case of its path is refused.',
    longerPathFirst,
  ),
  'TOKEN-REFRESH-OLD-REFUSED': must(
    errors,
    'A refresh token that an earlier refresh replaced is refused.',
    'A refresh may rotate, repeat or omit the refresh token. At the end of the run, the check sends a token that an earlier refresh replaced. If the target accepts the token, a grace period of unspecified length may be the reason. With ENABLE=slow, Plumbline then sends the token again a minute after it was replaced. Without ENABLE=slow, the verdict is inconclusive.',
  ),
  'TOKEN-REFRESH-REVOKED': {
    ...must(errors, 'A revoked refresh token is refused with 400 and `invalid_grant`.'),
    reason: 'The interface has no way to revoke a token',
  },
  'TOKEN-GRANT-UNAUTHORIZED': must(
    errors,
    'A grant type that the client may not use is refused with 400 and `unauthorized_client`.',
    'The check sends a refresh with a token that was never issued, for an application that may not refresh. So `invalid_grant` passes as well.',
  ),
  'TOKEN-GRANT-CLIENT-CREDENTIALS': must(
    errors,
    'The grant `client_credentials` is refused with 400 and `unsupported_grant_type`.',
    'A token in the response is a finding of PLATFORM-MACHINE-TO-MACHINE.',
  ),
  'TOKEN-GRANT-PASSWORD': must(errors, 'The grant `password` is refused.'),
  'TOKEN-GRANT-UNKNOWN': must(errors, 'A grant type that does not exist is refused.'),
  'TOKEN-GRANT-OTHERS': silent(errors, 'Whether the grant of RFC 7523 is supported is not specified.'),
  ...refusalErrorStatements,
  'TOKEN-ERROR-JSON': must(
    errors,
    'Every refusal of the token endpoint is a JSON object with `error`.',
    'The check judges all refusals of the run with status 400 or 401. Another media type is a note.',
  ),
  'TOKEN-ERROR-STATUS': must(
    errors,
    'A refusal with a listed error has the status of that error: 401 with `invalid_client`, 400 with the others.',
    'The specification lists errors with their statuses, but not which error a wrong verifier, an unknown code or an unknown token leads to. For these requests, the checks accept any listed error, and judge only its status. Every other refusal has a requirement of its own.',
  ),
  'TOKEN-ERROR-DESCRIPTION': must(
    errors,
    'Every refusal of the token endpoint has `error_description`.',
    'The check judges all refusals of the run with status 400 or 401.',
  ),

  ...refreshStatements,
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(
  area,
  requirements,
  fixtures.extend('tokenErrors', (context) => new TokenErrors(context.run, context)),
)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
