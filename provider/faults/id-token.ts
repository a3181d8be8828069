import { createHash, createHmac, type KeyObject, sign } from 'node:crypto'
import { type Behaviour, withFace } from '../behaviour.ts'
import { LEVELS } from '../deployment.ts'
import { fieldsOf } from '../http.ts'
import type { UnsignedJwt } from '../identity/behaviour.ts'
import { activeKey, signRs256, spareKey } from '../keys.ts'
import { grantType } from './token-steps.ts'

function onIdToken({ idp }: Behaviour, edit: (jwt: UnsignedJwt) => void | Promise<void>): void {
  idp.idToken.push((jwt) => edit(jwt))
}

function onClaims(behaviour: Behaviour, edit: (claims: Record<string, unknown>) => void): void {
  onIdToken(behaviour, ({ claims }) => edit(claims))
}

function signWith(algorithm: string, input: string, key: KeyObject): string {
  return sign(algorithm, Buffer.from(input), key).toString('base64url')
}

const form = [
  {
    name: 'id-token-unsigned',
    summary: 'ID tokens have alg none and an empty signature.',
    violates: ['IDTOKEN-JWT'],
    alter: (behaviour: Behaviour) =>
      onIdToken(behaviour, (jwt) => {
        jwt.header.alg = 'none'
        jwt.sign = () => ''
      }),
  },
  {
    name: 'id-token-padded',
    summary: 'The signature of ID tokens is padded as base64 is.',
    violates: ['IDTOKEN-JWT'],
    alter: (behaviour: Behaviour) =>
      onIdToken(behaviour, (jwt) => {
        const { sign: unpadded } = jwt
        jwt.sign = async (input) => `${await unpadded(input)}==`
      }),
  },
  {
    name: 'id-token-rs512',
    summary: 'ID tokens are signed with RS512 instead of RS256.',
    violates: ['IDTOKEN-ALG'],
    alter: (behaviour: Behaviour) =>
      onIdToken(behaviour, async (jwt) => {
        const { privateKey } = await activeKey()
        jwt.header.alg = 'RS512'
        jwt.sign = (input) => signWith('sha512', input, privateKey)
      }),
  },
  {
    name: 'id-token-hs256-with-public-key',
    summary: 'ID tokens are signed with HS256, the public key serving as the secret.',
    violates: ['IDTOKEN-ALG'],
    alter: (behaviour: Behaviour) =>
      onIdToken(behaviour, async (jwt) => {
        const secret = (await activeKey()).publicKey.export({ type: 'spki', format: 'pem' })
        jwt.header.alg = 'HS256'
        jwt.sign = (input) => createHmac('sha256', secret).update(input).digest('base64url')
      }),
  },
  {
    name: 'id-token-kid-missing',
    summary: 'The header of ID tokens has no kid.',
    violates: ['IDTOKEN-KID'],
    alter: (behaviour: Behaviour) =>
      onIdToken(behaviour, ({ header }) => {
        delete header.kid
      }),
  },
  {
    name: 'id-token-kid-number',
    summary: 'The kid of ID tokens is a number.',
    violates: ['IDTOKEN-KID'],
    alter: (behaviour: Behaviour) =>
      onIdToken(behaviour, ({ header }) => {
        header.kid = 1
      }),
  },
  {
    name: 'id-token-kid-of-another-key',
    summary: 'Two keys are published, and the kid of ID tokens names the one that did not sign.',
    violates: ['IDTOKEN-SIGNATURE'],
    alter: (behaviour: Behaviour) => {
      behaviour.idp.answers.keySet.push(async (answer) => {
        const keys = fieldsOf(answer)?.keys
        if (Array.isArray(keys)) answer.body = { keys: [...keys, (await spareKey()).publicJwk] }
      })
      onIdToken(behaviour, async ({ header }) => {
        header.kid = (await spareKey()).kid
      })
    },
  },
  {
    name: 'id-token-signed-by-unpublished-key',
    summary: 'ID tokens name the published key, but another one has signed.',
    violates: ['IDTOKEN-SIGNATURE'],
    alter: (behaviour: Behaviour) =>
      onIdToken(behaviour, async (jwt) => {
        const { privateKey } = await spareKey()
        jwt.sign = (input) => signRs256(input, privateKey)
      }),
  },
  {
    name: 'id-token-signed-before-edit',
    summary: 'A claim is added to ID tokens after they were signed.',
    violates: ['IDTOKEN-SIGNATURE'],
    alter: (behaviour: Behaviour) =>
      onIdToken(behaviour, async (jwt) => {
        const { privateKey } = await activeKey()
        const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
        const signature = await signRs256(`${part(jwt.header)}.${part(jwt.claims)}`, privateKey)
        jwt.claims.channel = 'web'
        jwt.sign = () => signature
      }),
  },
]

