import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { SECOND_APPLICATION_ID } from '../deployment.ts'
import { editActiveToken, editResponse, editTokens } from '../edits.ts'
import { fieldsOf, type HttpRequest, htmlResponse, jsonResponse } from '../http.ts'
import { endpointOf } from '../identity/paths.ts'
import { announceShortLifetime } from './token-edits.ts'

const REFERENCE = ['introspection-available']

/** Collects introspection requests whose token is a JWT, because the provider later replaces the JWT in the request. */
function jwtRequests({ idp }: Behaviour): WeakSet<HttpRequest> {
  const requests = new WeakSet<HttpRequest>()
  idp.interceptors.push((request) => {
    if (request.form?.get('token')?.includes('.')) requests.add(request)
    return undefined
  })
  return requests
}

function isoDate(seconds: unknown): string {
  return new Date(Number(seconds) * 1000).toISOString()
}

/** Wrong descriptions of tokens. */
export const introspectionFaults = withSurface('introspection', [
  {
    name: 'introspection-active-as-text',
    summary: 'Returns the string `"true"` as `active` for a valid token.',
    violates: ['INTROSPECTION-ACTIVE'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response) => {
      const fields = fieldsOf(response)
      if (fields?.active === true) fields.active = 'true'
    }),
  },
  {
    name: 'introspection-active-called-inactive',
    summary: 'Returns `active: false` for a valid access token.',
    violates: ['INTROSPECTION-ACTIVE'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response) => {
      if (fieldsOf(response)?.active === true) response.body = { active: false }
    }),
  },
  ...(
    [
      ['scope-as-list', 'SCOPE', '`scope` as an array', (fields) => [fields.scope]],
      ['scope-null', 'SCOPE', '`null` as `scope`', () => null],
      [
        'client-id-in-capitals',
        'CLIENT-ID',
        '`client_id` in upper case',
        (fields) => String(fields.client_id).toUpperCase(),
      ],
      ['username-number', 'USERNAME', '`username` as a number', () => 4711],
      [
        'token-type-of-refresh-token',
        'TOKEN-TYPE',
        'the `token_type` of a refresh token',
        () => 'refresh_token',
      ],
      ['sub-of-another-sphere', 'SUB', 'the `sub` of another Sphere', (fields) => `${fields.sub}-south`],
      ['aud-empty', 'AUD', 'an empty array as `aud`', () => []],
      ['iss-other-host', 'ISS', 'an internal host as `iss`', () => 'https://idp-node-1.internal.invalid'],
      ['jti-empty', 'JTI', 'an empty `jti`', () => ''],
      [
        'client-id-of-neighbour',
        'CLIENT-ID',
        'another application as `client_id`',
        () => SECOND_APPLICATION_ID,
      ],
      [
        'username-is-subject',
        'USERNAME',
        'a `username` that is not an e-mail address',
        (fields) => fields.sub,
      ],
      ['token-type-jwt', 'TOKEN-TYPE', 'the format of the token as `token_type`', () => 'JWT'],
      ['exp-in-milliseconds', 'EXP', '`exp` in milliseconds', (fields) => Number(fields.exp) * 1000],
      ['exp-as-text', 'EXP', '`exp` as a date', (fields) => isoDate(fields.exp)],
      ['iat-as-text', 'IAT', '`iat` as a date', (fields) => isoDate(fields.iat)],
      ['iat-in-milliseconds', 'IAT', '`iat` in milliseconds', (fields) => Number(fields.iat) * 1000],
      ['nbf-in-milliseconds', 'NBF', '`nbf` in milliseconds', (fields) => Number(fields.nbf) * 1000],
      ['nbf-is-expiry', 'NBF', 'the value of `exp` as `nbf`', (fields) => fields.exp],
      ['sub-of-account', 'SUB', 'an internal account number as `sub`', () => 'account-4711'],
      ['aud-as-object', 'AUD', '`aud` as an object', (fields) => ({ client: fields.client_id })],
      ['iss-trailing-slash', 'ISS', '`iss` with a trailing slash', (fields) => `${fields.iss}/`],
      ['jti-of-user', 'JTI', 'the same `jti` for all tokens of a user', (fields) => `user-${fields.sub}`],
    ] as const satisfies readonly (readonly [
      string,
      string,
      string,
      (fields: Record<string, unknown>) => unknown,
    ])[]
  ).map(([name, requirement, what, value]) => ({
    name: `introspection-${name}`,
    summary: `Returns ${what} in the introspection response for an active token.`,
    violates: [`INTROSPECTION-${requirement}`],
    variants: REFERENCE,
    alter: editActiveToken((fields) => {
      fields[requirement.toLowerCase().replaceAll('-', '_')] = value(fields)
    }),
  })),
  {
    name: 'introspection-inactive-with-reason',
    summary: 'Adds a reason to the introspection response for an inactive token.',
    violates: ['INTROSPECTION-INACTIVE-ALONE'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response) => {
      const fields = fieldsOf(response)
      if (fields?.active === false) fields.reason = 'unknown'
    }),
  },
  {
    name: 'introspection-inactive-with-null',
    summary: 'Adds `exp: null` to the introspection response for an inactive token.',
    violates: ['INTROSPECTION-INACTIVE-ALONE'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response) => {
      const fields = fieldsOf(response)
      if (fields?.active === false) fields.exp = null
    }),
  },
  {
    name: 'introspection-inactive-as-zero',
    summary: 'Returns `active: 0` for a token that was never issued.',
    violates: ['INTROSPECTION-INACTIVE'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response, { form }) => {
      const fields = fieldsOf(response)
      if (fields?.active === false && !form?.get('token')?.includes('.')) fields.active = 0
    }),
  },
  {
    name: 'introspection-inactive-as-404',
    summary: 'Returns 404 for introspection of a token that was never issued.',
    violates: ['INTROSPECTION-INACTIVE'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response, { form }) => {
      if (fieldsOf(response)?.active === false && !form?.get('token')?.includes('.')) {
        const body = { error: 'not_found', error_description: 'There is no such token.' }
        Object.assign(response, jsonResponse(404, body))
      }
    }),
  },
  {
    name: 'introspection-tells-altered-tokens',
    summary: 'Adds a detail about the signature to the introspection response for an altered token.',
    violates: ['INTROSPECTION-INACTIVE-ALIKE'],
    variants: REFERENCE,
    alter: (behaviour: Behaviour) => {
      const jwts = jwtRequests(behaviour)
      behaviour.idp.responses.introspection.push((response, request) => {
        const fields = fieldsOf(response)
        if (fields?.active === false && jwts.has(request)) fields.detail = 'signature'
      })
    },
  },
  {
    name: 'introspection-signature-not-checked',
    summary: 'Returns `active: true` for an access token with an altered signature.',
    violates: ['INTROSPECTION-TAMPERED'],
    variants: REFERENCE,
    alter: (behaviour: Behaviour) => {
      const issued = new Map<string, string>()
      const signedPart = (token: string) => token.slice(0, Math.max(0, token.lastIndexOf('.')))
      editTokens(({ access_token: token }) => issued.set(signedPart(String(token)), String(token)))(behaviour)
      behaviour.idp.interceptors.push(({ path, form }) => {
        const known = issued.get(signedPart(form?.get('token') ?? ''))
        if (endpointOf(path) === 'introspection' && known) form?.set('token', known)
        return undefined
      })
    },
  },
  {
    name: 'introspection-active-after-expiry',
    summary: 'Returns `active: true` for an access token after its announced lifetime of 3 s.',
    violates: ['INTROSPECTION-EXPIRED'],
    variants: REFERENCE,
    alter: (behaviour: Behaviour) => announceShortLifetime(behaviour),
  },
  {
    name: 'introspection-refresh-tokens-described',
    summary: 'Describes refresh tokens to partners, and refuses introspection of access tokens.',
    violates: ['INTROSPECTION-UNAVAILABLE'],
    alter: (behaviour: Behaviour) => {
      behaviour.idp.introspection = 'reference'
      const jwts = jwtRequests(behaviour)
      behaviour.idp.responses.introspection.push((response, request) => {
        if (jwts.has(request))
          Object.assign(response, htmlResponse(400, '<!doctype html><title>Error</title>'))
      })
    },
  },
  ...(
    [
      ['client-id-of-neighbour', 'CLIENT-ID', 'another application as `client_id`', SECOND_APPLICATION_ID],
      ['iss-internal', 'ISS', 'an internal host as `iss`', 'https://idp-node-1.internal.invalid'],
      ['sub-of-account', 'SUB', 'an internal account number as `sub`', 'account-4711'],
    ] as const
  ).map(([name, requirement, what, value]) => ({
    name: `introspection-refresh-token-${name}`,
    summary: `Returns ${what} in the introspection response for a refresh token.`,
    violates: [`INTROSPECTION-${requirement}`],
    variants: REFERENCE,
    alter: (behaviour: Behaviour) => {
      const jwts = jwtRequests(behaviour)
      behaviour.idp.responses.introspection.push((response, request) => {
        const fields = fieldsOf(response)
        if (fields?.active !== true || jwts.has(request)) return
        fields[requirement.toLowerCase().replaceAll('-', '_')] = value
      })
    },
  })),
  {
    name: 'introspection-refresh-token-unknown',
    summary: 'Returns `active: false` for a valid refresh token.',
    violates: ['INTROSPECTION-REFRESH-TOKEN'],
    variants: REFERENCE,
    alter: (behaviour: Behaviour) => {
      const jwts = jwtRequests(behaviour)
      behaviour.idp.responses.introspection.push((response, request) => {
        if (fieldsOf(response)?.active === true && !jwts.has(request)) response.body = { active: false }
      })
    },
  },
])
