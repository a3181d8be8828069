import { withSurface } from '../alteration.ts'
import { editCallback, editResponse } from '../edits.ts'
import { callbackOf } from '../identity/responses.ts'

/** The state of redirects. */
export const authorizationStateFaults = withSurface('authorization', [
  {
    name: 'state-encoded-twice',
    summary: 'The state is percent-encoded twice in the redirect.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: editCallback(({ searchParams }) => {
      const state = searchParams.get('state')
      if (state !== null) searchParams.set('state', encodeURIComponent(state))
    }),
  },
  {
    name: 'state-plus-lost',
    summary: 'A plus sign in the state is not encoded in the redirect, so it is read as a space.',
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
    name: 'state-lower-cased',
    summary: 'The state beside a code is in lower case.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: editCallback(({ searchParams }) => {
      const state = searchParams.get('state')
      if (state !== null && searchParams.has('code')) searchParams.set('state', state.toLowerCase())
    }),
  },
  {
    name: 'state-cut-to-64-characters',
    summary: 'The state beside a code has at most 64 characters.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: editCallback(({ searchParams }) => {
      const state = searchParams.get('state')
      if (state !== null && searchParams.has('code')) searchParams.set('state', state.slice(0, 64))
    }),
  },
  {
    name: 'second-state-beside-code',
    summary: 'A redirect with a code has a second state after the right one.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.has('code')) searchParams.append('state', 'default')
    }),
  },
  {
    name: 'state-missing-on-error',
    summary: 'A redirect with an error has no state.',
    violates: ['AUTHZ-ERROR-STATE'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.has('error')) searchParams.delete('state')
    }),
  },
])
