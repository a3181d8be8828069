import { withSurface } from '../alteration.ts'
import { editCallback, editResponse } from '../edits.ts'
import { htmlResponse } from '../http.ts'
import { callbackOf } from '../identity/responses.ts'
import { causes, editErrorOf, isRefused, type QueryCondition } from './authorization-causes.ts'

/** Shows a page with a status for one cause. */
function onPage(name: string, what: string, cause: QueryCondition, status: number) {
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
    name: 'missing-nonce-with-two-states',
    summary: 'The redirect for a request without nonce has a second state after the right one.',
    violates: ['AUTHZ-ERROR-STATE'],
    alter: editErrorOf(causes.nonce, ({ searchParams }) => searchParams.append('state', 'default')),
  },
  {
    name: 'missing-nonce-with-two-errors',
    summary: 'The redirect for a request without nonce has the error access_denied after the right one.',
    violates: ['AUTHZ-ERROR-SINGLE'],
    alter: editErrorOf(causes.nonce, ({ searchParams }) => searchParams.append('error', 'access_denied')),
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

export const authorizationErrorFormFaults = withSurface('authorization', forms)
