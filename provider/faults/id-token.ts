import { createHash } from 'node:crypto'
import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { LEVELS } from '../deployment.ts'
import { grantType } from '../edits.ts'

function editClaims(edit: (claims: Record<string, unknown>) => void): Alter {
  return ({ idp }) => idp.idToken.push(({ claims }) => edit(claims))
}

export const idTokenFaults = withSurface('jwt', [
  {
    name: 'id-token-issuer-trailing-slash',
    summary: 'The issuer of ID tokens has a trailing slash.',
    violates: ['IDTOKEN-ISSUER'],
    alter: editClaims((claims) => {
      claims.iss = `${claims.iss}/`
    }),
  },
  {
    name: 'id-token-issuer-other-host',
    summary: 'The issuer of ID tokens is an internal host name.',
    violates: ['IDTOKEN-ISSUER'],
    alter: editClaims((claims) => {
      claims.iss = String(claims.iss).replace('127.0.0.1', 'idp-node-1.internal.invalid')
    }),
  },
  {
    name: 'id-token-audience-of-neighbour',
    summary: 'The audience of ID tokens is another application.',
    violates: ['IDTOKEN-AUDIENCE'],
    alter: editClaims((claims) => {
      claims.aud = 'second-kiosk'
    }),
  },
  {
    name: 'id-token-audience-joined',
    summary: 'Two audiences of ID tokens are joined in one string.',
    violates: ['IDTOKEN-AUDIENCE'],
    alter: editClaims((claims) => {
      claims.aud = `${claims.aud} second-kiosk`
    }),
  },
  {
    name: 'id-token-azp-of-neighbour',
    summary: 'The azp of ID tokens is another application.',
    violates: ['IDTOKEN-AZP'],
    alter: editClaims((claims) => {
      claims.azp = 'second-kiosk'
    }),
  },
  {
    name: 'id-token-audience-fixed',
    summary: 'The audience of all ID tokens is the first application that received one.',
    violates: ['IDTOKEN-SECOND-AUDIENCE'],
    alter: (behaviour: Behaviour) => {
      let first: unknown
      editClaims((claims) => {
        first ??= claims.aud
        claims.aud = first
      })(behaviour)
    },
  },
  {
    name: 'id-token-subject-is-client',
    summary: 'The sub of ID tokens is the application.',
    violates: ['IDTOKEN-SUBJECT'],
    alter: editClaims((claims) => {
      claims.sub = claims.aud
    }),
  },
  {
    name: 'id-token-nonce-of-the-first-login',
    summary: 'The nonce of ID tokens is always that of the first login.',
    violates: ['IDTOKEN-NONCE-OWN'],
    alter: (behaviour: Behaviour) => {
      let first: unknown
      editClaims((claims) => {
        first ??= claims.nonce
        claims.nonce = first
      })(behaviour)
    },
  },
  {
    name: 'id-token-subject-missing',
    summary: 'ID tokens have no sub.',
    violates: ['IDTOKEN-SUBJECT'],
    alter: editClaims((claims) => {
      delete claims.sub
    }),
  },
  {
    name: 'refreshed-id-token-subject-differs',
    summary: 'The ID token of a refresh has another sub than that of the login.',
    violates: ['SUBJECT-REFRESHED-ID-TOKEN'],
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }, request) => {
        if (grantType(request) === 'refresh_token') claims.sub = `${claims.sub}-refreshed`
      }),
  },
  {
    name: 'id-token-expired',
    summary: 'ID tokens expire two hours before they are issued.',
    violates: ['IDTOKEN-EXPIRY'],
    alter: editClaims((claims) => {
      claims.exp = Number(claims.iat) - 7200
    }),
  },
  {
    name: 'id-token-expires-at-once',
    summary: 'ID tokens expire in the second in which they are issued.',
    violates: ['IDTOKEN-EXPIRY'],
    alter: editClaims((claims) => {
      claims.exp = claims.iat
    }),
  },
  {
    name: 'id-token-expiry-in-milliseconds',
    summary: 'The exp of ID tokens is in milliseconds.',
    violates: ['IDTOKEN-EXPIRY-SECONDS'],
    alter: editClaims((claims) => {
      claims.exp = Number(claims.exp) * 1000
    }),
  },
  {
    name: 'id-token-expiry-as-text',
    summary: 'The exp of ID tokens is a date in ISO form.',
    violates: ['IDTOKEN-EXPIRY-SECONDS'],
    alter: editClaims((claims) => {
      claims.exp = new Date(Number(claims.exp) * 1000).toISOString()
    }),
  },
  {
    name: 'id-token-expiry-missing',
    summary: 'ID tokens have no exp.',
    violates: ['IDTOKEN-EXPIRY-SECONDS'],
    alter: editClaims((claims) => {
      delete claims.exp
    }),
  },
  {
    name: 'id-token-nonce-of-previous-login',
    summary: 'The nonce of ID tokens is that of the previous login.',
    violates: ['IDTOKEN-NONCE-OWN'],
    alter: (behaviour: Behaviour) => {
      let previous: unknown
      editClaims((claims) => {
        const current = claims.nonce
        claims.nonce = previous ?? current
        previous = current
      })(behaviour)
    },
  },
  {
    name: 'id-token-nonce-missing',
    summary: 'ID tokens have no nonce.',
    violates: ['IDTOKEN-NONCE'],
    alter: editClaims((claims) => {
      delete claims.nonce
    }),
  },
  {
    name: 'id-token-acr-too-low',
    summary: 'The acr of ID tokens is always the weakest level.',
    violates: ['IDTOKEN-ACR'],
    alter: editClaims((claims) => {
      claims.acr = LEVELS[0]
    }),
  },
  {
    name: 'id-token-acr-missing',
    summary: 'ID tokens have no acr, even if a level was requested.',
    violates: ['IDTOKEN-ACR'],
    alter: editClaims((claims) => {
      delete claims.acr
    }),
  },
  {
    name: 'id-token-azp-as-list',
    summary: 'The azp of ID tokens is a list.',
    violates: ['IDTOKEN-AZP'],
    alter: editClaims((claims) => {
      claims.azp = [claims.azp]
    }),
  },
  {
    name: 'id-token-nonce-hashed',
    summary: 'The nonce of ID tokens is a hash of the requested one.',
    violates: ['IDTOKEN-NONCE'],
    alter: editClaims((claims) => {
      claims.nonce = createHash('sha256').update(String(claims.nonce)).digest('base64url')
    }),
  },
  {
    name: 'id-token-subject-number',
    summary: 'The sub of ID tokens is a number.',
    violates: ['IDTOKEN-SUBJECT'],
    alter: editClaims((claims) => {
      claims.sub = Buffer.from(String(claims.sub)).readUInt32BE()
    }),
  },
  {
    name: 'id-token-subject-per-login',
    summary: 'The sub of ID tokens is another one after every login.',
    violates: ['SUBJECT-STABLE'],
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
