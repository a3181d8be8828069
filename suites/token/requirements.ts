import { defineArea } from '../../src/check/catalogue.ts'

const exchange = 'Token: code exchange'
const refresh = 'Token: refresh'
const response = 'Token response'
const errors = 'Errors: Token endpoint'

export const { check } = defineArea('token', 'Token endpoint', {
  'TOKEN-CODE-EXCHANGE': {
    section: exchange,
    level: 'must',
    statement: 'A code, its verifier, its redirect URI and the client credentials bring an access token.',
    ambiguity: '401 for the own client is a matter of configuration until shown otherwise.',
  },
  'TOKEN-RESPONSE-SHAPE': {
    section: response,
    level: 'must',
    statement:
      'Members of a token response have the documented types; expires_in is a whole number of seconds.',
  },
  'TOKEN-TYPE-BEARER': {
    section: response,
    level: 'must',
    statement: 'token_type is bearer.',
    ambiguity: 'Names of token types do not depend on case (RFC 6749, 5.1); the casing seen is a note.',
  },
  'TOKEN-REFRESH-TOKEN-ISSUED': {
    section: response,
    level: 'must',
    statement: 'A code exchange brings a refresh token.',
  },
  'TOKEN-ID-TOKEN-ISSUED': {
    section: response,
    level: 'must',
    statement: 'A code exchange brings an ID token.',
  },
  'TOKEN-CODE-SINGLE-USE': {
    section: errors,
    level: 'must',
    statement: 'A code that was used is refused with 400 and invalid_grant.',
  },
  'TOKEN-CODE-VERIFIER': {
    section: exchange,
    level: 'must',
    statement: 'A code is worth nothing without the verifier of its challenge.',
    ambiguity:
      'No error name is documented for a wrong verifier: being refused is required, the name is recorded.',
  },
  'TOKEN-REDIRECT-URI-MATCH': {
    section: errors,
    level: 'must',
    statement:
      'A code exchange with another redirect URI than the authorization request is refused with 400 and invalid_grant.',
  },
  'TOKEN-CODE-OTHER-CLIENT': {
    section: exchange,
    level: 'must',
    statement: 'A code that was issued to one application is worth nothing to another.',
    ambiguity: 'No error is documented for this case; being refused is required.',
  },
  'TOKEN-MISSING-PARAMETER': {
    section: errors,
    level: 'must',
    statement: 'A request that lacks a required parameter is refused with 400 and invalid_request.',
  },
  'TOKEN-DUPLICATE-PARAMETER': {
    section: errors,
    level: 'must',
    statement: 'A request that repeats a parameter is refused with 400 and invalid_request.',
  },
  'TOKEN-GRANT-UNSUPPORTED': {
    section: errors,
    level: 'must',
    statement: 'The grant client_credentials is refused with 400 and unsupported_grant_type.',
  },
  'TOKEN-GRANT-UNAUTHORIZED': {
    section: errors,
    level: 'must',
    statement: 'A grant that the client is not permitted is refused with 400 and unauthorized_client.',
  },
  'TOKEN-ERROR-BODY': {
    section: errors,
    level: 'must',
    statement: 'An error of the token endpoint is a JSON body with error and error_description.',
  },
  'TOKEN-CLIENT-AUTH-METHOD': {
    section: 'Authentication, 2',
    level: 'must',
    statement:
      'Only the configured method authenticates a client; the other one is refused with 401 and invalid_client.',
  },
  'TOKEN-CLIENT-SECRET': {
    section: errors,
    level: 'must',
    statement: 'A wrong client secret is refused with 401 and invalid_client.',
  },
  'TOKEN-REFRESH': {
    section: refresh,
    level: 'must',
    statement: 'A refresh token brings a new access token.',
  },
  'TOKEN-REFRESH-OLD-REFUSED': {
    section: errors,
    level: 'must',
    statement: 'A refresh token that was rotated away is refused with 400 and invalid_grant.',
    ambiguity:
      'Rotating, repeating and omitting the refresh token are all lawful; only a rotated one is tried.',
  },
  'TOKEN-REFRESH-RACE': {
    section: refresh,
    level: 'must',
    statement:
      'Of refreshes at the same time with one token, each is answered with tokens or with 400 and invalid_grant.',
    ambiguity: 'Any split between winners and losers is lawful and is recorded.',
  },
  'TOKEN-REFRESH-ROTATION': {
    section: refresh,
    level: 'silent',
    statement: 'Whether a refresh rotates, repeats or omits the refresh token is left open.',
  },
})
