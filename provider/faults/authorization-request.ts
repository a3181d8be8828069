import { createHash, randomBytes } from 'node:crypto'
import { type Behaviour, withFace } from '../behaviour.ts'
import type { Received } from '../http.ts'
import { onCallback } from './authorization.ts'

/** Edits the query of an authorization request before it is validated. */
function onRequest({ idp }: Behaviour, edit: (query: URLSearchParams, received: Received) => void): void {
  idp.authorizationRequest.push(edit)
}

/** Fills a parameter that a request lacks with its value in the first request that had it. */
function remember(behaviour: Behaviour, name: string): void {
  let first: string | undefined
  onRequest(behaviour, (query) => {
    first ??= query.get(name) ?? undefined
    if (first !== undefined && !query.has(name)) query.set(name, first)
  })
}

/** Fills a parameter that a request lacks. */
function fillIn(behaviour: Behaviour, name: string, value: string): void {
  onRequest(behaviour, (query) => {
    if (!query.has(name)) query.set(name, value)
  })
}

function randomChallenge(): string {
  return randomBytes(32).toString('base64url')
}

const required = [
  {
    name: 'state-optional',
    summary: 'A request without state is served.',
    violates: ['AUTHZ-STATE-REQUIRED'],
    alter: ({ idp }: Behaviour) => idp.requiredParameters.delete('state'),
  },
  {
    name: 'state-invented',
    summary: 'A request without state comes back with a state of the provider.',
    violates: ['AUTHZ-STATE-REQUIRED'],
    alter: (behaviour: Behaviour) =>
      onRequest(behaviour, (query) => {
        if (!query.has('state')) query.set('state', randomBytes(16).toString('hex'))
      }),
  },
  {
    name: 'nonce-optional',
    summary: 'A request without nonce is served.',
    violates: ['AUTHZ-NONCE-REQUIRED'],
    alter: ({ idp }: Behaviour) => idp.requiredParameters.delete('nonce'),
  },
  {
    name: 'client-id-remembered',
    summary: 'A request without client_id is served for the application the browser came from before.',
    violates: ['AUTHZ-CLIENT-ID-REQUIRED'],
    alter: (behaviour: Behaviour) => remember(behaviour, 'client_id'),
  },
  {
    name: 'client-id-not-looked-up',
    summary: 'An unknown client_id is served for the application that owns the redirect URI.',
    violates: ['AUTHZ-CLIENT-ID-UNKNOWN'],
    alter: (behaviour: Behaviour) => {
      const owners = new Map<string, string>()
      onRequest(behaviour, (query) => {
        const client = query.get('client_id')
        const owner = owners.get(query.get('redirect_uri') ?? '')
        if (client === null) return
        if (owner !== undefined) query.set('client_id', owner)
        else owners.set(query.get('redirect_uri') ?? '', client)
      })
    },
  },
  {
    name: 'redirect-uri-defaulted',
    summary: 'A request without redirect_uri is served with the one that is registered.',
    violates: ['AUTHZ-REDIRECT-URI-REQUIRED'],
    alter: (behaviour: Behaviour) => remember(behaviour, 'redirect_uri'),
  },
  {
    name: 'response-type-defaulted',
    summary: 'A request without response_type is served as code.',
    violates: ['AUTHZ-RESPONSE-TYPE-REQUIRED'],
    alter: (behaviour: Behaviour) => fillIn(behaviour, 'response_type', 'code'),
  },
  {
    name: 'scope-defaulted',
    summary: 'A request without scope is served with openid.',
    violates: ['AUTHZ-SCOPE-REQUIRED'],
    alter: (behaviour: Behaviour) => fillIn(behaviour, 'scope', 'openid'),
  },
  {
    name: 'missing-parameter-renamed',
    summary: 'A missing nonce is called unauthorized_client.',
    violates: ['AUTHZ-NONCE-REQUIRED'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        if (searchParams.get('error_description')?.includes("'nonce'"))
          searchParams.set('error', 'unauthorized_client')
      }),
  },
]

