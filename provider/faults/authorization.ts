import { createHash } from 'node:crypto'
import { type Behaviour, withFace } from '../behaviour.ts'
import { htmlAnswer, type Received } from '../http.ts'
import { callbackOf } from '../identity/answers.ts'

/** Edits the address the user is sent back to the application with. */
function onCallback({ idp }: Behaviour, edit: (url: URL, received: Received) => void): void {
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

const flow = [
  {
    name: 'code-missing',
    summary: 'The user comes back to the application with a state but without a code.',
    violates: ['AUTHZ-CODE-FLOW'],
    alter: (behaviour: Behaviour) => onCallback(behaviour, (url) => url.searchParams.delete('code')),
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
    summary: 'The state comes back in lower case.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        const state = searchParams.get('state')
        if (state !== null) searchParams.set('state', state.toLowerCase())
      }),
  },
  {
    name: 'state-not-ascii-lost',
    summary: 'Characters of the state outside ASCII come back as question marks.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        const state = searchParams.get('state')
        if (state !== null) searchParams.set('state', state.replace(/[^\x20-\x7e]/gu, '?'))
      }),
  },
  {
    name: 'state-missing-on-error',
    summary: 'An error comes back without the state that was sent.',
    violates: ['AUTHZ-STATE-ECHO'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        if (searchParams.has('error')) searchParams.delete('state')
      }),
  },
  {
    name: 'code-in-fragment',
    summary: 'Code and state come back in the fragment instead of the query.',
    violates: ['AUTHZ-RESPONSE-QUERY'],
    consequences: ['AUTHZ-CODE-FLOW', 'AUTHZ-STATE-ECHO'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, (url) => {
        if (url.searchParams.has('code')) toFragment(url)
      }),
  },
  {
    name: 'error-in-fragment',
    summary: 'Errors come back in the fragment instead of the query.',
    violates: ['AUTHZ-RESPONSE-QUERY'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, (url) => {
        if (url.searchParams.has('error')) toFragment(url)
      }),
  },
  {
    name: 'access-token-in-redirect',
    summary: 'The redirect back to the application carries an access token beside the code.',
    violates: ['AUTHZ-RESPONSE-QUERY'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        if (searchParams.has('code')) searchParams.set('access_token', `${searchParams.get('code')}.early`)
      }),
  },
]

const parameters = [
  {
    name: 'state-optional',
    summary: 'A request without state is served.',
    violates: ['AUTHZ-STATE-REQUIRED'],
    alter: ({ idp }: Behaviour) => idp.requiredParameters.delete('state'),
  },
  {
    name: 'nonce-optional',
    summary: 'A request without nonce is served.',
    violates: ['AUTHZ-NONCE-REQUIRED'],
    alter: ({ idp }: Behaviour) => idp.requiredParameters.delete('nonce'),
  },
  {
    name: 'pkce-optional',
    summary: 'A request without a code challenge is served.',
    violates: ['AUTHZ-PKCE-REQUIRED'],
    alter: ({ idp }: Behaviour) => {
      idp.pkceRequired = false
    },
  },
  {
    name: 'pkce-plain-accepted',
    summary: 'The code challenge method plain works.',
    violates: ['AUTHZ-PKCE-S256-ONLY'],
    alter: ({ idp }: Behaviour) =>
      idp.authorizationRequest.push((query) => {
        const challenge = query.get('code_challenge')
        if (query.get('code_challenge_method') !== 'plain' || challenge === null) return
        query.set('code_challenge', createHash('sha256').update(challenge).digest('base64url'))
        query.set('code_challenge_method', 'S256')
      }),
  },
  {
    name: 'pkce-method-ignored',
    summary: 'Whatever code challenge method is named, S256 is used.',
    violates: ['AUTHZ-PKCE-S256-ONLY'],
    alter: ({ idp }: Behaviour) =>
      idp.authorizationRequest.push((query) => {
        if (query.has('code_challenge')) query.set('code_challenge_method', 'S256')
      }),
  },
  {
    name: 'openid-not-required',
    summary: 'A scope without openid is served as if openid were in it.',
    violates: ['AUTHZ-OPENID-SCOPE'],
    alter: ({ idp }: Behaviour) =>
      idp.authorizationRequest.push((query) => {
        const scopes = (query.get('scope') ?? '').split(' ').filter(Boolean)
        if (!scopes.includes('openid')) query.set('scope', ['openid', ...scopes].join(' '))
      }),
  },
  {
    name: 'response-type-ignored',
    summary: 'Any response type is served as code.',
    violates: ['AUTHZ-RESPONSE-TYPE'],
    alter: ({ idp }: Behaviour) =>
      idp.authorizationRequest.push((query) => {
        if (query.has('response_type')) query.set('response_type', 'code')
      }),
  },
  {
    name: 'response-type-error-renamed',
    summary: 'An unsupported response type is called invalid_request.',
    violates: ['AUTHZ-RESPONSE-TYPE'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        if (searchParams.get('error') === 'unsupported_response_type')
          searchParams.set('error', 'invalid_request')
      }),
  },
]

const interaction = [
  {
    name: 'prompt-none-shows-login',
    summary: 'prompt=none is ignored: without a session the login page is shown.',
    violates: ['AUTHZ-PROMPT-NONE'],
    alter: ({ idp }: Behaviour) => idp.authorizationRequest.push((query) => query.delete('prompt')),
  },
  {
    name: 'prompt-none-error-renamed',
    summary: 'prompt=none without a session is called invalid_request.',
    violates: ['AUTHZ-PROMPT-NONE'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        if (searchParams.get('error') === 'login_required') searchParams.set('error', 'invalid_request')
      }),
  },
  {
    name: 'cancel-as-server-error',
    summary: 'A user who cancels comes back with server_error.',
    violates: ['AUTHZ-USER-CANCEL'],
    alter: ({ idp }: Behaviour) => {
      idp.cancelError = 'server_error'
    },
  },
  {
    name: 'cancel-ends-on-page',
    summary: 'A user who cancels stays on a page of the provider; the application hears nothing.',
    violates: ['AUTHZ-USER-CANCEL'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.authorization.push((answer, received) => {
        if (callbackOf(answer, received)?.searchParams.get('error') !== 'access_denied') return
        Object.assign(
          answer,
          htmlAnswer(200, '<!doctype html><title>Cancelled</title><p>You have cancelled.</p>'),
        )
      }),
  },
]

export const authorizationFaults = withFace('authorization', [...flow, ...parameters, ...interaction])
