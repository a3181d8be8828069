import { createHash } from 'node:crypto'
import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editCallback, editResponse } from '../edits.ts'
import { htmlResponse } from '../http.ts'
import { callbackOf } from '../identity/responses.ts'

function toFragment(url: URL): void {
  url.hash = url.search.slice(1)
  url.search = ''
}

function withoutError({ searchParams }: URL): void {
  for (const name of ['error', 'error_description']) searchParams.delete(name)
}

/** Refuses every authorization request without prompt=none, whatever it contains. */
const refused = [
  ...['invalid_request', 'invalid_scope'].map((error) => ({
    name: `valid-request-${error.replace('_', '-')}`,
    summary: `A valid request of a user who signs in returns the error ${error}, with any scope and level.`,
    violates: ['AUTHZ-CODE-FLOW'],
    alter: editCallback(({ searchParams }) => {
      if (!searchParams.has('code')) return
      searchParams.delete('code')
      searchParams.set('error', error)
    }),
  })),
  {
    name: 'valid-request-on-page',
    summary: 'A valid request without prompt=none shows a page with status 400 instead of the login page.',
    violates: ['AUTHZ-CODE-FLOW'],
    alter: editResponse('authorization', (response, { query }) => {
      if (query.get('prompt') === 'none') return
      delete response.headers.location
      Object.assign(response, htmlResponse(400, '<!doctype html><title>Sorry</title><p>Bad request.</p>'))
    }),
  },
]

