import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { LEVELS, SECOND_APPLICATION_ID } from '../deployment.ts'
import { editTokens, grantType } from '../edits.ts'
import type { HttpRequest } from '../http.ts'
import type { UnsignedJwt } from '../identity/behaviour.ts'
import { signRs256, spareKey } from '../keys.ts'
import { laterLifetimeFaults } from './later-lifetimes.ts'

type EditJwt = (jwt: UnsignedJwt, request: HttpRequest) => void | Promise<void>

/** Edits tokens of the second application. */
function editSecond(kind: 'idToken' | 'accessToken', edit: EditJwt): (behaviour: Behaviour) => void {
  return ({ idp }) =>
    idp[kind].push(async (jwt, request) => {
      if ((jwt.claims.client_id ?? jwt.claims.aud) === SECOND_APPLICATION_ID) await edit(jwt, request)
    })
}

const otherIssuer: EditJwt = ({ claims }) => {
  claims.iss = `${claims.iss}/${SECOND_APPLICATION_ID}`
}

const unpublishedKey: EditJwt = async (jwt) => {
  const { privateKey } = await spareKey()
  jwt.sign = (input) => signRs256(input, privateKey)
}

const ofOtherRequests = withSurface('jwt', [
  {
    name: 'second-application-id-token-issuer',
    summary: 'Issues ID tokens of the second application with a different issuer.',
    violates: ['IDTOKEN-LATER'],
    alter: editSecond('idToken', otherIssuer),
  },
  {
    name: 'second-application-id-token-unpublished-key',
    summary: 'Signs ID tokens of the second application with an unpublished key.',
    violates: ['IDTOKEN-LATER'],
    alter: editSecond('idToken', unpublishedKey),
  },
  {
    name: 'second-application-id-token-nonce-missing',
    summary: 'Omits `nonce` from ID tokens of the second application.',
    violates: ['IDTOKEN-LATER'],
    alter: editSecond('idToken', ({ claims }) => {
      delete claims.nonce
    }),
  },
  {
    name: 'second-application-id-token-expired',
    summary: 'Writes an `exp` two hours in the past into ID tokens of the second application.',
    violates: ['IDTOKEN-LATER'],
    alter: editSecond('idToken', ({ claims }) => {
      claims.exp = Number(claims.iat) - 7200
    }),
  },
  {
    name: 'second-application-access-token-issuer',
    summary: 'Issues access tokens of the second application with a different issuer.',
    violates: ['ACCESSTOKEN-LATER'],
    alter: editSecond('accessToken', otherIssuer),
  },
  {
    name: 'second-application-id-token-subject-is-client',
    summary: 'Writes the client id as the `sub` of ID tokens of the second application.',
    violates: ['IDTOKEN-LATER'],
    alter: editSecond('idToken', ({ claims }) => {
      claims.sub = claims.aud
    }),
  },
  {
    name: 'second-application-access-token-subject-is-client',
    summary: 'Writes the client id as the `sub` of access tokens of the second application.',
    violates: ['ACCESSTOKEN-LATER'],
    alter: editSecond('accessToken', ({ claims }) => {
      claims.sub = claims.client_id
    }),
  },
  {
    name: 'id-token-acr-remembered',
    summary: 'Issues ID tokens with the weakest level as their `acr` in each code exchange except the first.',
    violates: ['IDTOKEN-LATER'],
    alter: ({ idp }: Behaviour) => {
      let isFirst = true
      idp.idToken.push(({ claims }, request) => {
        if (grantType(request) !== 'authorization_code') return
        if (!isFirst) claims.acr = LEVELS[0]
        isFirst = false
      })
    },
  },
])

const ofLaterRefreshes = withSurface('token', [
  {
    name: 'access-tokens-signed-with-next-key',
    summary: 'Signs access tokens with an unpublished key after the first six.',
    violates: ['ACCESSTOKEN-LATER'],
    alter: ({ idp }: Behaviour) => {
      let issued = 0
      idp.accessToken.push(async (jwt, request) => {
        issued += 1
        if (issued > 6) await unpublishedKey(jwt, request)
      })
    },
  },
  {
    name: 'access-token-subject-of-third-exchange',
    summary:
      'Writes a different `sub` into the access token of the third code exchange, and of its refreshes.',
    violates: ['ACCESSTOKEN-LATER'],
    alter: (behaviour: Behaviour) => {
      const altered = new Set<string | null | undefined>()
      let exchanges = 0
      behaviour.idp.accessToken.push(({ claims }, request) => {
        const isExchange = grantType(request) === 'authorization_code'
        if (isExchange) exchanges += 1
        const source = request.form?.get(isExchange ? 'code' : 'refresh_token')
        if (isExchange && exchanges === 3) altered.add(source)
        if (altered.has(source)) claims.sub = `${claims.sub}-3`
      })
      editTokens((fields, request) => {
        const sources = ['code', 'refresh_token'].map((name) => request.form?.get(name))
        if (sources.some((one) => altered.has(one))) altered.add(String(fields.refresh_token))
      })(behaviour)
    },
  },
  {
    name: 'access-token-refreshed-again-without-audience',
    summary: 'Omits `aud` from the access tokens of the second and later refreshes in a row.',
    violates: ['ACCESSTOKEN-LATER'],
    alter: (behaviour: Behaviour) => {
      const renewed = new Set<unknown>()
      editTokens((fields, request) => {
        if (grantType(request) === 'refresh_token') renewed.add(fields.refresh_token)
      })(behaviour)
      behaviour.idp.accessToken.push(({ claims }, request) => {
        if (renewed.has(request.form?.get('refresh_token'))) delete claims.aud
      })
    },
  },
])

