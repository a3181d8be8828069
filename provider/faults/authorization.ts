import { createHash } from 'node:crypto'
import { type Behaviour, withFace } from '../behaviour.ts'
import { htmlAnswer, type Received } from '../http.ts'
import { callbackOf } from '../identity/answers.ts'

/** Edits the address the user is sent back to the application with. */
export function onCallback({ idp }: Behaviour, edit: (url: URL, received: Received) => void): void {
  idp.answers.authorization.push((answer, received) => {
    const url = callbackOf(answer, received)
    if (!url) return
    edit(url, received)
    answer.headers.location = url.href
  })
}

function toFragment(url: URL): void {
  url.hash = url.search.slice(1)
  url.search = ''
}

function withoutError({ searchParams }: URL): void {
  for (const name of ['error', 'error_description']) searchParams.delete(name)
}

const flow = [
  {
    name: 'code-missing',
    summary: 'The user comes back to the application with a state but without a code.',
    violates: ['AUTHZ-CODE-FLOW'],
    alter: (behaviour: Behaviour) => onCallback(behaviour, (url) => url.searchParams.delete('code')),
  },
  {
    name: 'code-empty',
    summary: 'The user comes back to the application with a code that is empty.',
    violates: ['AUTHZ-CODE-FLOW'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        if (searchParams.has('code')) searchParams.set('code', '')
      }),
  },
  {
    name: 'code-to-address-with-slash',
    summary: 'The user comes back to the redirect URI with a slash behind its path.',
    violates: ['AUTHZ-CODE-ADDRESS'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, (url) => {
        if (url.searchParams.has('code')) url.pathname += '/'
      }),
  },
  {
    name: 'code-to-www',
    summary: 'The code is sent to the host of the redirect URI with www before it.',
    violates: ['AUTHZ-CODE-ADDRESS'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, (url) => {
        if (url.searchParams.has('code')) url.hostname = `www.${url.hostname}`
      }),
  },
  {
    name: 'iss-with-slash',
    summary: 'iss beside the code has a trailing slash that the issuer does not have.',
    violates: ['AUTHZ-ISS'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        if (searchParams.has('iss')) searchParams.set('iss', `${searchParams.get('iss')}/`)
      }),
  },
  {
    name: 'iss-of-another',
    summary: 'iss beside the code names another issuer.',
    violates: ['AUTHZ-ISS'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
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
    alter: ({ idp }: Behaviour) =>
      idp.answers.authorization.push((answer) => {
        if (answer.status === 302) answer.status = 303
      }),
  },
  {
    name: 'answer-redirects-307',
    summary: 'The redirect back to the application has status 307, every other one 302.',
    violates: ['AUTHZ-REDIRECT-302'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.authorization.push((answer, received) => {
        if (callbackOf(answer, received)) answer.status = 307
      }),
  },
  {
    name: 'answer-by-page',
    summary: 'A page that moves on by script brings the user back to the application instead of a redirect.',
    violates: ['AUTHZ-REDIRECT-302'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.authorization.push((answer, received) => {
        const url = callbackOf(answer, received)
        if (!url) return
        delete answer.headers.location
        const target = JSON.stringify(url.href).replaceAll('<', '\\u003c')
        const page = htmlAnswer(
          200,
          `<!doctype html><title>One moment</title><script>location.replace(${target})</script>`,
        )
        answer.status = page.status
        answer.body = page.body
        Object.assign(answer.headers, page.headers)
      }),
  },
  {
    name: 'state-encoded-twice',
    summary: 'The state comes back with one layer of percent-encoding too many.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        const state = searchParams.get('state')
        if (state !== null) searchParams.set('state', encodeURIComponent(state))
      }),
  },
  {
    name: 'state-plus-lost',
    summary: 'A plus sign in the state is not encoded on the way back, so that it reads as a space.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.authorization.push((answer, received) => {
        const url = callbackOf(answer, received)
        if (!url) return
        const unescaped = url.search.replace(
          /([?&]state=)([^&]*)/,
          (_, name, value) => name + value.replaceAll('%2B', '+'),
        )
        answer.headers.location = url.href.replace(url.search, unescaped)
      }),
  },
  {
    name: 'state-lower-cased',
    summary: 'The state comes back with the code in lower case.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        const state = searchParams.get('state')
        if (state !== null && searchParams.has('code')) searchParams.set('state', state.toLowerCase())
      }),
  },
  {
    name: 'state-missing-on-error',
    summary: 'An error comes back without the state that was sent.',
    violates: ['AUTHZ-ERROR-STATE'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        if (searchParams.has('error')) searchParams.delete('state')
      }),
  },
  {
    name: 'code-in-fragment',
    summary: 'Code and state come back in the fragment instead of the query.',
    violates: ['AUTHZ-RESPONSE-QUERY'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, (url) => {
        if (url.searchParams.has('code')) toFragment(url)
      }),
  },
  {
    name: 'code-in-both',
    summary: 'The code comes back in the query and in the fragment.',
    violates: ['AUTHZ-RESPONSE-QUERY'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, (url) => {
        if (url.searchParams.has('code')) url.hash = url.search.slice(1)
      }),
  },
  {
    name: 'state-of-another-on-error',
    summary: 'An error comes back with the state of the request before.',
    violates: ['AUTHZ-ERROR-STATE'],
    alter: (behaviour: Behaviour) => {
      let before = 'none'
      onCallback(behaviour, ({ searchParams }) => {
        const state = searchParams.get('state')
        if (state === null) return
        if (searchParams.has('error')) searchParams.set('state', before)
        before = state
      })
    },
  },
  {
    name: 'error-in-fragment',
    summary: 'Errors come back in the fragment instead of the query.',
    violates: ['AUTHZ-ERROR-QUERY'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, (url) => {
        if (url.searchParams.has('error')) toFragment(url)
      }),
  },
  {
    name: 'error-left-out',
    summary: 'A refused request comes back with its state, but without an error.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: (behaviour: Behaviour) => onCallback(behaviour, withoutError),
  },
  {
    name: 'error-empty',
    summary: 'A refused request comes back with an error that is empty.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        if (searchParams.has('error')) searchParams.set('error', '')
      }),
  },
  {
    name: 'error-of-cancel-left-out',
    summary: 'A user who cancels comes back without an error.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, (url) => {
        if (url.searchParams.get('error') === 'access_denied') withoutError(url)
      }),
  },
  {
    name: 'error-of-silence-left-out',
    summary: 'prompt=none without a session comes back without an error.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, (url) => {
        if (url.searchParams.get('error') === 'login_required') withoutError(url)
      }),
  },
  {
    name: 'error-with-code',
    summary: 'A refused response type comes back with its error and with a code.',
    violates: ['AUTHZ-ERROR-WITHOUT-CODE'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        if (searchParams.get('error') === 'unsupported_response_type') searchParams.set('code', 'c0de')
      }),
  },
  {
    name: 'cancel-with-code',
    summary: 'A user who cancels comes back with access_denied and with a code.',
    violates: ['AUTHZ-ERROR-WITHOUT-CODE'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        if (searchParams.get('error') === 'access_denied') searchParams.set('code', 'c0de')
      }),
  },
  {
    name: 'refusal-on-page',
    summary: 'A refused response type ends on a page of the provider; the application hears nothing.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.authorization.push((answer, received) => {
        if (callbackOf(answer, received)?.searchParams.get('error') !== 'unsupported_response_type') return
        delete answer.headers.location
        Object.assign(answer, htmlAnswer(400, '<!doctype html><title>Refused</title><p>Not supported.</p>'))
      }),
  },
  {
    name: 'id-token-in-fragment',
    summary: 'The redirect back to the application carries an ID token in its fragment beside the code.',
    violates: ['AUTHZ-NO-TOKEN'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, (url) => {
        if (url.searchParams.has('code')) url.hash = 'id_token=e30.e30.early'
      }),
  },
  {
    name: 'access-token-in-redirect',
    summary: 'The redirect back to the application carries an access token beside the code.',
    violates: ['AUTHZ-NO-TOKEN'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        if (searchParams.has('code')) searchParams.set('access_token', `${searchParams.get('code')}.early`)
      }),
  },
]

export const authorizationFaults = withFace('authorization', flow)
