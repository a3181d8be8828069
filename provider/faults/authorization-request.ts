import { createHash, randomBytes } from 'node:crypto'
import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { SECOND_APPLICATION_ID } from '../deployment.ts'
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
    summary: 'Accepts a request without `state`.',
    violates: ['AUTHZ-STATE-REQUIRED'],
    alter: ({ idp }: Behaviour) => idp.requiredParameters.delete('state'),
  },
  {
    name: 'state-invented',
    summary: 'Accepts a request without `state`, and redirects with a state that it has generated.',
    violates: ['AUTHZ-STATE-REQUIRED'],
    alter: editRequest((query) => {
      if (!query.has('state')) query.set('state', randomBytes(16).toString('hex'))
    }),
  },
  {
    name: 'nonce-optional',
    summary: 'Accepts a request without `nonce`.',
    violates: ['AUTHZ-NONCE-REQUIRED'],
    alter: ({ idp }: Behaviour) => idp.requiredParameters.delete('nonce'),
  },
  {
    name: 'client-id-remembered',
    summary: 'Accepts a request without `client_id` as a request of the previous application.',
    violates: ['AUTHZ-CLIENT-ID-REQUIRED'],
    alter: addMissingFromFirst('client_id'),
  },
  {
    name: 'client-id-not-looked-up',
    summary:
      'Accepts a request with an unknown `client_id` as a request of the application that owns the redirect URI.',
    violates: ['AUTHZ-CLIENT-ID-UNKNOWN'],
    alter: (behaviour: Behaviour) => {
      const owners = new Map<string, string>()
      editRequest((query) => {
        const client = query.get('client_id')
        const owner = owners.get(query.get('redirect_uri') ?? '')
        if (client === null) return
        const isKnown = [...owners.values()].includes(client)
        if (owner !== undefined && !isKnown) query.set('client_id', owner)
        else if (owner === undefined) owners.set(query.get('redirect_uri') ?? '', client)
      })(behaviour)
    },
  },
  {
    name: 'redirect-uri-defaulted',
    summary: 'Accepts a request without `redirect_uri`, and redirects to the registered URI.',
    violates: ['AUTHZ-REDIRECT-URI-REQUIRED'],
    alter: addMissingFromFirst('redirect_uri'),
  },
  {
    name: 'response-type-defaulted',
    summary: 'Accepts a request without `response_type` as `code`.',
    violates: ['AUTHZ-RESPONSE-TYPE-REQUIRED'],
    alter: addMissing('response_type', 'code'),
  },
  {
    name: 'scope-defaulted',
    summary: 'Accepts a request without `scope` as `openid`.',
    violates: ['AUTHZ-SCOPE-REQUIRED'],
    alter: addMissing('scope', 'openid'),
  },
]

