import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editActiveToken, editResponse, editTokens } from '../edits.ts'
import { fieldsOf, type HttpRequest, jsonResponse } from '../http.ts'
import { endpointOf } from '../identity/paths.ts'
import { announceShortLifetime } from './token-edits.ts'

const REFERENCE = ['introspection-available']

/** Introspection requests for a JWT. The provider later replaces it by an identifier. */
function jwtRequests({ idp }: Behaviour): WeakSet<HttpRequest> {
  const found = new WeakSet<HttpRequest>()
  idp.interceptors.push((request) => {
    if (request.form?.get('token')?.includes('.')) found.add(request)
    return undefined
  })
  return found
}

function isoDate(seconds: unknown): string {
  return new Date(Number(seconds) * 1000).toISOString()
}

/** Wrong descriptions of tokens. */
export const introspectionFaults = withSurface('introspection', [
  {
    name: 'introspection-active-as-text',
    summary: 'Introspection of a valid token returns active: "true".',
    violates: ['INTROSPECTION-ACTIVE'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response) => {
      const fields = fieldsOf(response)
      if (fields?.active === true) fields.active = 'true'
    }),
  },
  {
    name: 'introspection-active-called-inactive',
    summary: 'Introspection of a valid access token returns active: false.',
    violates: ['INTROSPECTION-ACTIVE'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response) => {
      if (fieldsOf(response)?.active === true) response.body = { active: false }
    }),
  },
  ...(
    [
      ['scope-as-list', 'SCOPE', 'scope is a list', (fields) => [fields.scope]],
      ['scope-null', 'SCOPE', 'scope is null', () => null],
      [
        'client-id-in-capitals',
        'CLIENT-ID',
        'client_id is in upper case',
        (fields) => String(fields.client_id).toUpperCase(),
      ],
      ['username-number', 'USERNAME', 'username is a number', () => 4711],
      [
        'token-type-of-refresh-token',
        'TOKEN-TYPE',
        'token_type is that of a refresh token',
        () => 'refresh_token',
      ],
      ['sub-of-another-sphere', 'SUB', 'sub is that of another Sphere', (fields) => `${fields.sub}-south`],
      ['aud-empty', 'AUD', 'aud is an empty list', () => []],
      ['iss-other-host', 'ISS', 'iss is an internal host', () => 'https://idp-node-1.internal.invalid'],
      ['jti-empty', 'JTI', 'jti is empty', () => ''],
      ['client-id-of-neighbour', 'CLIENT-ID', 'client_id is another application', () => 'second-kiosk'],
      ['username-is-subject', 'USERNAME', 'username is not an e-mail address', (fields) => fields.sub],
      ['token-type-jwt', 'TOKEN-TYPE', 'token_type is the format of the token', () => 'JWT'],
      ['exp-in-milliseconds', 'EXP', 'exp is in milliseconds', (fields) => Number(fields.exp) * 1000],
      ['exp-as-text', 'EXP', 'exp is a date', (fields) => isoDate(fields.exp)],
      ['iat-as-text', 'IAT', 'iat is a date', (fields) => isoDate(fields.iat)],
      ['iat-in-milliseconds', 'IAT', 'iat is in milliseconds', (fields) => Number(fields.iat) * 1000],
      ['nbf-in-milliseconds', 'NBF', 'nbf is in milliseconds', (fields) => Number(fields.nbf) * 1000],
      ['nbf-is-expiry', 'NBF', 'nbf equals exp', (fields) => fields.exp],
      ['sub-of-account', 'SUB', 'sub is an internal account number', () => 'account-4711'],
      ['aud-as-object', 'AUD', 'aud is an object', (fields) => ({ client: fields.client_id })],
      ['iss-trailing-slash', 'ISS', 'iss has a trailing slash', (fields) => `${fields.iss}/`],
      ['jti-of-user', 'JTI', 'jti is the same for all tokens of a user', (fields) => `user-${fields.sub}`],
    ] as const satisfies readonly (readonly [
      string,
      string,
      string,
      (fields: Record<string, unknown>) => unknown,
    ])[]
  ).map(([name, requirement, what, value]) => ({
    name: `introspection-${name}`,
    summary: `In the description of an active token, ${what}.`,
    violates: [`INTROSPECTION-${requirement}`],
    variants: REFERENCE,
    alter: editActiveToken((fields) => {
      fields[requirement.toLowerCase().replaceAll('-', '_')] = value(fields)
    }),
  })),
  {
    name: 'introspection-inactive-with-reason',
    summary: 'The description of an inactive token contains a reason.',
    violates: ['INTROSPECTION-INACTIVE-ALONE'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response) => {
      const fields = fieldsOf(response)
      if (fields?.active === false) fields.reason = 'unknown'
    }),
  },
  {
    name: 'introspection-inactive-with-null',
    summary: 'The description of an inactive token contains exp: null.',
    violates: ['INTROSPECTION-INACTIVE-ALONE'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response) => {
      const fields = fieldsOf(response)
      if (fields?.active === false) fields.exp = null
    }),
  },
  {
    name: 'introspection-inactive-as-zero',
    summary: 'Introspection of a token that was never issued returns active: 0.',
    violates: ['INTROSPECTION-INACTIVE'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response, { form }) => {
      const fields = fieldsOf(response)
      if (fields?.active === false && !form?.get('token')?.includes('.')) fields.active = 0
    }),
  },
  {
    name: 'introspection-inactive-as-404',
    summary: 'Introspection of a token that was never issued returns 404.',
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
    summary: 'The description of an altered token contains a detail about its signature.',
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
    summary: 'Introspection of an access token with an altered signature returns active: true.',
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
    summary: 'Introspection returns active: true after the announced lifetime of three seconds.',
    violates: ['INTROSPECTION-EXPIRED'],
    variants: REFERENCE,
    alter: (behaviour: Behaviour) => announceShortLifetime(behaviour),
  },
  {
    name: 'introspection-refresh-token-unknown',
    summary: 'Introspection of a valid refresh token returns active: false.',
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
