import { createHmac } from 'node:crypto'
import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { LEVELS, SECOND_APPLICATION_ID } from '../deployment.ts'
import { grantType } from '../edits.ts'
import type { UnsignedJwt } from '../identity/behaviour.ts'
import { signRs256, spareKey } from '../keys.ts'

const edits = [
  [
    'signed-with-hs256',
    'SIGNATURE',
    'signed with HS256',
    (jwt) => {
      jwt.header.alg = 'HS256'
      jwt.sign = (input) => createHmac('sha256', 'kiosk').update(input).digest('base64url')
    },
  ],
  [
    'signed-by-unpublished-key',
    'SIGNATURE',
    'signed with an unpublished key',
    async (jwt) => {
      const { privateKey } = await spareKey()
      jwt.sign = (input) => signRs256(input, privateKey)
    },
  ],
  [
    'from-issuer-with-slash',
    'ISSUER',
    'whose issuer ends with a slash',
    ({ claims }) => {
      claims.iss = `${claims.iss}/`
    },
  ],
  [
    'with-empty-audience',
    'AUDIENCE',
    'whose `aud` is empty',
    ({ claims }) => {
      claims.aud = []
    },
  ],
  [
    'expiring-in-milliseconds',
    'EXPIRY',
    'whose `exp` is in milliseconds',
    ({ claims }) => {
      claims.exp = Number(claims.exp) * 1000
    },
  ],
  [
    'from-foreign-issuer',
    'ISSUER',
    'from a different issuer',
    ({ claims }) => {
      claims.iss = 'https://idp.elsewhere.invalid'
    },
  ],
  [
    'without-audience',
    'AUDIENCE',
    'without `aud`',
    ({ claims }) => {
      delete claims.aud
    },
  ],
  [
    'expired',
    'EXPIRY',
    'whose `exp` is two hours in the past',
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
  ['for-another-party', 'AZP', 'whose `azp` is another application', 'azp', SECOND_APPLICATION_ID],
  ['of-a-lower-level', 'ACR', 'whose `acr` is lower than requested', 'acr', LEVELS[0]],
] as const

/** Tokens that are valid after a code exchange and invalid after a refresh. */
export const refreshedTokenFaults = withSurface('jwt', [
  ...idTokenEdits.map(([name, rule, what, claim, value]) => ({
    name: `refreshed-id-token-${name}`,
    summary: `Responds to a refresh with an ID token ${what}.`,
    violates: [`IDTOKEN-REFRESHED-${rule}`],
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }, request) => {
        if (grantType(request) === 'refresh_token') claims[claim] = value
      }),
  })),
  {
    name: 'refreshed-id-token-with-another-nonce',
    summary: 'Responds to a refresh with an ID token that has a new nonce.',
    violates: ['IDTOKEN-LATER'],
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }, request) => {
        if (grantType(request) === 'refresh_token') claims.nonce = 'nonce-of-the-refresh'
      }),
  },
  ...edits.flatMap(([name, rule, what, edit]) =>
    (
      [
        ['access-token', 'ACCESSTOKEN', 'accessToken'],
        ['id-token', 'IDTOKEN', 'idToken'],
      ] as const
    ).map(([token, prefix, kind]) => ({
      name: `refreshed-${token}-${name}`,
      summary: `Responds to a refresh with an ${token.replace('id-', 'ID ').replace('-', ' ')} ${what}.`,
      violates: [`${prefix}-REFRESHED-${rule}`],
      alter: ({ idp }: Behaviour) =>
        idp[kind].push(async (jwt, request) => {
          if (grantType(request) === 'refresh_token') await edit(jwt)
        }),
    })),
  ),
])
