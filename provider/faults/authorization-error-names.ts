import { withSurface } from '../alteration.ts'
import { SECOND_APPLICATION_ID } from '../deployment.ts'
import { editCallback } from '../edits.ts'
import { PATHS } from '../identity/paths.ts'
import { causes, editErrorOf, type QueryCondition } from './authorization-causes.ts'

/** A fault that returns a wrong error code for one cause. */
function misnamed(name: string, what: string, violates: string, cause: QueryCondition, error: string) {
  return {
    name,
    summary: `Returns the error \`${error}\` for ${what}.`,
    violates: [violates],
    alter: editErrorOf(cause, ({ searchParams }) => searchParams.set('error', error)),
  }
}

const wrongErrors = [
  misnamed(
    'missing-response-type-unlisted',
    'a request without `response_type`',
    'AUTHZ-RESPONSE-TYPE-REQUIRED-ERROR',
    causes.responseType,
    'missing_response_type',
  ),
  misnamed(
    'missing-state-unlisted',
    'a request without `state`',
    'AUTHZ-STATE-REQUIRED-ERROR',
    causes.state,
    'state_required',
  ),
  misnamed(
    'missing-nonce-renamed',
    'a request without `nonce`',
    'AUTHZ-NONCE-REQUIRED-ERROR',
    causes.nonce,
    'unauthorized_client',
  ),
  misnamed(
    'missing-pkce-renamed',
    'a request without PKCE',
    'AUTHZ-PKCE-REQUIRED-ERROR',
    causes.pkce,
    'invalid_grant',
  ),
  misnamed(
    'second-application-missing-pkce-unlisted',
    'a request of the second application without PKCE',
    'AUTHZ-PKCE-REQUIRED-ERROR',
    (query) => query.get('client_id') === SECOND_APPLICATION_ID && causes.pkce(query),
    'pkce_required',
  ),
  misnamed(
    'missing-challenge-unlisted',
    'a request without `code_challenge`',
    'AUTHZ-CHALLENGE-REQUIRED-ERROR',
    causes.challenge,
    'pkce_required',
  ),
  misnamed(
    'missing-challenge-method-unlisted',
    'a request without `code_challenge_method`',
    'AUTHZ-CHALLENGE-METHOD-REQUIRED-ERROR',
    causes.challengeMethod,
    'unsupported_challenge_method',
  ),
  misnamed(
    'plain-challenge-renamed',
    'the challenge method `plain`',
    'AUTHZ-PKCE-S256-ONLY-ERROR',
    causes.plain,
    'unauthorized_client',
  ),
  misnamed(
    'lower-case-method-unlisted',
    'the challenge method `s256`, in lower case',
    'AUTHZ-PKCE-S256-ONLY-ERROR',
    causes.lowerCaseMethod,
    'unsupported_challenge_method',
  ),
  misnamed(
    'missing-scope-renamed',
    'a request without `scope`',
    'AUTHZ-SCOPE-REQUIRED-ERROR',
    causes.scope,
    'access_denied',
  ),
  misnamed(
    'openid-error-renamed',
    'a scope without `openid`',
    'AUTHZ-OPENID-SCOPE-ERROR',
    causes.openid,
    'access_denied',
  ),
  misnamed(
    'openid-error-unlisted',
    'a scope without `openid`',
    'AUTHZ-OPENID-SCOPE-ERROR',
    causes.openid,
    'openid_required',
  ),
  misnamed(
    'token-error-renamed',
    '`response_type=token`',
    'AUTHZ-RESPONSE-TYPE-ERROR',
    causes.token,
    'invalid_request',
  ),
  misnamed(
    'token-error-unlisted',
    '`response_type=token`',
    'AUTHZ-RESPONSE-TYPE-ERROR',
    causes.token,
    'implicit_flow_disabled',
  ),
  misnamed(
    'id-token-error-unlisted',
    '`response_type=id_token`',
    'AUTHZ-RESPONSE-TYPE-ID-TOKEN-ERROR',
    causes.idToken,
    'invalid_response_type',
  ),
  misnamed(
    'token-without-pkce-unlisted',
    '`response_type=token` without PKCE',
    'AUTHZ-RESPONSE-TYPE-ERROR',
    (query) => causes.token(query) && !query.has('code_challenge'),
    'pkce_required',
  ),
  misnamed(
    'id-token-without-pkce-unlisted',
    '`response_type=id_token` without PKCE',
    'AUTHZ-RESPONSE-TYPE-ID-TOKEN-ERROR',
    (query) => causes.idToken(query) && !query.has('code_challenge'),
    'pkce_required',
  ),
  misnamed(
    'hybrid-error-renamed',
    '`response_type=code id_token`',
    'AUTHZ-RESPONSE-TYPE-HYBRID-ERROR',
    causes.hybrid,
    'invalid_request',
  ),
  {
    name: 'authorization-errors-of-one-name',
    summary: 'Returns the undocumented error `bad_request` for every refused authorization request.',
    violates: ['AUTHZ-PROMPT-NONE-ERROR'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.has('error')) searchParams.set('error', 'bad_request')
    }),
  },
  {
    name: 'response-type-error-renamed',
    summary: 'Returns the error `invalid_request` for every unsupported response type.',
    violates: ['AUTHZ-RESPONSE-TYPE-ERROR'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.get('error') === 'unsupported_response_type')
        searchParams.set('error', 'invalid_request')
    }),
  },
]

/** A fault that returns a wrong error code for a request without `parameter`, on a variant that redirects it. */
function misnamedWithout(
  parameter: 'client_id' | 'redirect_uri',
  variant: string,
  violates: string,
  error: string,
) {
  return {
    name: `missing-${parameter.replace('_', '-')}-as-${error.replaceAll('_', '-')}`,
    summary: `Returns the error \`${error}\` in a redirect for a request without \`${parameter}\`.`,
    violates: [violates],
    variants: [variant],
    alter: editCallback(({ searchParams }, { path, query }) => {
      if (path === PATHS.authorization && !query.has(parameter)) searchParams.set('error', error)
    }),
  }
}

const wrongErrorsWithoutApplication = [
  misnamedWithout(
    'client_id',
    'missing-client-redirected',
    'AUTHZ-CLIENT-ID-REQUIRED-ERROR',
    'access_denied',
  ),
  misnamedWithout(
    'client_id',
    'missing-client-redirected',
    'AUTHZ-CLIENT-ID-REQUIRED-ERROR',
    'client_missing',
  ),
  misnamedWithout(
    'redirect_uri',
    'missing-redirect-uri-redirected',
    'AUTHZ-REDIRECT-URI-REQUIRED-ERROR',
    'unauthorized_client',
  ),
]

export const authorizationErrorNameFaults = withSurface('authorization-request', [
  ...wrongErrors,
  ...wrongErrorsWithoutApplication,
])
