import { type KeyObject, sign, verify } from 'node:crypto'
import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editKeys, grantType } from '../edits.ts'
import { activeKey, signRs256, spareKey } from '../keys.ts'

function editClaims(edit: (claims: Record<string, unknown>) => void): Alter {
  return ({ idp }) => idp.accessToken.push(({ claims }) => edit(claims))
}

/** Makes the provider's own endpoints accept only access tokens with this algorithm and key. */
function acceptSignature(algorithm: string, key: () => KeyObject | undefined): Alter {
  return ({ idp }) => {
    idp.accessTokenAccepted = (input, signature) => {
      const publicKey = key()
      return (
        publicKey !== undefined &&
        verify(algorithm, Buffer.from(input), publicKey, Buffer.from(signature, 'base64url'))
      )
    }
  }
}

export const accessTokenFaults = withSurface('jwt', [
  {
    name: 'access-token-opaque',
    summary: 'Issues random strings as access tokens instead of JWTs.',
    violates: ['ACCESSTOKEN-JWT'],
    alter: ({ idp }: Behaviour) => {
      idp.accessTokenForm = 'opaque'
    },
  },
  {
    name: 'access-token-rs384',
    summary: 'Signs access tokens with RS384 instead of RS256.',
    violates: ['ACCESSTOKEN-ALG'],
    alter: (behaviour: Behaviour) => {
      let publicKey: KeyObject | undefined
      behaviour.idp.accessToken.push(async (jwt) => {
        const key = await activeKey()
        publicKey = key.publicKey
        jwt.header.alg = 'RS384'
        jwt.sign = (input) => sign('sha384', Buffer.from(input), key.privateKey).toString('base64url')
      })
      acceptSignature('sha384', () => publicKey)(behaviour)
    },
  },
  {
    name: 'access-token-kid-missing',
    summary: 'Omits `kid` from the header of access tokens.',
    violates: ['ACCESSTOKEN-KID'],
    alter: ({ idp }: Behaviour) =>
      idp.accessToken.push(({ header }) => {
        delete header.kid
      }),
  },
  {
    name: 'access-token-signed-by-unpublished-key',
    summary: 'Signs access tokens with an unpublished key under the `kid` of the published key.',
    violates: ['ACCESSTOKEN-SIGNATURE'],
    alter: (behaviour: Behaviour) => {
      let publicKey: KeyObject | undefined
      behaviour.idp.accessToken.push(async (jwt) => {
        const key = await spareKey()
        publicKey = key.publicKey
        jwt.sign = (input) => signRs256(input, key.privateKey)
      })
      acceptSignature('sha256', () => publicKey)(behaviour)
    },
  },
  {
    name: 'access-token-issuer-trailing-slash',
    summary: 'Appends a slash to the issuer of access tokens.',
    violates: ['ACCESSTOKEN-ISSUER'],
    alter: editClaims((claims) => {
      claims.iss = `${claims.iss}/`
    }),
  },
  {
    name: 'access-token-expired',
    summary: 'Issues access tokens that expired two hours ago.',
    violates: ['ACCESSTOKEN-EXPIRY'],
    alter: editClaims((claims) => {
      claims.exp = Number(claims.iat) - 7200
    }),
  },
  {
    name: 'access-token-expires-at-once',
    summary:
      'Issues access tokens that expire in the second in which they are issued, regardless of `expires_in`.',
    violates: ['ACCESSTOKEN-EXPIRY'],
    alter: editClaims((claims) => {
      claims.exp = claims.iat
    }),
  },
  {
    name: 'access-token-subject-is-client',
    summary: 'Writes the client id as the `sub` of access tokens.',
    violates: ['ACCESSTOKEN-SUBJECT'],
    alter: editClaims((claims) => {
      claims.sub = claims.client_id
    }),
  },
  {
    name: 'access-token-subject-per-login',
    summary: 'Issues access tokens with a different `sub` for each login of a user.',
    violates: ['SUBJECT-STABLE-ACCESS-TOKEN'],
    alter: (behaviour: Behaviour) => {
      let logins = 0
      const { accountAtLogin } = behaviour.idp
      behaviour.idp.accountAtLogin = (account) => {
        logins += 1
        return accountAtLogin(account)
      }
      editClaims((claims) => {
        claims.sub = `${claims.sub}~${logins}`
      })(behaviour)
    },
  },
  {
    name: 'access-token-expiry-disagrees',
    summary: 'Issues access tokens that expire after half of `expires_in`.',
    violates: ['ACCESSTOKEN-LIFETIME'],
    alter: editClaims((claims) => {
      claims.exp = (Number(claims.iat) + Number(claims.exp)) / 2
    }),
  },
  {
    name: 'access-token-expiry-in-milliseconds',
    summary: 'Writes the `exp` of access tokens in milliseconds.',
    violates: ['ACCESSTOKEN-EXPIRY-SECONDS'],
    alter: editClaims((claims) => {
      claims.exp = Number(claims.exp) * 1000
    }),
  },
  {
    name: 'access-token-subject-missing',
    summary: 'Omits `sub` from access tokens.',
    violates: ['ACCESSTOKEN-SUBJECT'],
    alter: editClaims((claims) => {
      delete claims.sub
    }),
  },
  {
    name: 'access-token-subject-after-refresh',
    summary: 'Changes the `sub` of the access token in a refresh.',
    violates: ['SUBJECT-AFTER-REFRESH'],
    alter: ({ idp }: Behaviour) =>
      idp.accessToken.push(({ claims }, request) => {
        if (grantType(request) === 'refresh_token') claims.sub = `${claims.sub}-refreshed`
      }),
  },
  {
    name: 'access-token-audience-missing',
    summary: 'Omits `aud` from access tokens.',
    violates: ['ACCESSTOKEN-AUDIENCE'],
    alter: editClaims((claims) => {
      delete claims.aud
    }),
  },
  {
    name: 'access-token-audience-empty',
    summary: 'Writes the `aud` of access tokens as an empty array.',
    violates: ['ACCESSTOKEN-AUDIENCE'],
    alter: editClaims((claims) => {
      claims.aud = []
    }),
  },
  {
    name: 'access-token-kid-empty',
    summary: 'Writes the `kid` of access tokens as an empty string.',
    violates: ['ACCESSTOKEN-KID'],
    alter: ({ idp }: Behaviour) =>
      idp.accessToken.push(({ header }) => {
        header.kid = ''
      }),
  },
  {
    name: 'access-token-kid-of-another-key',
    summary: 'Publishes two keys, signs access tokens with one, and writes the `kid` of the other.',
    violates: ['ACCESSTOKEN-SIGNATURE'],
    alter: (behaviour: Behaviour) => {
      editKeys(async (keys) => [...keys, (await spareKey()).publicJwk])(behaviour)
      behaviour.idp.accessToken.push(async ({ header }) => {
        header.kid = (await spareKey()).kid
      })
    },
  },
  {
    name: 'access-token-issuer-other-host',
    summary: 'Writes an internal host name as the issuer of access tokens.',
    violates: ['ACCESSTOKEN-ISSUER'],
    alter: editClaims((claims) => {
      claims.iss = 'https://idp-node-1.internal.invalid'
    }),
  },
  {
    name: 'access-token-expiry-missing',
    summary: 'Omits `exp` from access tokens.',
    violates: ['ACCESSTOKEN-EXPIRY-SECONDS'],
    alter: editClaims((claims) => {
      delete claims.exp
    }),
  },
  {
    name: 'access-token-subject-number',
    summary: 'Writes the `sub` of access tokens as a number.',
    violates: ['ACCESSTOKEN-SUBJECT'],
    alter: editClaims((claims) => {
      claims.sub = Buffer.from(String(claims.sub)).readUInt32BE()
    }),
  },
])
