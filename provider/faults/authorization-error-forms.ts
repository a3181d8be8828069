import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editCallback, editResponse } from '../edits.ts'
import { htmlResponse } from '../http.ts'
import { callbackOf } from '../identity/responses.ts'
import { causes, editErrorOf, isRefused, type QueryCondition } from './authorization-causes.ts'

function onPage(name: string, parameter: string, cause: QueryCondition, status: number) {
  return {
    name,
    summary: `Shows a page with status ${status} for a request without \`${parameter}\` instead of redirecting to the application.`,
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: editResponse('authorization', (response, request) => {
      const url = callbackOf(response, request)
      if (!url || !isRefused(url, request, cause)) return
      delete response.headers.location
      Object.assign(response, htmlResponse(status, '<!doctype html><title>Refused</title><p>Refused.</p>'))
    }),
  }
}

/** Refusals for one cause in another form. */
const forms = [
  onPage('missing-nonce-on-page', 'nonce', causes.nonce, 400),
  onPage('missing-state-on-page', 'state', causes.state, 403),
  onPage('missing-challenge-on-page', 'code_challenge', causes.challenge, 200),
  {
    name: 'missing-nonce-without-error',
    summary: 'Omits `error` when it redirects a request without `nonce`; `state` is present.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: editErrorOf(causes.nonce, ({ searchParams }) => {
      for (const name of ['error', 'error_description']) searchParams.delete(name)
    }),
  },
  {
    name: 'missing-nonce-with-two-states',
    summary: 'Appends a second, different state when it redirects a request without `nonce`.',
    violates: ['AUTHZ-ERROR-STATE'],
    alter: editErrorOf(causes.nonce, ({ searchParams }) => searchParams.append('state', 'default')),
  },
  {
    name: 'missing-nonce-with-two-errors',
    summary: 'Appends a second error, `access_denied`, when it redirects a request without `nonce`.',
    violates: ['AUTHZ-ERROR-SINGLE'],
    alter: editErrorOf(causes.nonce, ({ searchParams }) => searchParams.append('error', 'access_denied')),
  },
  {
    name: 'missing-scope-to-www',
    summary: 'Sends the error of a request without `scope` to the registered host prefixed with `www.`.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: editErrorOf(causes.scope, (url) => {
      url.hostname = `www.${url.hostname}`
    }),
  },
  {
    name: 'query-of-redirect-uri-lost-with-error',
    summary: 'Omits the parameters of the redirect URI when it redirects with an error.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    variants: ['redirect-uri-with-query'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.has('error')) searchParams.delete('tenant')
    }),
  },
  {
    name: 'missing-pkce-in-fragment',
    summary: 'Puts the error of a request without PKCE in the fragment of the redirect.',
    violates: ['AUTHZ-ERROR-QUERY'],
    alter: editErrorOf(causes.pkce, (url) => {
      url.hash = url.search.slice(1)
      url.search = ''
    }),
  },
  {
    name: 'missing-nonce-also-in-fragment',
    summary:
      'Puts the error of a request without `nonce` in both the query and the fragment of the redirect.',
    violates: ['AUTHZ-ERROR-QUERY'],
    alter: editErrorOf(causes.nonce, (url) => {
      url.hash = url.search.slice(1)
    }),
  },
  {
    name: 'state-missing-on-missing-scope',
    summary: 'Omits the state from the error of a request without `scope`.',
    violates: ['AUTHZ-ERROR-STATE'],
    alter: editErrorOf(causes.scope, ({ searchParams }) => searchParams.delete('state')),
  },
  {
    name: 'missing-state-with-state-null',
    summary: 'Returns the state `null` with the error of a request without `state`.',
    violates: ['AUTHZ-ERROR-STATE'],
    alter: editErrorOf(causes.state, ({ searchParams }) => searchParams.set('state', 'null')),
  },
  {
    name: 'missing-response-type-redirects-303',
    summary: 'Redirects with status 303 for a request without `response_type`.',
    violates: ['AUTHZ-REDIRECT-302'],
    alter: editErrorOf(causes.responseType, (_, response) => {
      response.status = 303
    }),
  },
  {
    name: 'cancel-redirects-303',
    summary: 'Redirects with status 303 after the user cancels.',
    violates: ['AUTHZ-REDIRECT-302'],
    alter: editCallback(({ searchParams }, _, response) => {
      if (searchParams.get('error_description') === 'the user cancelled') response.status = 303
    }),
  },
  {
    name: 'missing-nonce-with-code',
    summary: 'Adds a code to the error of a request without `nonce`.',
    violates: ['AUTHZ-ERROR-WITHOUT-CODE'],
    alter: editErrorOf(causes.nonce, ({ searchParams }) => searchParams.set('code', 'c0de')),
  },
  {
    name: 'code-with-error',
    summary: 'Adds the error `access_denied` to each redirect with a code.',
    violates: ['AUTHZ-ERROR-WITHOUT-CODE'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.has('code')) searchParams.set('error', 'access_denied')
    }),
  },
  {
    name: 'later-codes-with-error',
    summary: 'Adds the error `server_error` to each redirect with a code except the first.',
    violates: ['AUTHZ-ERROR-WITHOUT-CODE'],
    alter: (behaviour: Behaviour) => {
      let isFirst = true
      editCallback(({ searchParams }) => {
        if (!searchParams.has('code')) return
        if (!isFirst) searchParams.set('error', 'server_error')
        isFirst = false
      })(behaviour)
    },
  },
]

export const authorizationErrorFormFaults = withSurface('authorization', forms)
