import { withSurface } from '../alteration.ts'
import { editCallback, editResponse } from '../edits.ts'
import { callbackOf } from '../identity/responses.ts'

/** The state of redirects. */
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
    name: 'state-lower-cased',
    summary: 'Converts the state beside a code to lower case.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: editCallback(({ searchParams }) => {
      const state = searchParams.get('state')
      if (state !== null && searchParams.has('code')) searchParams.set('state', state.toLowerCase())
    }),
  },
  {
    name: 'state-cut-to-64-characters',
    summary: 'Cuts the state beside a code to 64 characters.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: editCallback(({ searchParams }) => {
      const state = searchParams.get('state')
      if (state !== null && searchParams.has('code')) searchParams.set('state', state.slice(0, 64))
    }),
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
    name: 'state-missing-on-error',
    summary: 'Omits the state from a redirect with an error.',
    violates: ['AUTHZ-ERROR-STATE'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.has('error')) searchParams.delete('state')
    }),
  },
])