const pkce = [
  {
    name: 'pkce-optional',
    summary: 'A request without a code challenge is served.',
    violates: ['AUTHZ-PKCE-REQUIRED'],
    alter: ({ idp }: Behaviour) => {
      idp.pkceRequired = false
    },
  },
  {
    name: 'challenge-optional',
    summary: 'A request that names S256 but has no challenge is served.',
    violates: ['AUTHZ-CHALLENGE-REQUIRED'],
    alter: (behaviour: Behaviour) =>
      onRequest(behaviour, (query) => {
        if (query.has('code_challenge_method') && !query.has('code_challenge'))
          query.set('code_challenge', randomChallenge())
      }),
  },
  {
    name: 'challenge-method-defaulted',
    summary: 'A request without a challenge method is served as S256.',
    violates: ['AUTHZ-CHALLENGE-METHOD-REQUIRED'],
    alter: (behaviour: Behaviour) =>
      onRequest(behaviour, (query) => {
        if (query.has('code_challenge')) {
          if (!query.has('code_challenge_method')) query.set('code_challenge_method', 'S256')
        }
      }),
  },
  {
    name: 'challenge-method-defaulted-to-plain',
    summary: 'A request without a challenge method is served as plain, as RFC 7636 has it.',
    violates: ['AUTHZ-CHALLENGE-METHOD-REQUIRED'],
    alter: (behaviour: Behaviour) =>
      onRequest(behaviour, (query) => {
        const challenge = query.get('code_challenge')
        if (challenge === null || query.has('code_challenge_method')) return
        query.set('code_challenge', createHash('sha256').update(challenge).digest('base64url'))
        query.set('code_challenge_method', 'S256')
      }),
  },
  {
    name: 'pkce-plain-accepted',
    summary: 'The code challenge method plain works.',
    violates: ['AUTHZ-PKCE-S256-ONLY'],
    alter: (behaviour: Behaviour) =>
      onRequest(behaviour, (query) => {
        const challenge = query.get('code_challenge')
        if (query.get('code_challenge_method') !== 'plain' || challenge === null) return
        query.set('code_challenge', createHash('sha256').update(challenge).digest('base64url'))
        query.set('code_challenge_method', 'S256')
      }),
  },
  {
    name: 'pkce-method-without-case',
    summary: 'The code challenge method s256 in lower case works.',
    violates: ['AUTHZ-PKCE-S256-ONLY'],
    alter: (behaviour: Behaviour) =>
      onRequest(behaviour, (query) => {
        if (query.get('code_challenge_method')?.toUpperCase() === 'S256')
          query.set('code_challenge_method', 'S256')
      }),
  },
  {
    name: 'pkce-method-ignored',
    summary: 'Whatever code challenge method is named, S256 is used.',
    violates: ['AUTHZ-PKCE-S256-ONLY'],
    alter: (behaviour: Behaviour) =>
      onRequest(behaviour, (query) => {
        if (query.has('code_challenge') && query.has('code_challenge_method'))
          query.set('code_challenge_method', 'S256')
      }),
  },
]

const scope = [
  {
    name: 'openid-not-required',
    summary: 'A scope without openid is served as if openid were in it.',
    violates: ['AUTHZ-OPENID-SCOPE'],
    alter: (behaviour: Behaviour) =>
      onRequest(behaviour, (query) => {
        const scopes = query.get('scope')?.split(' ').filter(Boolean)
        if (scopes && !scopes.includes('openid')) query.set('scope', ['openid', ...scopes].join(' '))
      }),
  },
  {
    name: 'openid-as-part-of-a-word',
    summary: 'A scope that holds openid in a longer word is served as if openid were in it.',
    violates: ['AUTHZ-OPENID-SCOPE'],
    alter: (behaviour: Behaviour) =>
      onRequest(behaviour, (query) => {
        const scopes = query.get('scope')?.split(' ')
        if (scopes && !scopes.includes('openid'))
          query.set('scope', scopes.map((one) => (one.includes('openid') ? 'openid' : one)).join(' '))
      }),
  },
  {
    name: 'openid-error-renamed',
    summary: 'A scope without openid is called access_denied.',
    violates: ['AUTHZ-OPENID-SCOPE'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }, { query }) => {
        if (searchParams.has('error') && query.get('scope')?.includes('openid') === false)
          searchParams.set('error', 'access_denied')
      }),
  },
  {
    name: 'unknown-scope-renamed',
    summary: 'An unknown scope is called unauthorized_client.',
    violates: ['AUTHZ-SCOPE-INVALID'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        if (searchParams.get('error') === 'invalid_scope') searchParams.set('error', 'unauthorized_client')
      }),
  },
]

/** Serves a response type as code. */
function servedAsCode(name: string, responseType: string, violates: string) {
  return {
    name,
    summary: `The response type ${responseType} is served as code.`,
    violates: [violates],
    alter: (behaviour: Behaviour) =>
      onRequest(behaviour, (query) => {
        if (query.get('response_type') === responseType) query.set('response_type', 'code')
      }),
  }
}

const responseType = [
  servedAsCode('token-served-as-code', 'token', 'AUTHZ-RESPONSE-TYPE'),
  servedAsCode('id-token-served-as-code', 'id_token', 'AUTHZ-RESPONSE-TYPE-ID-TOKEN'),
  servedAsCode('hybrid-served-as-code', 'code id_token', 'AUTHZ-RESPONSE-TYPE-HYBRID'),
  {
    name: 'implicit-id-token',
    summary: 'The response type id_token brings an ID token in the fragment.',
    violates: ['AUTHZ-RESPONSE-TYPE-ID-TOKEN'],
    alter: (behaviour: Behaviour) => {
      const implicit = new WeakSet<Received>()
      onRequest(behaviour, (query, received) => {
        if (query.get('response_type') !== 'id_token') return
        query.set('response_type', 'code')
        implicit.add(received)
      })
      onCallback(behaviour, (url, received) => {
        if (!implicit.has(received) || !url.searchParams.has('code')) return
        url.hash = `id_token=e30.e30.early&state=${encodeURIComponent(url.searchParams.get('state') ?? '')}`
        url.search = ''
      })
    },
  },
  {
    name: 'response-type-error-renamed',
    summary: 'An unsupported response type is called invalid_request.',
    violates: ['AUTHZ-RESPONSE-TYPE', 'AUTHZ-RESPONSE-TYPE-ID-TOKEN', 'AUTHZ-RESPONSE-TYPE-HYBRID'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        if (searchParams.get('error') === 'unsupported_response_type')
          searchParams.set('error', 'invalid_request')
      }),
  },
]

export const authorizationRequestFaults = withFace('authorization', [
  ...required,
  ...pkce,
  ...scope,
  ...responseType,
])
