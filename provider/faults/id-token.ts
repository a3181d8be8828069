import { createHash } from 'node:crypto'
import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { LEVELS, SECOND_APPLICATION_ID } from '../deployment.ts'
import { grantType } from '../edits.ts'

function editClaims(edit: (claims: Record<string, unknown>) => void): Alter {
  return ({ idp }) => idp.idToken.push(({ claims }) => edit(claims))
}

export const idTokenFaults = withSurface('jwt', [
  {
    name: 'id-token-issuer-trailing-slash',
    summary: 'Appends a slash to the issuer of ID tokens.',
    violates: ['IDTOKEN-ISSUER'],
    alter: editClaims((claims) => {
      claims.iss = `${claims.iss}/`
    }),
  },
  {
    name: 'id-token-issuer-other-host',
    summary: 'Writes an internal host name as the issuer of ID tokens.',
    violates: ['IDTOKEN-ISSUER'],
    alter: editClaims((claims) => {
      claims.iss = String(claims.iss).replace('127.0.0.1', 'idp-node-1.internal.invalid')
    }),
  },
  {
    name: 'id-token-audience-of-neighbour',
    summary: 'Issues ID tokens with another application as their audience.',
    violates: ['IDTOKEN-AUDIENCE'],
    alter: editClaims((claims) => {
      claims.aud = SECOND_APPLICATION_ID
    }),
  },
  {
    name: 'id-token-audience-joined',
    summary: 'Joins two audiences of ID tokens in one string.',
    violates: ['IDTOKEN-AUDIENCE'],
    alter: editClaims((claims) => {
      claims.aud = `${claims.aud} ${SECOND_APPLICATION_ID}`
    }),
  },
  {
    name: 'id-token-azp-of-neighbour',
    summary: 'Issues ID tokens with another application as their `azp`.',
    violates: ['IDTOKEN-AZP'],
    alter: editClaims((claims) => {
      claims.azp = SECOND_APPLICATION_ID
    }),
  },
  {
    name: 'id-token-audience-with-number',
    summary: 'Lists the application and a number in the `aud` of ID tokens.',
    violates: ['IDTOKEN-AUDIENCE'],
    alter: editClaims((claims) => {
      claims.aud = [claims.aud, 42]
    }),
  },
  {
    name: 'id-token-audience-with-nothing',
    summary: 'Lists the application, null and an empty string in the `aud` of ID tokens.',
    violates: ['IDTOKEN-AUDIENCE'],
    alter: editClaims((claims) => {
      claims.aud = [claims.aud, null, '']
    }),
  },
  {
    name: 'id-token-audience-fixed',
    summary: 'Writes the application of the first ID token as the `aud` of all later ones.',
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
    summary: 'Writes the client id as the `sub` of ID tokens.',
    violates: ['IDTOKEN-SUBJECT'],
    alter: editClaims((claims) => {
      claims.sub = claims.aud
    }),
  },
  {
    name: 'id-token-nonce-of-the-first-login',
    summary: 'Issues all ID tokens with the nonce of the first login.',
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
    summary: 'Omits `sub` from ID tokens.',
    violates: ['IDTOKEN-SUBJECT'],
    alter: editClaims((claims) => {
      delete claims.sub
    }),
  },
  {
    name: 'refreshed-id-token-subject-differs',
    summary: 'Changes the `sub` of the ID token in a refresh.',
    violates: ['SUBJECT-REFRESHED-ID-TOKEN'],
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }, request) => {
        if (grantType(request) === 'refresh_token') claims.sub = `${claims.sub}-refreshed`
      }),
  },
  {
    name: 'id-token-expired',
    summary: 'Issues ID tokens that expired two hours ago.',
    violates: ['IDTOKEN-EXPIRY'],
    alter: editClaims((claims) => {
      claims.exp = Number(claims.iat) - 7200
    }),
  },
  {
    name: 'id-token-expires-at-once',
    summary: 'Issues ID tokens that expire in the second in which they are issued.',
    violates: ['IDTOKEN-EXPIRY'],
    alter: editClaims((claims) => {
      claims.exp = claims.iat
    }),
  },
  {
    name: 'id-token-expiry-in-milliseconds',
    summary: 'Writes the `exp` of ID tokens in milliseconds.',
    violates: ['IDTOKEN-EXPIRY-SECONDS'],
    alter: editClaims((claims) => {
      claims.exp = Number(claims.exp) * 1000
    }),
  },
  {
    name: 'id-token-expiry-as-text',
    summary: 'Writes the `exp` of ID tokens as an ISO date.',
    violates: ['IDTOKEN-EXPIRY-SECONDS'],
    alter: editClaims((claims) => {
      claims.exp = new Date(Number(claims.exp) * 1000).toISOString()
    }),
  },
  {
    name: 'id-token-expiry-missing',
    summary: 'Omits `exp` from ID tokens.',
    violates: ['IDTOKEN-EXPIRY-SECONDS'],
    alter: editClaims((claims) => {
      delete claims.exp
    }),
  },
  {
    name: 'id-token-nonce-of-previous-login',
    summary: 'Issues ID tokens with the nonce of the previous login.',
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
    name: 'id-token-nonce-cut-to-64-characters',
    summary: 'Cuts the nonce of ID tokens to 64 characters.',
    violates: ['IDTOKEN-NONCE-OWN'],
    alter: editClaims((claims) => {
      claims.nonce = String(claims.nonce).slice(0, 64)
    }),
  },
  {
    name: 'id-token-nonce-plus-lost',
    summary: 'Decodes the nonce twice, so that a plus sign becomes a space in ID tokens.',
    violates: ['IDTOKEN-NONCE-OWN'],
    alter: editClaims((claims) => {
      claims.nonce = String(claims.nonce).replaceAll('+', ' ')
    }),
  },
  {
    name: 'id-token-nonce-missing',
    summary: 'Omits `nonce` from ID tokens.',
    violates: ['IDTOKEN-NONCE'],
    alter: editClaims((claims) => {
      delete claims.nonce
    }),
  },
  {
    name: 'id-token-acr-too-low',
    summary: 'Issues all ID tokens with the weakest level as their `acr`.',
    violates: ['IDTOKEN-ACR'],
    alter: editClaims((claims) => {
      claims.acr = LEVELS[0]
    }),
  },
  {
    name: 'id-token-acr-missing',
    summary: 'Omits `acr` from ID tokens even if a level was requested.',
    violates: ['IDTOKEN-ACR'],
    alter: editClaims((claims) => {
      delete claims.acr
    }),
  },
  {
    name: 'id-token-azp-as-list',
    summary: 'Writes the `azp` of ID tokens as an array.',
    violates: ['IDTOKEN-AZP'],
    alter: editClaims((claims) => {
      claims.azp = [claims.azp]
    }),
  },
  {
    name: 'id-token-nonce-hashed',
    summary: 'Writes a hash of the requested nonce as the `nonce` of ID tokens.',
    violates: ['IDTOKEN-NONCE'],
    alter: editClaims((claims) => {
      claims.nonce = createHash('sha256').update(String(claims.nonce)).digest('base64url')
    }),
  },
  {
    name: 'id-token-subject-number',
    summary: 'Writes the `sub` of ID tokens as a number.',
    violates: ['IDTOKEN-SUBJECT'],
    alter: editClaims((claims) => {
      claims.sub = Buffer.from(String(claims.sub)).readUInt32BE()
    }),
  },
  {
    name: 'id-token-subject-per-login',
    summary: 'Issues ID tokens with a different `sub` for each login of a user.',
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
    summary: 'Issues all tokens with a different `sub` for each login of a user.',
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
