import { type Alter, withSurface } from '../alteration.ts'
import { editCallback, editResponse } from '../edits.ts'
import { type HttpRequest, type HttpResponse, htmlResponse } from '../http.ts'
import { callbackOf } from '../identity/responses.ts'

type Cause = (query: URLSearchParams) => boolean

/** Causes for which an authorization request is refused, by its query. */
const causes = {
  responseType: (query) => !query.has('response_type'),
  token: (query) => query.get('response_type') === 'token',
  idToken: (query) => query.get('response_type') === 'id_token',
  hybrid: (query) => query.get('response_type') === 'code id_token',
  state: (query) => !query.has('state'),
  nonce: (query) => !query.has('nonce'),
  pkce: (query) =>
    query.get('response_type') === 'code' &&
    !query.has('code_challenge') &&
    !query.has('code_challenge_method'),
  challenge: (query) => !query.has('code_challenge') && query.has('code_challenge_method'),
  challengeMethod: (query) => query.has('code_challenge') && !query.has('code_challenge_method'),
  plain: (query) => query.get('code_challenge_method') === 'plain',
  lowerCaseMethod: (query) => query.get('code_challenge_method') === 's256',
  scope: (query) => !query.has('scope'),
  openid: (query) => query.get('scope')?.split(' ').includes('openid') === false,
} as const satisfies Record<string, Cause>

/** Edits the redirect with the error of a request that is refused for one cause. */
function editErrorOf(cause: Cause, edit: (url: URL, response: HttpResponse) => void): Alter {
  return editCallback((url, request, response) => {
    if (isRefused(url, request, cause)) edit(url, response)
  })
}

/** A resumed request has no query of its own. */
function isRefused({ searchParams }: URL, { query }: HttpRequest, cause: Cause): boolean {
  return searchParams.has('error') && query.has('client_id') && cause(query)
}

/** Names one cause by another error. */
function misnamed(name: string, what: string, violates: string, cause: Cause, error: string) {
  return {
    name,
    summary: `${what} returns the error ${error}.`,
    violates: [violates],
    alter: editErrorOf(cause, ({ searchParams }) => searchParams.set('error', error)),
  }
}

const names = [
  misnamed(
    'missing-response-type-unlisted',
    'A request without response_type',
    'AUTHZ-RESPONSE-TYPE-REQUIRED-ERROR',
    causes.responseType,
    'missing_response_type',
  ),
  misnamed(
    'missing-state-unlisted',
    'A request without state',
    'AUTHZ-STATE-REQUIRED-ERROR',
    causes.state,
    'state_required',
  ),
  misnamed(
    'missing-nonce-renamed',
    'A request without nonce',
    'AUTHZ-NONCE-REQUIRED-ERROR',
    causes.nonce,
    'unauthorized_client',
  ),
  misnamed(
    'missing-pkce-renamed',
    'A request without PKCE',
    'AUTHZ-PKCE-REQUIRED-ERROR',
    causes.pkce,
    'invalid_grant',
  ),
  misnamed(
    'missing-challenge-unlisted',
    'A request without code_challenge',
    'AUTHZ-CHALLENGE-REQUIRED-ERROR',
    causes.challenge,
    'pkce_required',
  ),
  misnamed(
    'missing-challenge-method-unlisted',
    'A request without code_challenge_method',
    'AUTHZ-CHALLENGE-METHOD-REQUIRED-ERROR',
    causes.challengeMethod,
    'unsupported_challenge_method',
  ),
  misnamed(
    'plain-challenge-renamed',
    'The challenge method plain',
    'AUTHZ-PKCE-S256-ONLY-ERROR',
    causes.plain,
    'unauthorized_client',
  ),
  misnamed(
    'lower-case-method-unlisted',
    'The challenge method s256, in lower case,',
    'AUTHZ-PKCE-S256-ONLY-ERROR',
    causes.lowerCaseMethod,
    'unsupported_challenge_method',
  ),
  misnamed(
    'missing-scope-renamed',
    'A request without scope',
    'AUTHZ-SCOPE-REQUIRED-ERROR',
    causes.scope,
    'access_denied',
  ),
  misnamed(
    'openid-error-renamed',
    'A scope without openid',
    'AUTHZ-OPENID-SCOPE-ERROR',
    causes.openid,
    'access_denied',
  ),
  misnamed(
    'openid-error-unlisted',
    'A scope without openid',
    'AUTHZ-OPENID-SCOPE-ERROR',
    causes.openid,
    'openid_required',
  ),
  misnamed(
    'token-error-renamed',
    'response_type=token',
    'AUTHZ-RESPONSE-TYPE-ERROR',
    causes.token,
    'invalid_request',
  ),
  misnamed(
    'token-error-unlisted',
    'response_type=token',
    'AUTHZ-RESPONSE-TYPE-ERROR',
    causes.token,
    'implicit_flow_disabled',
  ),
  misnamed(
    'id-token-error-unlisted',
    'response_type=id_token',
    'AUTHZ-RESPONSE-TYPE-ID-TOKEN-ERROR',
    causes.idToken,
    'invalid_response_type',
  ),
  misnamed(
    'hybrid-error-renamed',
    'response_type=code id_token',
    'AUTHZ-RESPONSE-TYPE-HYBRID-ERROR',
    causes.hybrid,
    'invalid_request',
  ),
  {
    name: 'response-type-error-renamed',
    summary: 'An unsupported response type returns the error invalid_request.',
    violates: [
      'AUTHZ-RESPONSE-TYPE-ERROR',
      'AUTHZ-RESPONSE-TYPE-ID-TOKEN-ERROR',
      'AUTHZ-RESPONSE-TYPE-HYBRID-ERROR',
    ],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.get('error') === 'unsupported_response_type')
        searchParams.set('error', 'invalid_request')
    }),
  },
]

