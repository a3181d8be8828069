import { createHmac } from 'node:crypto'
import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { LEVELS } from '../deployment.ts'
import { grantType } from '../edits.ts'
import type { UnsignedJwt } from '../identity/behaviour.ts'
import { signRs256, spareKey } from '../keys.ts'

const edits = [
  [
    'signed-with-hs256',
    'SIGNATURE',
    'is signed with HS256',
    (jwt) => {
      jwt.header.alg = 'HS256'
      jwt.sign = (input) => createHmac('sha256', 'kiosk').update(input).digest('base64url')
    },
  ],
  [
    'signed-by-unpublished-key',
    'SIGNATURE',
    'is signed by another key than the one its kid names',
    async (jwt) => {
      const { privateKey } = await spareKey()
      jwt.sign = (input) => signRs256(input, privateKey)
    },
  ],
  [
    'from-issuer-with-slash',
    'ISSUER',
    'has an issuer with a trailing slash',
    ({ claims }) => {
      claims.iss = `${claims.iss}/`
    },
  ],
  [
    'with-empty-audience',
    'AUDIENCE',
    'has an empty list of audiences',
    ({ claims }) => {
      claims.aud = []
    },
  ],
  [
    'expiring-in-milliseconds',
    'EXPIRY',
    'has an exp in milliseconds',
    ({ claims }) => {
      claims.exp = Number(claims.exp) * 1000
    },
  ],
  [
    'from-foreign-issuer',
    'ISSUER',
    'has another issuer',
    ({ claims }) => {
      claims.iss = 'https://idp.elsewhere.invalid'
    },
  ],
  [
    'without-audience',
    'AUDIENCE',
    'has no audience',
    ({ claims }) => {
      delete claims.aud
    },
  ],
  [
    'expired',
    'EXPIRY',
    'expires two hours before it is issued',
    ({ claims }) => {
      claims.exp = Number(claims.iat) - 7200
    },
  ],
] as const satisfies readonly (readonly [
  string,
  string,
  string,
  (jwt: UnsignedJwt) => void | Promise<void>,
])[]

const idTokenEdits = [
  ['for-another-party', 'AZP', 'has the azp of another application', 'azp', 'second-kiosk'],
  ['of-a-lower-level', 'ACR', 'has a lower acr than requested', 'acr', LEVELS[0]],
] as const

/** Tokens that are right after a code exchange and wrong after a refresh. */
export const refreshedTokenFaults = withSurface('jwt', [
  ...idTokenEdits.map(([name, rule, what, claim, value]) => ({
    name: `refreshed-id-token-${name}`,
    summary: `The ID token of a refresh ${what}.`,
    violates: [`IDTOKEN-REFRESHED-${rule}`],
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }, request) => {
        if (grantType(request) === 'refresh_token') claims[claim] = value
      }),
  })),
  ...edits.flatMap(([name, rule, what, edit]) =>
    (
      [
        ['access-token', 'ACCESSTOKEN', 'accessToken'],
        ['id-token', 'IDTOKEN', 'idToken'],
      ] as const
    ).map(([token, prefix, kind]) => ({
      name: `refreshed-${token}-${name}`,
      summary: `The ${token.replace('id-', 'ID ').replace('-', ' ')} of a refresh ${what}.`,
      violates: [`${prefix}-REFRESHED-${rule}`],
      alter: ({ idp }: Behaviour) =>
        idp[kind].push(async (jwt, request) => {
          if (grantType(request) === 'refresh_token') await edit(jwt)
        }),
    })),
  ),
])
