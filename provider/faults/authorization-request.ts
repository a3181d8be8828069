import { randomBytes } from 'node:crypto'
import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editCallback, showPageForError } from '../edits.ts'
import type { HttpRequest } from '../http.ts'

/** Edits the query of an authorization request before it is validated. */
export function editRequest(edit: (query: URLSearchParams, request: HttpRequest) => void): Alter {
  return ({ idp }) => idp.authorizationRequest.push(edit)
}

/** Adds a missing parameter, with its value from the first request that had it. */
function addMissingFromFirst(name: string): Alter {
  return (behaviour) => {
    let first: string | undefined
    editRequest((query) => {
      first ??= query.get(name) ?? undefined
      if (first !== undefined && !query.has(name)) query.set(name, first)
    })(behaviour)
  }
}

function addMissing(name: string, value: string): Alter {
  return editRequest((query) => {
    if (!query.has(name)) query.set(name, value)
  })
}

/** Accepts a parameter without a value: replaces it with a random value. */
function replaceEmpty(name: string): Alter {
  return editRequest((query) => {
    if (query.get(name) === '') query.set(name, randomBytes(16).toString('hex'))
  })
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
    name: 'state-may-be-empty',
    summary: 'Accepts a request with an empty `state`.',
    violates: ['AUTHZ-STATE-REQUIRED'],
    alter: replaceEmpty('state'),
  },
  {
    name: 'nonce-may-be-empty',
    summary: 'Accepts a request with an empty `nonce`.',
    violates: ['AUTHZ-NONCE-REQUIRED'],
    alter: replaceEmpty('nonce'),
  },
  {
    name: 'nonce-optional',
    summary: 'Accepts a request without `nonce`.',
    violates: ['AUTHZ-NONCE-REQUIRED'],
    alter: ({ idp }: Behaviour) => idp.requiredParameters.delete('nonce'),
  },
  {
    name: 'client-id-remembered',
    summary:
      'Accepts a request without `client_id` as a request of the application that sent the first request.',
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
    summary: 'Accepts a request without `response_type`, and uses `code`.',
    violates: ['AUTHZ-RESPONSE-TYPE-REQUIRED'],
    alter: addMissing('response_type', 'code'),
  },
  {
    name: 'scope-defaulted',
    summary: 'Accepts a request without `scope`, and uses `openid`.',
    violates: ['AUTHZ-SCOPE-REQUIRED'],
    alter: addMissing('scope', 'openid'),
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
  {
    name: 'unknown-scope-on-page',
    pages: true,
    summary: 'Shows a page with status 400 for an unknown scope instead of redirecting to the application.',
    violates: ['AUTHZ-SCOPE-INVALID'],
    alter: showPageForError('invalid_scope'),
  },
]

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
    name: 'unknown-response-type-served-as-code',
    summary: 'Accepts a response type that does not exist as `code`.',
    violates: ['AUTHZ-RESPONSE-TYPE'],
    alter: editRequest((query) => {
      const types = query.get('response_type')?.split(' ') ?? []
      const known = ['code', 'token', 'id_token', 'none']
      if (types.length > 0 && !types.some((type) => known.includes(type))) query.set('response_type', 'code')
    }),
  },
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

export const authorizationRequestFaults = withSurface('authorization-request', [
  ...required,
  ...scope,
  ...responseType,
])
