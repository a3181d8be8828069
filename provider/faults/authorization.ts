import { createHash } from 'node:crypto'
import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editCallback, editResponse, showPageForError } from '../edits.ts'
import { htmlResponse } from '../http.ts'
import { callbackOf } from '../identity/responses.ts'

function toFragment(url: URL): void {
  url.hash = url.search.slice(1)
  url.search = ''
}

function withoutError({ searchParams }: URL): void {
  for (const name of ['error', 'error_description']) searchParams.delete(name)
}

/** Refusals of valid authorization requests. */
const refused = [
  ...['invalid_request', 'invalid_scope'].map((error) => ({
    name: `valid-request-${error.replace('_', '-')}`,
    summary: `Refuses every valid authorization request with \`${error}\` after the user has signed in.`,
    violates: ['AUTHZ-CODE-FLOW'],
    alter: editCallback(({ searchParams }) => {
      if (!searchParams.has('code')) return
      searchParams.delete('code')
      searchParams.set('error', error)
    }),
  })),
  {
    name: 'valid-request-on-page',
    summary:
      'Shows an error page with status 400 instead of the login page for a valid request without `prompt=none`.',
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
    summary: 'Omits `code` from the redirect to the application.',
    violates: ['AUTHZ-CODE-FLOW'],
    alter: editCallback((url) => url.searchParams.delete('code')),
  },
  {
    name: 'code-empty',
    summary: 'Redirects to the application with an empty `code`.',
    violates: ['AUTHZ-CODE-FLOW'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.has('code')) searchParams.set('code', '')
    }),
  },
  {
    name: 'code-to-address-with-slash',
    summary: 'Appends a slash to the redirect URI when it redirects with a code.',
    violates: ['AUTHZ-CODE-ADDRESS'],
    alter: editCallback((url) => {
      if (url.searchParams.has('code')) url.pathname += '/'
    }),
  },
  {
    name: 'code-to-www',
    summary: 'Prefixes the host of the redirect URI with `www.` when it redirects with a code.',
    violates: ['AUTHZ-CODE-ADDRESS'],
    alter: editCallback((url) => {
      if (url.searchParams.has('code')) url.hostname = `www.${url.hostname}`
    }),
  },
  {
    name: 'query-of-redirect-uri-decoded-again',
    summary: 'Decodes the parameters of the redirect URI once more when it redirects with a code.',
    violates: ['AUTHZ-CODE-ADDRESS'],
    variants: ['redirect-uri-with-query'],
    alter: editCallback(({ searchParams }) => {
      const plan = searchParams.get('plan')
      if (searchParams.has('code') && plan !== null) searchParams.set('plan', plan.replaceAll('+', ' '))
    }),
  },
  {
    name: 'iss-with-slash',
    summary: 'Appends a slash to the `iss` returned with the code.',
    violates: ['AUTHZ-ISS'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.has('iss')) searchParams.set('iss', `${searchParams.get('iss')}/`)
    }),
  },
  {
    name: 'iss-of-another',
    summary: 'Sends a different issuer as the `iss` returned with the code.',
    violates: ['AUTHZ-ISS'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.has('iss')) searchParams.set('iss', 'https://other-issuer.invalid')
    }),
  },
  {
    name: 'code-repeated',
    summary: 'Issues the same code in every authorization of a user for an application.',
    violates: ['AUTHZ-CODE-FRESH'],
    alter: ({ idp }: Behaviour) => {
      idp.codeValue = ({ clientId, accountId }) =>
        createHash('sha256').update(`${clientId} ${accountId}`).digest('base64url')
    },
  },
  {
    name: 'sixth-code-repeats-the-third',
    summary: 'Issues the code of the third authorization again in the sixth.',
    violates: ['AUTHZ-CODE-FRESH'],
    alter: (behaviour: Behaviour) => {
      const codes: string[] = []
      editCallback(({ searchParams }) => {
        const code = searchParams.get('code')
        if (code === null) return
        codes.push(code)
        if (codes.length === 6) searchParams.set('code', codes[2] ?? code)
      })(behaviour)
    },
  },
  {
    name: 'authorize-redirects-303',
    summary: 'Redirects from the authorization endpoint with 303 instead of 302.',
    violates: ['AUTHZ-REDIRECT-302'],
    alter: editResponse('authorization', (response) => {
      if (response.status === 302) response.status = 303
    }),
  },
  {
    name: 'answer-redirects-307',
    summary: 'Redirects to the application with 307; all other redirects have status 302.',
    violates: ['AUTHZ-REDIRECT-302'],
    alter: editResponse('authorization', (response, request) => {
      if (callbackOf(response, request)) response.status = 307
    }),
  },
  {
    name: 'answer-by-page',
    summary: 'Returns to the application through a page with a script instead of a redirect.',
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
    summary: 'Puts code and state in the fragment of the redirect instead of the query.',
    violates: ['AUTHZ-RESPONSE-QUERY'],
    alter: editCallback((url) => {
      if (url.searchParams.has('code')) toFragment(url)
    }),
  },
  {
    name: 'code-in-both',
    summary: 'Puts the code in both the query and the fragment of the redirect.',
    violates: ['AUTHZ-RESPONSE-QUERY'],
    alter: editCallback((url) => {
      if (url.searchParams.has('code')) url.hash = url.search.slice(1)
    }),
  },
  {
    name: 'second-code-beside-code',
    summary: 'Appends a second, different code to a redirect with a code.',
    violates: ['AUTHZ-RESPONSE-QUERY'],
    alter: editCallback(({ searchParams }) => {
      const code = searchParams.get('code')
      if (code !== null) searchParams.append('code', code.toLowerCase())
    }),
  },
  {
    name: 'state-of-another-on-error',
    summary: 'Returns an error with the state of the previous request.',
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
    summary: 'Puts errors in the fragment of the redirect instead of the query.',
    violates: ['AUTHZ-ERROR-QUERY'],
    alter: editCallback((url) => {
      if (url.searchParams.has('error')) toFragment(url)
    }),
  },
  {
    name: 'error-left-out',
    summary: 'Omits `error` when it redirects a refused request; `state` is present.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: editCallback(withoutError),
  },
  {
    name: 'error-empty',
    summary: 'Redirects a refused request with an empty `error`.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.has('error')) searchParams.set('error', '')
    }),
  },
  {
    name: 'error-of-cancel-left-out',
    summary: 'Omits `error` from the redirect after the user cancels.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: editCallback((url) => {
      if (url.searchParams.get('error') === 'access_denied') withoutError(url)
    }),
  },
  {
    name: 'error-of-silence-left-out',
    summary: 'Omits `error` from the redirect for `prompt=none` without a session.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: editCallback((url) => {
      if (url.searchParams.get('error') === 'login_required') withoutError(url)
    }),
  },
  {
    name: 'error-with-code',
    summary: 'Adds a code to the error for a refused response type.',
    violates: ['AUTHZ-ERROR-WITHOUT-CODE'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.get('error') === 'unsupported_response_type') searchParams.set('code', 'c0de')
    }),
  },
  {
    name: 'server-error-with-code',
    summary: 'Adds the error `server_error` to the code returned for `prompt=none`.',
    violates: ['AUTHZ-ERROR-WITHOUT-CODE'],
    alter: editCallback(({ searchParams }, { query }) => {
      if (searchParams.has('code') && query.get('prompt') === 'none')
        searchParams.set('error', 'server_error')
    }),
  },
  {
    name: 'cancel-with-code',
    summary: 'Adds a code to `access_denied` after the user cancels.',
    violates: ['AUTHZ-ERROR-WITHOUT-CODE'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.get('error') === 'access_denied') searchParams.set('code', 'c0de')
    }),
  },
  {
    name: 'errors-with-access-token',
    summary: 'Adds an access token to every error.',
    violates: ['AUTHZ-ERROR-WITHOUT-CODE'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.has('error')) searchParams.set('access_token', 't0ken')
    }),
  },
  {
    name: 'refusal-on-page',
    summary: 'Shows its own page for a refused response type instead of redirecting to the application.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: showPageForError('unsupported_response_type'),
  },
  {
    name: 'id-token-in-fragment',
    summary: 'Adds an ID token in the fragment of the redirect with the code.',
    violates: ['AUTHZ-NO-TOKEN'],
    alter: editCallback((url) => {
      if (url.searchParams.has('code')) url.hash = 'id_token=e30.e30.early'
    }),
  },
  {
    name: 'access-token-in-redirect',
    summary: 'Adds an access token to the redirect with the code.',
    violates: ['AUTHZ-NO-TOKEN'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.has('code')) searchParams.set('access_token', `${searchParams.get('code')}.early`)
    }),
  },
]

export const authorizationFaults = withSurface('authorization', [...refused, ...flow])
