import { createHash } from 'node:crypto'
import { type Behaviour, withFace } from '../behaviour.ts'
import { LEVELS } from '../deployment.ts'
import { grantType } from './token-steps.ts'

function onClaims({ idp }: Behaviour, edit: (claims: Record<string, unknown>) => void): void {
  idp.idToken.push(({ claims }) => edit(claims))
}

export const idTokenFaults = withFace('jwt', [
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
    name: 'id-token-expires-at-once',
    summary: 'ID tokens expire in the second in which they are issued.',
    violates: ['IDTOKEN-EXPIRY'],
    alter: (behaviour: Behaviour) =>
      onClaims(behaviour, (all) => {
        all.exp = all.iat
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
])