const laterScopes = withSurface('token', [
  {
    name: 'later-scopes-with-commas',
    summary: 'Separates scopes with commas in each code exchange except the first.',
    violates: ['TOKEN-LATER'],
    alter: (behaviour: Behaviour) => {
      let isFirst = true
      editTokens((fields, request) => {
        if (grantType(request) !== 'authorization_code' || request.client === SECOND_APPLICATION_ID) return
        if (!isFirst) fields.scope = String(fields.scope).replaceAll(' ', ',')
        isFirst = false
      })(behaviour)
    },
  },
  {
    name: 'refresh-scopes-with-commas',
    summary: 'Separates the scopes of a refresh response with commas.',
    violates: ['TOKEN-LATER'],
    alter: editTokens((fields, request) => {
      if (grantType(request) === 'refresh_token') fields.scope = String(fields.scope).replaceAll(' ', ',')
    }),
  },
])

interface Later {
  /** Number of unchanged responses before the first edited one. */
  readonly after: number
  /** Grant type of the counted and edited responses; any by default. */
  readonly grant?: 'authorization_code' | 'refresh_token'
}

function editLater(
  { after, grant }: Later,
  edit: (fields: Record<string, unknown>) => void,
): (behaviour: Behaviour) => void {
  return (behaviour) => {
    let responses = 0
    editTokens((fields, request) => {
      if (grant !== undefined && grantType(request) !== grant) return
      responses += 1
      if (responses > after) edit(fields)
    })(behaviour)
  }
}

const laterResponses = withSurface('token', [
  {
    name: 'later-token-responses-without-token-type',
    summary: 'Omits `token_type` from every token response after the first one.',
    violates: ['TOKEN-LATER'],
    alter: editLater({ after: 1 }, (fields) => {
      delete fields.token_type
    }),
  },
  {
    name: 'refreshed-again-expires-in-as-text',
    summary: 'Returns `expires_in` as a string from the third refresh on.',
    violates: ['TOKEN-LATER'],
    alter: editLater({ after: 2, grant: 'refresh_token' }, (fields) => {
      fields.expires_in = String(fields.expires_in)
    }),
  },
  {
    name: 'refresh-token-missing-from-the-third-exchange-on',
    summary: 'Returns no refresh token from the third code exchange on.',
    violates: ['TOKEN-LATER'],
    alter: editLater({ after: 2, grant: 'authorization_code' }, (fields) => {
      delete fields.refresh_token
    }),
  },
  {
    name: 'refreshed-again-refresh-token-as-number',
    summary: 'Returns a number as `refresh_token` from the third refresh on.',
    violates: ['TOKEN-LATER'],
    alter: editLater({ after: 2, grant: 'refresh_token' }, (fields) => {
      fields.refresh_token = 12_345
    }),
  },
  {
    name: 'refreshed-again-id-token-as-number',
    summary: 'Returns a number as `id_token` from the third refresh on.',
    violates: ['TOKEN-LATER'],
    alter: editLater({ after: 2, grant: 'refresh_token' }, (fields) => {
      fields.id_token = 12_345
    }),
  },
  {
    name: 'second-application-access-token-opaque',
    summary: 'Issues access tokens to the second application that are not JWTs.',
    violates: ['ACCESSTOKEN-LATER'],
    alter: editTokens((fields, request) => {
      if (request.client === SECOND_APPLICATION_ID)
        fields.access_token = `opaque-${fields.expires_in}-of-${SECOND_APPLICATION_ID}`
    }),
  },
  {
    name: 'second-application-without-access-token',
    summary: 'Issues no access tokens to the second application.',
    violates: ['TOKEN-CODE-EXCHANGE'],
    alter: editTokens((fields, request) => {
      if (request.client === SECOND_APPLICATION_ID) delete fields.access_token
    }),
  },
  {
    name: 'second-application-without-id-token',
    summary: 'Issues no ID tokens to the second application.',
    violates: ['TOKEN-LATER'],
    alter: editTokens((fields, request) => {
      if (request.client === SECOND_APPLICATION_ID) delete fields.id_token
    }),
  },
])

/** Tokens that are invalid only for the second application, after another login, or after several refreshes. */
export const laterTokenFaults = [
  ...ofOtherRequests,
  ...ofLaterRefreshes,
  ...laterScopes,
  ...laterLifetimeFaults,
  ...laterResponses,
]