const pkce = [
  {
    name: 'pkce-optional',
    summary: 'Accepts a request without a code challenge.',
    violates: ['AUTHZ-PKCE-REQUIRED'],
    alter: ({ idp }: Behaviour) => {
      idp.pkceRequired = false
    },
  },
  {
    name: 'pkce-optional-for-the-second-application',
    summary: 'Accepts a request of the second application without a code challenge.',
    violates: ['AUTHZ-PKCE-REQUIRED'],
    alter: editRequest((query) => {
      if (query.get('client_id') !== SECOND_APPLICATION_ID || query.has('code_challenge')) return
      query.set('code_challenge', randomChallenge())
      query.set('code_challenge_method', 'S256')
    }),
  },
  {
    name: 'challenge-optional',
    summary: 'Accepts a request with the challenge method S256 but without a challenge.',
    violates: ['AUTHZ-CHALLENGE-REQUIRED'],
    alter: editRequest((query) => {
      if (query.has('code_challenge_method') && !query.has('code_challenge'))
        query.set('code_challenge', randomChallenge())
    }),
  },
  {
    name: 'challenge-empty',
    summary: 'Accepts a request with an empty challenge.',
    violates: ['AUTHZ-CHALLENGE-REQUIRED'],
    alter: editRequest((query) => {
      if (query.get('code_challenge') === '') query.set('code_challenge', randomChallenge())
    }),
  },
  {
    name: 'challenge-optional-for-the-second-application',
    summary:
      'Accepts a request of the second application with the challenge method S256 but without a challenge.',
    violates: ['AUTHZ-CHALLENGE-REQUIRED'],
    alter: editRequest((query) => {
      if (query.get('client_id') !== SECOND_APPLICATION_ID || !query.has('code_challenge_method')) return
      if (!query.get('code_challenge')) query.set('code_challenge', randomChallenge())
    }),
  },
  {
    name: 'challenge-empty-as-invalid-scope',
    summary: 'Returns the error `invalid_scope` for a request with an empty challenge.',
    violates: ['AUTHZ-CHALLENGE-REQUIRED-ERROR'],
    alter: editCallback(({ searchParams }, { query }) => {
      if (query.get('code_challenge') === '' && searchParams.has('error'))
        searchParams.set('error', 'invalid_scope')
    }),
  },
  {
    name: 'challenge-method-defaulted',
    summary: 'Accepts a request without a challenge method as S256.',
    violates: ['AUTHZ-CHALLENGE-METHOD-REQUIRED'],
    alter: editRequest((query) => {
      if (query.has('code_challenge')) {
        if (!query.has('code_challenge_method')) query.set('code_challenge_method', 'S256')
      }
    }),
  },
  {
    name: 'challenge-method-defaulted-to-plain',
    summary: 'Accepts a request without a challenge method as `plain`, the default of RFC 7636.',
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
    summary: 'Accepts the challenge method `plain`.',
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
    summary: 'Accepts the challenge method `s256`, in lower case.',
    violates: ['AUTHZ-PKCE-S256-ONLY'],
    alter: editRequest((query) => {
      if (query.get('code_challenge_method')?.toUpperCase() === 'S256')
        query.set('code_challenge_method', 'S256')
    }),
  },
  {
    name: 'pkce-method-ignored',
    summary: 'Accepts any challenge method as S256.',
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
    summary: 'Accepts a scope without `openid` as if it contained `openid`.',
    violates: ['AUTHZ-OPENID-SCOPE'],
    alter: editRequest((query) => {
      const scopes = query.get('scope')?.split(' ').filter(Boolean)
      if (scopes && !scopes.includes('openid')) query.set('scope', ['openid', ...scopes].join(' '))
    }),
  },
  {
    name: 'openid-as-part-of-a-word',
    summary: 'Accepts a scope with `openid` inside a longer word as if it contained `openid`.',
    violates: ['AUTHZ-OPENID-SCOPE'],
    alter: editRequest((query) => {
      const scopes = query.get('scope')?.split(' ')
      if (scopes && !scopes.includes('openid'))
        query.set('scope', scopes.map((one) => (one.includes('openid') ? 'openid' : one)).join(' '))
    }),
  },
  {
    name: 'openid-accepted-as-first-scope-only',
    summary: 'Refuses a scope in which `openid` is not the first value.',
    violates: ['AUTHZ-SCOPE-ORDER'],
    alter: editRequest((query) => {
      const scopes = query.get('scope')?.split(' ') ?? []
      if (scopes.indexOf('openid') > 0) query.set('scope', scopes.filter((one) => one !== 'openid').join(' '))
    }),
  },
  {
    name: 'unknown-scope-unlisted',
    summary: 'Returns the error `unknown_scope` for an unknown scope.',
    violates: ['AUTHZ-SCOPE-INVALID'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.get('error') === 'invalid_scope') searchParams.set('error', 'unknown_scope')
    }),
  },
  {
    name: 'unknown-scope-renamed',
    summary: 'Returns the error `unauthorized_client` for an unknown scope.',
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
    summary: `Accepts the response type \`${responseType}\` as \`code\`.`,
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
  acceptedAsCode('hybrid-token-served-as-code', 'code token', 'AUTHZ-RESPONSE-TYPE-HYBRID'),
  {
    name: 'implicit-id-token',
    summary: 'Returns an ID token in the fragment for the response type `id_token`.',
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