/** Shows a page with a status for one cause. */
function onPage(name: string, what: string, cause: Cause, status: number) {
  return {
    name,
    summary: `${what} shows a page with status ${status} instead of redirecting to the application.`,
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: editResponse('authorization', (response, request) => {
      const url = callbackOf(response, request)
      if (!url || !isRefused(url, request, cause)) return
      delete response.headers.location
      Object.assign(response, htmlResponse(status, '<!doctype html><title>Refused</title><p>Refused.</p>'))
    }),
  }
}

/** The error of one cause arrives in another form. */
const forms = [
  onPage('missing-nonce-on-page', 'A request without nonce', causes.nonce, 400),
  onPage('missing-state-on-page', 'A request without state', causes.state, 403),
  onPage('missing-challenge-on-page', 'A request without code_challenge', causes.challenge, 200),
  {
    name: 'missing-nonce-without-error',
    summary: 'The redirect for a request without nonce has a state but no error.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: editErrorOf(causes.nonce, ({ searchParams }) => {
      for (const name of ['error', 'error_description']) searchParams.delete(name)
    }),
  },
  {
    name: 'missing-scope-to-www',
    summary: 'The error of a request without scope goes to the registered host with the prefix www.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: editErrorOf(causes.scope, (url) => {
      url.hostname = `www.${url.hostname}`
    }),
  },
  {
    name: 'missing-pkce-in-fragment',
    summary: 'The error of a request without PKCE is in the fragment of the redirect.',
    violates: ['AUTHZ-ERROR-QUERY'],
    alter: editErrorOf(causes.pkce, (url) => {
      url.hash = url.search.slice(1)
      url.search = ''
    }),
  },
  {
    name: 'missing-nonce-also-in-fragment',
    summary: 'The error of a request without nonce is in the query and in the fragment of the redirect.',
    violates: ['AUTHZ-ERROR-QUERY'],
    alter: editErrorOf(causes.nonce, (url) => {
      url.hash = url.search.slice(1)
    }),
  },
  {
    name: 'state-missing-on-missing-scope',
    summary: 'The error of a request without scope has no state.',
    violates: ['AUTHZ-ERROR-STATE'],
    alter: editErrorOf(causes.scope, ({ searchParams }) => searchParams.delete('state')),
  },
  {
    name: 'missing-response-type-redirects-303',
    summary: 'The redirect for a request without response_type has status 303.',
    violates: ['AUTHZ-REDIRECT-302'],
    alter: editErrorOf(causes.responseType, (_, response) => {
      response.status = 303
    }),
  },
  {
    name: 'cancel-redirects-303',
    summary: 'The redirect after the user cancels has status 303.',
    violates: ['AUTHZ-REDIRECT-302'],
    alter: editCallback(({ searchParams }, _, response) => {
      if (searchParams.get('error_description') === 'the user cancelled') response.status = 303
    }),
  },
  {
    name: 'missing-nonce-with-code',
    summary: 'The redirect for a request without nonce has an error and a code.',
    violates: ['AUTHZ-ERROR-WITHOUT-CODE'],
    alter: editErrorOf(causes.nonce, ({ searchParams }) => searchParams.set('code', 'c0de')),
  },
]

export const authorizationErrorFaults = withSurface('authorization', [...names, ...forms])
