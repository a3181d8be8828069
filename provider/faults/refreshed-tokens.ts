import { createHmac } from 'node:crypto'
import { type Behaviour, withFace } from '../behaviour.ts'
import type { UnsignedJwt } from '../identity/behaviour.ts'
import { signRs256, spareKey } from '../keys.ts'
import { grantType } from './token-steps.ts'

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
    'signed by another key than the one it names',
    async (jwt) => {
      const { privateKey } = await spareKey()
      jwt.sign = (input) => signRs256(input, privateKey)
    },
  ],
  [
    'from-issuer-with-slash',
    'ISSUER',
    'issued by an issuer with a slash at its end',
    ({ claims }) => {
      claims.iss = `${claims.iss}/`
    },
  ],
  [
    'with-empty-audience',
    'AUDIENCE',
    'for an empty list of audiences',
    ({ claims }) => {
      claims.aud = []
    },
  ],
  [
    'expiring-in-milliseconds',
    'EXPIRY',
    'given an exp in milliseconds',
    ({ claims }) => {
      claims.exp = Number(claims.exp) * 1000
    },
  ],
  [
    'from-foreign-issuer',
    'ISSUER',
    'issued by somebody else',
    ({ claims }) => {
      claims.iss = 'https://idp.elsewhere.invalid'
    },
  ],
  [
    'without-audience',
    'AUDIENCE',
    'without an audience',
    ({ claims }) => {
      delete claims.aud
    },
  ],
  [
    'expired',
    'EXPIRY',
    'expired two hours before',
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

/** Tokens that are good when a code brings them, and wrong when a refresh does. */
export const refreshedTokenFaults = withFace(
  'jwt',
  edits.flatMap(([name, rule, what, edit]) =>
    (
      [
        ['access-token', 'ACCESSTOKEN', 'accessToken'],
        ['id-token', 'IDTOKEN', 'idToken'],
      ] as const
    ).map(([token, prefix, kind]) => ({
      name: `refreshed-${token}-${name}`,
      summary: `The ${token.replace('id-', 'ID ').replace('-', ' ')} of a refresh is ${what}.`,
      violates: [`${prefix}-REFRESHED-${rule}`],
      alter: ({ idp }: Behaviour) =>
        idp[kind].push(async (jwt, received) => {
          if (grantType(received) === 'refresh_token') await edit(jwt)
        }),
    })),
  ),
)
