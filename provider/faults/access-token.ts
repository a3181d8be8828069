import { type KeyObject, sign, verify } from 'node:crypto'
import { type Behaviour, withFace } from '../behaviour.ts'
import { fieldsOf } from '../http.ts'
import { activeKey, signRs256, spareKey } from '../keys.ts'
import { grantType } from './token-steps.ts'

function onClaims({ idp }: Behaviour, edit: (claims: Record<string, unknown>) => void): void {
  idp.accessToken.push(({ claims }) => edit(claims))
}

/** Lets the provider's own endpoints accept tokens of another algorithm or key. */
function accept({ idp }: Behaviour, algorithm: string, key: () => KeyObject | undefined): void {
  idp.accessTokenAccepted = (input, signature) => {
    const publicKey = key()
    return (
      publicKey !== undefined &&
      verify(algorithm, Buffer.from(input), publicKey, Buffer.from(signature, 'base64url'))
    )
  }
}

export const accessTokenFaults = withFace('jwt', [
  {
    name: 'access-token-opaque',
    summary: 'Access tokens are random strings instead of JWTs.',
    violates: ['ACCESSTOKEN-JWT'],
    alter: ({ idp }: Behaviour) => {
      idp.accessTokenForm = 'opaque'
    },
  },
  {
    name: 'access-token-rs384',
    summary: 'Access tokens are signed with RS384 instead of RS256.',
    violates: ['ACCESSTOKEN-ALG'],
    alter: (behaviour: Behaviour) => {
      let publicKey: KeyObject | undefined
      behaviour.idp.accessToken.push(async (jwt) => {
        const key = await activeKey()
        publicKey = key.publicKey
        jwt.header.alg = 'RS384'
        jwt.sign = (input) => sign('sha384', Buffer.from(input), key.privateKey).toString('base64url')
      })
      accept(behaviour, 'sha384', () => publicKey)
    },
  },
  {
    name: 'access-token-kid-missing',
    summary: 'The header of access tokens has no kid.',
    violates: ['ACCESSTOKEN-KID'],
    alter: ({ idp }: Behaviour) =>
      idp.accessToken.push(({ header }) => {
        delete header.kid
      }),
  },
  {
    name: 'access-token-signed-by-unpublished-key',
    summary: 'Access tokens name the published key, but another one has signed.',
    violates: ['ACCESSTOKEN-SIGNATURE'],
    alter: (behaviour: Behaviour) => {
      let publicKey: KeyObject | undefined
      behaviour.idp.accessToken.push(async (jwt) => {
        const key = await spareKey()
        publicKey = key.publicKey
        jwt.sign = (input) => signRs256(input, key.privateKey)
      })
      accept(behaviour, 'sha256', () => publicKey)
    },
  },
  {
    name: 'access-token-issuer-trailing-slash',
    summary: 'The issuer of access tokens has a slash at its end.',
    violates: ['ACCESSTOKEN-ISSUER'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (claims) => {
        claims.iss = `${claims.iss}/`
      }),
  },
  {
    name: 'access-token-expired',
    summary: 'Access tokens have expired two hours before they are issued.',
    violates: ['ACCESSTOKEN-EXPIRY'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (claims) => {
        claims.exp = Number(claims.iat) - 7200
      }),
  },
  {
    name: 'access-token-expires-at-once',
    summary: 'Access tokens expire in the second in which they are issued, whatever expires_in says.',
    violates: ['ACCESSTOKEN-EXPIRY'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (claims) => {
        claims.exp = claims.iat
      }),
  },
  {
    name: 'access-token-subject-is-client',
    summary: 'The sub of access tokens is the application.',
    violates: ['SUBJECT-SAME'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (claims) => {
        claims.sub = 'partner-portal'
      }),
  },
  {
    name: 'access-token-expiry-disagrees',
    summary: 'Access tokens live half as long as expires_in says.',
    violates: ['ACCESSTOKEN-LIFETIME'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (claims) => {
        claims.exp = (Number(claims.iat) + Number(claims.exp)) / 2
      }),
  },
  {
    name: 'access-token-expiry-in-milliseconds',
    summary: 'The exp of access tokens counts milliseconds.',
    violates: ['ACCESSTOKEN-EXPIRY-SECONDS'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (claims) => {
        claims.exp = Number(claims.exp) * 1000
      }),
  },
  {
    name: 'access-token-subject-missing',
    summary: 'Access tokens have no sub.',
    violates: ['ACCESSTOKEN-SUBJECT'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (claims) => {
        delete claims.sub
      }),
  },
  {
    name: 'access-token-subject-after-refresh',
    summary: 'The access token of a refresh has another sub than the one before.',
    violates: ['SUBJECT-AFTER-REFRESH'],
    alter: ({ idp }: Behaviour) =>
      idp.accessToken.push(({ claims }, received) => {
        if (grantType(received) === 'refresh_token') claims.sub = `${claims.sub}-refreshed`
      }),
  },
  {
    name: 'access-token-audience-missing',
    summary: 'Access tokens have no aud.',
    violates: ['ACCESSTOKEN-AUDIENCE'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (claims) => {
        delete claims.aud
      }),
  },
  {
    name: 'access-token-audience-empty',
    summary: 'The aud of access tokens is an empty list.',
    violates: ['ACCESSTOKEN-AUDIENCE'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (claims) => {
        claims.aud = []
      }),
  },
  {
    name: 'access-token-kid-empty',
    summary: 'The kid of access tokens is an empty string.',
    violates: ['ACCESSTOKEN-KID'],
    alter: ({ idp }: Behaviour) =>
      idp.accessToken.push(({ header }) => {
        header.kid = ''
      }),
  },
  {
    name: 'access-token-kid-of-another-key',
    summary: 'Two keys are published, and the kid of access tokens names the one that did not sign.',
    violates: ['ACCESSTOKEN-SIGNATURE'],
    alter: ({ idp }: Behaviour) => {
      idp.answers.keySet.push(async (answer) => {
        const keys = fieldsOf(answer)?.keys
        if (Array.isArray(keys)) answer.body = { keys: [...keys, (await spareKey()).publicJwk] }
      })
      idp.accessToken.push(async ({ header }) => {
        header.kid = (await spareKey()).kid
      })
    },
  },
  {
    name: 'access-token-issuer-other-host',
    summary: 'The issuer of access tokens is an internal host name.',
    violates: ['ACCESSTOKEN-ISSUER'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (claims) => {
        claims.iss = 'https://idp-node-1.internal.invalid'
      }),
  },
  {
    name: 'access-token-expiry-missing',
    summary: 'Access tokens have no exp.',
    violates: ['ACCESSTOKEN-EXPIRY-SECONDS'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (claims) => {
        delete claims.exp
      }),
  },
  {
    name: 'access-token-subject-number',
    summary: 'The sub of access tokens is a number.',
    violates: ['ACCESSTOKEN-SUBJECT'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (claims) => {
        claims.sub = Buffer.from(String(claims.sub)).readUInt32BE()
      }),
  },
])