const claims = [
  {
    name: 'id-token-issuer-trailing-slash',
    summary: 'The issuer of ID tokens has a slash at its end.',
    violates: ['IDTOKEN-ISSUER'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (all) => {
        all.iss = `${all.iss}/`
      }),
  },
  {
    name: 'id-token-issuer-other-host',
    summary: 'The issuer of ID tokens is an internal host name.',
    violates: ['IDTOKEN-ISSUER'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (all) => {
        all.iss = String(all.iss).replace('127.0.0.1', 'idp-node-1.internal.invalid')
      }),
  },
  {
    name: 'id-token-audience-of-neighbour',
    summary: 'The audience of ID tokens is another application.',
    violates: ['IDTOKEN-AUDIENCE'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (all) => {
        all.aud = 'second-kiosk'
      }),
  },
  {
    name: 'id-token-audience-joined',
    summary: 'Two audiences of ID tokens are joined in one string.',
    violates: ['IDTOKEN-AUDIENCE'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (all) => {
        all.aud = `${all.aud} second-kiosk`
      }),
  },
  {
    name: 'id-token-azp-of-neighbour',
    summary: 'The azp of ID tokens is another application.',
    violates: ['IDTOKEN-AZP'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (all) => {
        all.azp = 'second-kiosk'
      }),
  },
  {
    name: 'id-token-two-audiences-without-azp',
    summary: 'ID tokens have two audiences, and no azp.',
    violates: ['IDTOKEN-AZP-SEVERAL'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (all) => {
        all.aud = [all.aud, 'second-kiosk']
        delete all.azp
      }),
  },
  {
    name: 'id-token-nonce-of-the-first-login',
    summary: 'The nonce of ID tokens is that of the first login of the user.',
    violates: ['IDTOKEN-NONCE-OWN'],
    alter: (behaviour: Behaviour) => {
      let first: unknown
      onClaims(behaviour, (all) => {
        first ??= all.nonce
        all.nonce = first
      })
    },
  },
  {
    name: 'id-token-subject-missing',
    summary: 'ID tokens have no sub.',
    violates: ['IDTOKEN-SUBJECT'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (all) => {
        delete all.sub
      }),
  },
  {
    name: 'refreshed-id-token-subject-differs',
    summary: 'The ID token of a refresh has another sub than the one of the login.',
    violates: ['SUBJECT-REFRESHED-ID-TOKEN'],
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }, received) => {
        if (grantType(received) === 'refresh_token') claims.sub = `${claims.sub}-refreshed`
      }),
  },
  {
    name: 'id-token-expired',
    summary: 'ID tokens have expired two hours before they are issued.',
    violates: ['IDTOKEN-EXPIRY'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (all) => {
        all.exp = Number(all.iat) - 7200
      }),
  },
  {
    name: 'id-token-expiry-in-milliseconds',
    summary: 'The exp of ID tokens counts milliseconds.',
    violates: ['IDTOKEN-EXPIRY-SECONDS'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (all) => {
        all.exp = Number(all.exp) * 1000
      }),
  },
  {
    name: 'id-token-expiry-as-text',
    summary: 'The exp of ID tokens is a date in ISO form.',
    violates: ['IDTOKEN-EXPIRY-SECONDS'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (all) => {
        all.exp = new Date(Number(all.exp) * 1000).toISOString()
      }),
  },
  {
    name: 'id-token-expiry-missing',
    summary: 'ID tokens have no exp.',
    violates: ['IDTOKEN-EXPIRY-SECONDS'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (all) => {
        delete all.exp
      }),
  },
  {
    name: 'id-token-nonce-of-previous-login',
    summary: 'The nonce of ID tokens is that of the login before.',
    violates: ['IDTOKEN-NONCE-OWN'],
    alter: (behaviour: Behaviour) => {
      let previous: unknown
      onClaims(behaviour, (all) => {
        const current = all.nonce
        all.nonce = previous ?? current
        previous = current
      })
    },
  },
  {
    name: 'id-token-nonce-missing',
    summary: 'ID tokens have no nonce.',
    violates: ['IDTOKEN-NONCE'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (all) => {
        delete all.nonce
      }),
  },
  {
    name: 'id-token-acr-too-low',
    summary: 'The acr of ID tokens is the weakest level, whatever was asked for.',
    violates: ['IDTOKEN-ACR'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (all) => {
        all.acr = LEVELS[0]
      }),
  },
  {
    name: 'id-token-acr-missing',
    summary: 'ID tokens have no acr although a level was asked for.',
    violates: ['IDTOKEN-ACR'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (all) => {
        delete all.acr
      }),
  },
  {
    name: 'id-token-azp-as-list',
    summary: 'The azp of ID tokens is a list.',
    violates: ['IDTOKEN-AZP'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (all) => {
        all.azp = [all.azp]
      }),
  },
  {
    name: 'id-token-nonce-hashed',
    summary: 'The nonce of ID tokens is a hash of the one that was sent.',
    violates: ['IDTOKEN-NONCE'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (all) => {
        all.nonce = createHash('sha256').update(String(all.nonce)).digest('base64url')
      }),
  },
  {
    name: 'id-token-subject-number',
    summary: 'The sub of ID tokens is a number.',
    violates: ['IDTOKEN-SUBJECT'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (all) => {
        all.sub = Buffer.from(String(all.sub)).readUInt32BE()
      }),
  },
  {
    name: 'id-token-subject-differs',
    summary: 'The sub of ID tokens is not the one of the access token.',
    violates: ['SUBJECT-SAME'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (all) => {
        all.sub = `${all.sub}@north`
      }),
  },
  {
    name: 'subject-per-login',
    summary: 'A user has another sub after every login.',
    violates: ['SUBJECT-STABLE'],
    alter: ({ idp }: Behaviour) => {
      let logins = 0
      idp.accountAtLogin = (account) => {
        logins += 1
        return `${account}~${logins}`
      }
    },
  },
]

export const idTokenFaults = withFace('jwt', [...form, ...claims])
