import { createHash, randomBytes } from 'node:crypto'
import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editCallback } from '../edits.ts'
import type { HttpRequest } from '../http.ts'

/** Edits the query of an authorization request before it is validated. */
function editRequest(edit: (query: URLSearchParams, request: HttpRequest) => void): Alter {
  return ({ idp }) => idp.authorizationRequest.push(edit)
}

/** Adds a missing parameter with its value in the first request that had it. */
function addMissingFromFirst(name: string): Alter {
  return (behaviour) => {
    let first: string | undefined
    editRequest((query) => {
      first ??= query.get(name) ?? undefined
      if (first !== undefined && !query.has(name)) query.set(name, first)
    })(behaviour)
  }
}

/** Adds a missing parameter. */
function addMissing(name: string, value: string): Alter {
  return editRequest((query) => {
    if (!query.has(name)) query.set(name, value)
  })
}

function randomChallenge(): string {
  return randomBytes(32).toString('base64url')
}

const required = [
  {
    name: 'state-optional',
    summary: 'A request without state is accepted.',
    violates: ['AUTHZ-STATE-REQUIRED'],
    alter: ({ idp }: Behaviour) => idp.requiredParameters.delete('state'),
  },
  {
    name: 'state-invented',
    summary: 'A request without state is accepted, and the redirect has a state that the provider invents.',
    violates: ['AUTHZ-STATE-REQUIRED'],
    alter: editRequest((query) => {
      if (!query.has('state')) query.set('state', randomBytes(16).toString('hex'))
    }),
  },
  {
    name: 'nonce-optional',
    summary: 'A request without nonce is accepted.',
    violates: ['AUTHZ-NONCE-REQUIRED'],
    alter: ({ idp }: Behaviour) => idp.requiredParameters.delete('nonce'),
  },
  {
    name: 'client-id-remembered',
    summary: 'A request without client_id is accepted as one of the previous application.',
    violates: ['AUTHZ-CLIENT-ID-REQUIRED'],
    alter: addMissingFromFirst('client_id'),
  },
  {
    name: 'client-id-not-looked-up',
    summary:
      'A request with an unknown client_id is accepted as one of the application that owns the redirect URI.',
    violates: ['AUTHZ-CLIENT-ID-UNKNOWN'],
    alter: (behaviour: Behaviour) => {
      const owners = new Map<string, string>()
      editRequest((query) => {
        const client = query.get('client_id')
        const owner = owners.get(query.get('redirect_uri') ?? '')
        if (client === null) return
        if (owner !== undefined) query.set('client_id', owner)
        else owners.set(query.get('redirect_uri') ?? '', client)
      })(behaviour)
    },
  },
  {
    name: 'redirect-uri-defaulted',
    summary: 'A request without redirect_uri is accepted; the redirect goes to the registered one.',
    violates: ['AUTHZ-REDIRECT-URI-REQUIRED'],
    alter: addMissingFromFirst('redirect_uri'),
  },
  {
    name: 'response-type-defaulted',
    summary: 'A request without response_type is accepted as code.',
    violates: ['AUTHZ-RESPONSE-TYPE-REQUIRED'],
    alter: addMissing('response_type', 'code'),
  },
  {
    name: 'scope-defaulted',
    summary: 'A request without scope is accepted as openid.',
    violates: ['AUTHZ-SCOPE-REQUIRED'],
    alter: addMissing('scope', 'openid'),
  },
]

