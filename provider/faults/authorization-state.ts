import { type Alter, withSurface } from '../alteration.ts'
import { leadsToSecondApplication } from '../deployment.ts'
import { editCallback, editResponse } from '../edits.ts'
import type { HttpRequest } from '../http.ts'
import { PATHS } from '../identity/paths.ts'
import { callbackOf } from '../identity/responses.ts'

/** Whether a redirect has a code for a user with a session, who has seen no page. */
function isSilent({ searchParams }: URL, { path }: HttpRequest): boolean {
  return searchParams.has('code') && path === PATHS.authorization
}

/** Changes the state of redirects that have the parameter `name`. */
function editStateBeside(
  name: 'code' | 'error',
  edit: (state: string) => string,
  applies: (url: URL, request: HttpRequest) => boolean = () => true,
): Alter {
  return editCallback((url, request) => {
    const state = url.searchParams.get('state')
    if (url.searchParams.has(name) && state !== null && applies(url, request))
      url.searchParams.set('state', edit(state))
  })
}

/** Moves the state of redirects that have the parameter `name` from the query to the fragment. */
function moveStateBeside(name: 'code' | 'error'): Alter {
  return editCallback((url) => {
    const state = url.searchParams.get('state')
    if (!url.searchParams.has(name) || state === null) return
    url.searchParams.delete('state')
    url.hash = `state=${encodeURIComponent(state)}`
  })
}