const flow = [
  {
    name: 'code-missing',
    summary: 'The redirect to the application has a state but no code.',
    violates: ['AUTHZ-CODE-FLOW'],
    alter: editCallback((url) => url.searchParams.delete('code')),
  },
  {
    name: 'code-empty',
    summary: 'The redirect to the application has an empty code.',
    violates: ['AUTHZ-CODE-FLOW'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.has('code')) searchParams.set('code', '')
    }),
  },
  {
    name: 'code-to-address-with-slash',
    summary: 'The redirect goes to the redirect URI with a trailing slash.',
    violates: ['AUTHZ-CODE-ADDRESS'],
    alter: editCallback((url) => {
      if (url.searchParams.has('code')) url.pathname += '/'
    }),
  },
  {
    name: 'code-to-www',
    summary: 'The redirect with the code goes to the registered host with the prefix www.',
    violates: ['AUTHZ-CODE-ADDRESS'],
    alter: editCallback((url) => {
      if (url.searchParams.has('code')) url.hostname = `www.${url.hostname}`
    }),
  },
  {
    name: 'iss-with-slash',
    summary: 'The iss beside the code is the issuer with a trailing slash.',
    violates: ['AUTHZ-ISS'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.has('iss')) searchParams.set('iss', `${searchParams.get('iss')}/`)
    }),
  },
  {
    name: 'iss-of-another',
    summary: 'The iss beside the code is another issuer.',
    violates: ['AUTHZ-ISS'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.has('iss')) searchParams.set('iss', 'https://other-issuer.invalid')
    }),
  },
  {
    name: 'code-repeated',
    summary: 'A user gets the same code in every authorization for an application.',
    violates: ['AUTHZ-CODE-FRESH'],
    alter: ({ idp }: Behaviour) => {
      idp.codeValue = ({ clientId, accountId }) =>
        createHash('sha256').update(`${clientId} ${accountId}`).digest('base64url')
    },
  },
  {
    name: 'authorize-redirects-303',
    summary: 'The authorization endpoint redirects with 303 instead of 302.',
    violates: ['AUTHZ-REDIRECT-302'],
    alter: editResponse('authorization', (response) => {
      if (response.status === 302) response.status = 303
    }),
  },
  {
    name: 'answer-redirects-307',
    summary: 'The redirect to the application has status 307; all other redirects have 302.',
    violates: ['AUTHZ-REDIRECT-302'],
    alter: editResponse('authorization', (response, request) => {
      if (callbackOf(response, request)) response.status = 307
    }),
  },
  {
    name: 'answer-by-page',
    summary: 'A page with a script sends the user to the application, instead of a redirect.',
    violates: ['AUTHZ-REDIRECT-302'],
    alter: editResponse('authorization', (response, request) => {
      const url = callbackOf(response, request)
      if (!url) return
      delete response.headers.location
      const target = JSON.stringify(url.href).replaceAll('<', '\\u003c')
      const page = htmlResponse(
        200,
        `<!doctype html><title>One moment</title><script>location.replace(${target})</script>`,
      )
      response.status = page.status
      response.body = page.body
      Object.assign(response.headers, page.headers)
    }),
  },
  {
    name: 'code-in-fragment',
    summary: 'Code and state are in the fragment of the redirect instead of the query.',
    violates: ['AUTHZ-RESPONSE-QUERY'],
    alter: editCallback((url) => {
      if (url.searchParams.has('code')) toFragment(url)
    }),
  },
  {
    name: 'code-in-both',
    summary: 'The code is in both the query and the fragment of the redirect.',
    violates: ['AUTHZ-RESPONSE-QUERY'],
    alter: editCallback((url) => {
      if (url.searchParams.has('code')) url.hash = url.search.slice(1)
    }),
  },
  {
    name: 'state-of-another-on-error',
    summary: 'A redirect with an error has the state of the previous request.',
    violates: ['AUTHZ-ERROR-STATE'],
    alter: (behaviour: Behaviour) => {
      let before = 'none'
      editCallback(({ searchParams }) => {
        const state = searchParams.get('state')
        if (state === null) return
        if (searchParams.has('error')) searchParams.set('state', before)
        before = state
      })(behaviour)
    },
  },
  {
    name: 'error-in-fragment',
    summary: 'Errors are in the fragment of the redirect instead of the query.',
    violates: ['AUTHZ-ERROR-QUERY'],
    alter: editCallback((url) => {
      if (url.searchParams.has('error')) toFragment(url)
    }),
  },
  {
    name: 'error-left-out',
    summary: 'The redirect of a refused request has a state but no error.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: editCallback(withoutError),
  },
  {
    name: 'error-empty',
    summary: 'The redirect of a refused request has an empty error.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.has('error')) searchParams.set('error', '')
    }),
  },
  {
    name: 'error-of-cancel-left-out',
    summary: 'The redirect after the user cancels has no error.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: editCallback((url) => {
      if (url.searchParams.get('error') === 'access_denied') withoutError(url)
    }),
  },
  {
    name: 'error-of-silence-left-out',
    summary: 'The redirect for prompt=none without a session has no error.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: editCallback((url) => {
      if (url.searchParams.get('error') === 'login_required') withoutError(url)
    }),
  },
  {
    name: 'error-with-code',
    summary: 'The redirect for a refused response type has an error and a code.',
    violates: ['AUTHZ-ERROR-WITHOUT-CODE'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.get('error') === 'unsupported_response_type') searchParams.set('code', 'c0de')
    }),
  },
  {
    name: 'cancel-with-code',
    summary: 'The redirect after the user cancels has access_denied and a code.',
    violates: ['AUTHZ-ERROR-WITHOUT-CODE'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.get('error') === 'access_denied') searchParams.set('code', 'c0de')
    }),
  },
  {
    name: 'refusal-on-page',
    summary:
      'A refused response type shows a page of the provider instead of redirecting to the application.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: editResponse('authorization', (response, request) => {
      if (callbackOf(response, request)?.searchParams.get('error') !== 'unsupported_response_type') return
      delete response.headers.location
      Object.assign(response, htmlResponse(400, '<!doctype html><title>Refused</title><p>Not supported.</p>'))
    }),
  },
  {
    name: 'id-token-in-fragment',
    summary: 'The redirect with the code has an ID token in its fragment.',
    violates: ['AUTHZ-NO-TOKEN'],
    alter: editCallback((url) => {
      if (url.searchParams.has('code')) url.hash = 'id_token=e30.e30.early'
    }),
  },
  {
    name: 'access-token-in-redirect',
    summary: 'The redirect with the code also has an access token.',
    violates: ['AUTHZ-NO-TOKEN'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.has('code')) searchParams.set('access_token', `${searchParams.get('code')}.early`)
    }),
  },
]

export const authorizationFaults = withSurface('authorization', [...refused, ...flow])