const pkce = [
  {
    name: 'pkce-optional',
    summary: 'A request without a code challenge is accepted.',
    violates: ['AUTHZ-PKCE-REQUIRED'],
    alter: ({ idp }: Behaviour) => {
      idp.pkceRequired = false
    },
  },
  {
    name: 'challenge-optional',
    summary: 'A request with the challenge method S256 but no challenge is accepted.',
    violates: ['AUTHZ-CHALLENGE-REQUIRED'],
    alter: editRequest((query) => {
      if (query.has('code_challenge_method') && !query.has('code_challenge'))
        query.set('code_challenge', randomChallenge())
    }),
  },
  {
    name: 'challenge-method-defaulted',
    summary: 'A request without a challenge method is accepted as S256.',
    violates: ['AUTHZ-CHALLENGE-METHOD-REQUIRED'],
    alter: editRequest((query) => {
      if (query.has('code_challenge')) {
        if (!query.has('code_challenge_method')) query.set('code_challenge_method', 'S256')
      }
    }),
  },
  {
    name: 'challenge-method-defaulted-to-plain',
    summary: 'A request without a challenge method is accepted as plain, the default of RFC 7636.',
    violates: ['AUTHZ-CHALLENGE-METHOD-REQUIRED'],
    alter: editRequest((query) => {
      const challenge = query.get('code_challenge')
      if (challenge === null || query.has('code_challenge_method')) return
      query.set('code_challenge', createHash('sha256').update(challenge).digest('base64url'))
      query.set('code_challenge_method', 'S256')
    }),
  },
  {
    name: 'pkce-plain-accepted',
    summary: 'The code challenge method plain is accepted.',
    violates: ['AUTHZ-PKCE-S256-ONLY'],
    alter: editRequest((query) => {
      const challenge = query.get('code_challenge')
      if (query.get('code_challenge_method') !== 'plain' || challenge === null) return
      query.set('code_challenge', createHash('sha256').update(challenge).digest('base64url'))
      query.set('code_challenge_method', 'S256')
    }),
  },
  {
    name: 'pkce-method-without-case',
    summary: 'The code challenge method s256, in lower case, is accepted.',
    violates: ['AUTHZ-PKCE-S256-ONLY'],
    alter: editRequest((query) => {
      if (query.get('code_challenge_method')?.toUpperCase() === 'S256')
        query.set('code_challenge_method', 'S256')
    }),
  },
  {
    name: 'pkce-method-ignored',
    summary: 'Any code challenge method is accepted as S256.',
    violates: ['AUTHZ-PKCE-S256-ONLY'],
    alter: editRequest((query) => {
      if (query.has('code_challenge') && query.has('code_challenge_method'))
        query.set('code_challenge_method', 'S256')
    }),
  },
]

const scope = [
  {
    name: 'openid-not-required',
    summary: 'A scope without openid is accepted as if it contained openid.',
    violates: ['AUTHZ-OPENID-SCOPE'],
    alter: editRequest((query) => {
      const scopes = query.get('scope')?.split(' ').filter(Boolean)
      if (scopes && !scopes.includes('openid')) query.set('scope', ['openid', ...scopes].join(' '))
    }),
  },
  {
    name: 'openid-as-part-of-a-word',
    summary: 'A scope with openid as part of a longer word is accepted as if it contained openid.',
    violates: ['AUTHZ-OPENID-SCOPE'],
    alter: editRequest((query) => {
      const scopes = query.get('scope')?.split(' ')
      if (scopes && !scopes.includes('openid'))
        query.set('scope', scopes.map((one) => (one.includes('openid') ? 'openid' : one)).join(' '))
    }),
  },
  {
    name: 'unknown-scope-unlisted',
    summary: 'An unknown scope returns the error unknown_scope.',
    violates: ['AUTHZ-SCOPE-INVALID'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.get('error') === 'invalid_scope') searchParams.set('error', 'unknown_scope')
    }),
  },
  {
    name: 'unknown-scope-renamed',
    summary: 'An unknown scope returns the error unauthorized_client.',
    violates: ['AUTHZ-SCOPE-INVALID'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.get('error') === 'invalid_scope') searchParams.set('error', 'unauthorized_client')
    }),
  },
]

/** Accepts a response type as code. */
function acceptedAsCode(name: string, responseType: string, violates: string) {
  return {
    name,
    summary: `The response type ${responseType} is accepted as code.`,
    violates: [violates],
    alter: editRequest((query) => {
      if (query.get('response_type') === responseType) query.set('response_type', 'code')
    }),
  }
}

const responseType = [
  acceptedAsCode('token-served-as-code', 'token', 'AUTHZ-RESPONSE-TYPE'),
  acceptedAsCode('id-token-served-as-code', 'id_token', 'AUTHZ-RESPONSE-TYPE-ID-TOKEN'),
  acceptedAsCode('hybrid-served-as-code', 'code id_token', 'AUTHZ-RESPONSE-TYPE-HYBRID'),
  {
    name: 'implicit-id-token',
    summary: 'The response type id_token returns an ID token in the fragment.',
    violates: ['AUTHZ-RESPONSE-TYPE-ID-TOKEN'],
    alter: (behaviour: Behaviour) => {
      const implicit = new WeakSet<HttpRequest>()
      editRequest((query, request) => {
        if (query.get('response_type') !== 'id_token') return
        query.set('response_type', 'code')
        implicit.add(request)
      })(behaviour)
      editCallback((url, request) => {
        if (!implicit.has(request) || !url.searchParams.has('code')) return
        url.hash = `id_token=e30.e30.early&state=${encodeURIComponent(url.searchParams.get('state') ?? '')}`
        url.search = ''
      })(behaviour)
    },
  },
]

export const authorizationRequestFaults = withSurface('authorization', [
  ...required,
  ...pkce,
  ...scope,
  ...responseType,
])