/** Wrong states of redirects, and wrong redirects for a user with a session. */
export const authorizationStateFaults = withSurface('authorization', [
  {
    name: 'state-encoded-twice',
    summary: 'Percent-encodes the state twice in the redirect.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: editCallback(({ searchParams }) => {
      const state = searchParams.get('state')
      if (state !== null) searchParams.set('state', encodeURIComponent(state))
    }),
  },
  {
    name: 'state-plus-lost',
    summary:
      'Leaves a plus sign of the state unencoded in the redirect, so that clients decode it as a space.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: editResponse('authorization', (response, request) => {
      const url = callbackOf(response, request)
      if (!url) return
      const unescaped = url.search.replace(
        /([?&]state=)([^&]*)/,
        (_, name, value) => name + value.replaceAll('%2B', '+'),
      )
      response.headers.location = url.href.replace(url.search, unescaped)
    }),
  },
  {
    name: 'state-quotes-escaped',
    summary: 'Escapes quotation marks in the state as in HTML.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: editCallback(({ searchParams }) => {
      const state = searchParams.get('state')
      if (state !== null) searchParams.set('state', state.replaceAll('"', '&quot;'))
    }),
  },
  {
    name: 'state-backslashes-lost',
    summary: 'Removes backslashes from the state.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: editCallback(({ searchParams }) => {
      const state = searchParams.get('state')
      if (state !== null) searchParams.set('state', state.replaceAll('\\', ''))
    }),
  },
  {
    name: 'state-padding-lost',
    summary: 'Removes equals signs from the end of the state returned with a code.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: editStateBeside('code', (state) => state.replace(/=+$/, '')),
  },
  {
    name: 'state-trimmed',
    summary: 'Removes spaces at both ends of the state returned with a code.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: editStateBeside('code', (state) => state.trim()),
  },
  {
    name: 'state-lower-cased',
    summary: 'Converts the state returned with a code to lower case.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: editStateBeside('code', (state) => state.toLowerCase()),
  },
  {
    name: 'state-cut-to-64-characters',
    summary: 'Cuts the state returned with a code to 64 characters.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: editStateBeside('code', (state) => state.slice(0, 64)),
  },
  {
    name: 'state-cut-to-255-characters',
    summary: 'Cuts the state returned with a code to 255 characters.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: editStateBeside('code', (state) => state.slice(0, 255)),
  },
  {
    name: 'second-state-beside-code',
    summary: 'Appends a second, different state to a redirect with a code.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.has('code')) searchParams.append('state', 'default')
    }),
  },
  {
    name: 'state-in-fragment',
    summary: 'Puts the state in the fragment of a redirect that has the code in its query.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: moveStateBeside('code'),
  },
  {
    name: 'state-cut-after-login',
    summary: 'Cuts the state returned with a code to 16 characters after the user has logged in.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: editStateBeside(
      'code',
      (state) => state.slice(0, 16),
      (url, request) => !isSilent(url, request),
    ),
  },
  {
    name: 'state-plus-as-space-after-login',
    summary: 'Turns each plus sign of the state into a space if the user has logged in and receives a code.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: editStateBeside(
      'code',
      (state) => state.replaceAll('+', ' '),
      (url, request) => !isSilent(url, request),
    ),
  },
  {
    name: 'state-of-second-application-cut-to-64-characters',
    summary: 'Cuts the state returned with a code of the second application to 64 characters.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: editStateBeside('code', (state) => state.slice(0, 64), leadsToSecondApplication),
  },
  {
    name: 'iss-of-session',
    summary: 'Sends an internal issuer as `iss` with the code of a user who has a session.',
    violates: ['AUTHZ-ISS'],
    alter: editCallback((url, request) => {
      if (isSilent(url, request)) url.searchParams.set('iss', 'https://sessions.internal.invalid')
    }),
  },
  {
    name: 'code-of-session-below-redirect-uri',
    summary: 'Sends the code of a user who has a session to a path below the redirect URI.',
    violates: ['AUTHZ-CODE-ADDRESS'],
    alter: editCallback((url, request) => {
      if (isSilent(url, request)) url.pathname += '/session'
    }),
  },
  {
    name: 'id-token-in-fragment-of-session',
    summary: 'Adds an ID token in the fragment of the redirect with the code of a user who has a session.',
    violates: ['AUTHZ-NO-TOKEN'],
    alter: editCallback((url, request) => {
      if (isSilent(url, request)) url.hash = 'id_token=e30.e30.early'
    }),
  },
  {
    name: 'code-in-both-of-session',
    summary: 'Puts the code of a user who has a session in both the query and the fragment of the redirect.',
    violates: ['AUTHZ-RESPONSE-QUERY'],
    alter: editCallback((url, request) => {
      if (isSilent(url, request)) url.hash = url.search.slice(1)
    }),
  },
  {
    name: 'state-missing-on-error',
    summary: 'Omits the state from a redirect with an error.',
    violates: ['AUTHZ-ERROR-STATE'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.has('error')) searchParams.delete('state')
    }),
  },
  {
    name: 'state-in-fragment-on-error',
    summary: 'Puts the state in the fragment of a redirect that has the error in its query.',
    violates: ['AUTHZ-ERROR-STATE'],
    alter: moveStateBeside('error'),
  },
  {
    name: 'state-cut-to-255-characters-on-error',
    summary: 'Cuts the state returned with an error to 255 characters.',
    violates: ['AUTHZ-ERROR-STATE'],
    alter: editStateBeside('error', (state) => state.slice(0, 255)),
  },
  {
    name: 'state-encoded-twice-on-error',
    summary: 'Percent-encodes the state returned with an error twice.',
    violates: ['AUTHZ-ERROR-STATE'],
    alter: editStateBeside('error', encodeURIComponent),
  },
  {
    name: 'state-quotes-escaped-on-error',
    summary: 'Escapes quotation marks in the state returned with an error as in HTML.',
    violates: ['AUTHZ-ERROR-STATE'],
    alter: editStateBeside('error', (state) => state.replaceAll('"', '&quot;')),
  },
  {
    name: 'state-plus-as-space-on-error',
    summary: 'Replaces each plus sign of the state returned with an error with a space.',
    violates: ['AUTHZ-ERROR-STATE'],
    alter: editStateBeside('error', (state) => state.replaceAll('+', ' ')),
  },
  {
    name: 'state-plus-as-space-after-refused-consent',
    summary: 'Replaces each plus sign of the state with a space after the user has refused consent.',
    violates: ['AUTHZ-ERROR-STATE'],
    alter: editStateBeside(
      'error',
      (state) => state.replaceAll('+', ' '),
      (url) => leadsToSecondApplication(url) && url.searchParams.get('error') === 'access_denied',
    ),
  },
])
