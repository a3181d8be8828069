import { type Behaviour, withFace } from '../behaviour.ts'
import { SECOND_FACTOR_LEVEL } from '../deployment.ts'
import { fieldsOf } from '../http.ts'
import { spareKey } from '../keys.ts'

/** Puts keys beside the published one. */
function publish({ idp }: Behaviour, edit: (keys: object[]) => object[] | Promise<object[]>): void {
  idp.answers.keySet.push(async (answer) => {
    const keys = fieldsOf(answer)?.keys
    if (Array.isArray(keys)) answer.body = { keys: await edit(keys) }
  })
}

/** What depends on whether a refresh rotates, repeats or omits the refresh token. */
const REFRESH_TOKENS = [
  'TOKEN-REFRESH',
  'TOKEN-REFRESH-OLD-REFUSED',
  'TOKEN-REFRESH-RACE',
  'TOKEN-REFRESH-ROTATION',
  'TOKEN-REFRESH-TOKEN-FORM',
  'TOKEN-REFRESH-NEWEST',
]

const answers = [
  {
    name: 'token-type-capitalised',
    summary: 'token_type is "Bearer".',
    concerns: ['TOKEN-TYPE-BEARER', 'TOKEN-REFRESH-TYPE'],
    ambiguity: 'Token types are compared without regard to case (RFC 6749 section 5.1).',
    alter: ({ idp }: Behaviour) =>
      idp.answers.token.push((answer) => {
        const fields = fieldsOf(answer)
        if (fields?.token_type) fields.token_type = 'Bearer'
      }),
  },
  {
    name: 'token-response-labelled-as-html',
    summary: 'The JSON of a token response is labelled text/html.',
    concerns: ['TOKEN-CODE-EXCHANGE'],
    ambiguity: 'The media type of a token response is not named.',
    alter: ({ idp }: Behaviour) =>
      idp.answers.token.push((answer) => {
        if (answer.status === 200) answer.headers['content-type'] = 'text/html; charset=utf-8'
      }),
  },
  {
    name: 'scope-absent',
    summary: 'Token responses have no scope, since all was granted that was asked for.',
    concerns: ['TOKEN-SCOPE', 'TOKEN-SCOPE-SEPARATOR', 'TOKEN-REFRESH-SCOPE'],
    ambiguity: 'scope may be absent where it is the one of the request (RFC 6749 section 5.1).',
    alter: ({ idp }: Behaviour) =>
      idp.answers.token.push((answer) => {
        if (answer.status === 200) delete fieldsOf(answer)?.scope
      }),
  },
  {
    name: 'scope-granted-in-part',
    summary: 'Of the scopes asked for, only openid is granted.',
    concerns: ['TOKEN-SCOPE', 'TOKEN-SCOPE-SEPARATOR', 'TOKEN-REFRESH-SCOPE'],
    ambiguity: 'Which scopes are granted is not said.',
    alter: ({ idp }: Behaviour) =>
      idp.answers.token.push((answer) => {
        const fields = fieldsOf(answer)
        if (answer.status === 200 && fields) fields.scope = 'openid'
      }),
  },
  {
    name: 'expires-in-on-the-safe-side',
    summary: 'expires_in ends half a minute before the access token does.',
    concerns: ['TOKEN-EXPIRES-IN', 'TOKEN-REFRESH-EXPIRES-IN', 'ACCESSTOKEN-LIFETIME'],
    ambiguity: 'A lifetime is counted from a moment that is not named.',
    alter: ({ idp }: Behaviour) =>
      idp.answers.token.push((answer) => {
        const fields = fieldsOf(answer)
        if (answer.status === 200 && fields) fields.expires_in = Number(fields.expires_in) - 30
      }),
  },
  {
    name: 'refresh-token-repeated',
    summary: 'A refresh answers with the same refresh token, which stays good.',
    concerns: REFRESH_TOKENS,
    ambiguity: 'The refresh token "may" be rotated.',
    alter: ({ idp }: Behaviour) => {
      idp.refreshRotation = 'repeat'
    },
  },
  {
    name: 'refresh-token-omitted',
    summary: 'A refresh answers without a refresh token; the old one stays good.',
    concerns: REFRESH_TOKENS,
    ambiguity: 'The refresh token "may" be rotated.',
    alter: ({ idp }: Behaviour) => {
      idp.refreshRotation = 'omit'
    },
  },
  {
    name: 'refresh-without-id-token',
    summary: 'A refresh gives no ID token.',
    concerns: [
      'TOKEN-REFRESH',
      'SUBJECT-REFRESHED-ID-TOKEN',
      'IDTOKEN-REFRESHED-SIGNATURE',
      'IDTOKEN-REFRESHED-ISSUER',
      'IDTOKEN-REFRESHED-AUDIENCE',
      'IDTOKEN-REFRESHED-EXPIRY',
    ],
    ambiguity: 'An ID token is promised for the code exchange only.',
    alter: ({ idp }: Behaviour) =>
      idp.answers.token.push((answer, { form }) => {
        if (form?.get('grant_type') === 'refresh_token') delete fieldsOf(answer)?.id_token
      }),
  },
  {
    name: 'replay-keeps-family',
    summary: 'Using a code or refresh token twice is refused, and tokens issued before stay good.',
    concerns: ['TOKEN-CODE-SINGLE-USE', 'TOKEN-REFRESH-OLD-REFUSED'],
    ambiguity: 'Whether a replay revokes anything is not said.',
    alter: ({ idp }: Behaviour) => {
      idp.replayRevokesFamily = false
    },
  },
  {
    name: 'client-secret-post',
    summary: 'The application is configured for client_secret_post.',
    concerns: [
      'TOKEN-CLIENT-AUTH-METHOD',
      'TOKEN-CLIENT-SECRET',
      'TOKEN-CLIENT-SECRET-MISSING',
      'TOKEN-BODY-JSON',
      'TOKEN-BODY-MALFORMED',
    ],
    ambiguity: 'The method is configured for each application.',
    alter: ({ idp }: Behaviour) => {
      idp.authMethod = 'client_secret_post'
    },
  },
]

const jwts = [
  {
    name: 'id-token-audience-list',
    summary: 'The aud of ID tokens is a list with the application as its only element.',
    concerns: ['IDTOKEN-AUDIENCE'],
    ambiguity: 'aud may be a string or a list (RFC 7519 section 4.1.3).',
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }) => {
        claims.aud = [claims.aud]
      }),
  },
  {
    name: 'id-token-two-audiences',
    summary: 'The aud of ID tokens lists the application and another party; azp names the application.',
    concerns: ['IDTOKEN-AUDIENCE', 'IDTOKEN-AZP', 'IDTOKEN-AZP-SEVERAL'],
    ambiguity: 'aud may be a string or a list (RFC 7519 section 4.1.3).',
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }) => {
        claims.aud = ['urn:plumbline:userinfo', claims.aud]
      }),
  },
  {
    name: 'id-token-without-azp',
    summary: 'ID tokens with one audience have no azp.',
    concerns: ['IDTOKEN-AZP', 'IDTOKEN-AZP-SEVERAL'],
    ambiguity: 'azp is needed only beside several audiences.',
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }) => {
        delete claims.azp
      }),
  },
  {
    name: 'id-token-acr-above',
    summary: 'The acr of ID tokens is a stronger level than the one asked for.',
    concerns: ['IDTOKEN-ACR'],
    ambiguity: 'acr has to be not below the level, which a stronger one is not either.',
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }) => {
        claims.acr = SECOND_FACTOR_LEVEL
      }),
  },
  {
    name: 'id-token-short-lived',
    summary: 'ID tokens live for half a minute.',
    concerns: ['IDTOKEN-EXPIRY', 'IDTOKEN-EXPIRY-SECONDS'],
    ambiguity: 'The lifetime of ID tokens is not shown.',
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }) => {
        claims.exp = Number(claims.iat) + 30
      }),
  },
  {
    name: 'id-token-extra-claims',
    summary: 'ID tokens carry claims beyond the documented ones.',
    concerns: ['IDTOKEN-CLAIMS'],
    ambiguity: 'Further claims of ID tokens are not shown.',
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }) => {
        Object.assign(claims, {
          amr: ['pwd'],
          nbf: claims.iat,
          sphere: 'north',
          'urn:plumbline:extra': { a: [1] },
        })
      }),
  },
  {
    name: 'access-token-for-resources',
    summary: 'The aud of access tokens lists resource servers instead of the application.',
    concerns: ['ACCESSTOKEN-AUDIENCE', 'ACCESSTOKEN-REFRESHED-AUDIENCE'],
    ambiguity: 'The audience of access tokens is not shown.',
    alter: ({ idp }: Behaviour) =>
      idp.accessToken.push(({ claims }) => {
        claims.aud = [`${claims.iss}/resources`, 'urn:plumbline:userinfo']
      }),
  },
  {
    name: 'access-token-typ-jwt',
    summary: 'The header of access tokens has typ JWT.',
    concerns: ['ACCESSTOKEN-JWT', 'ACCESSTOKEN-REFRESHED-SIGNATURE', 'ACCESSTOKEN-REFRESHED-ISSUER'],
    ambiguity: 'The typ header is not shown.',
    alter: ({ idp }: Behaviour) =>
      idp.accessToken.push(({ header }) => {
        header.typ = 'JWT'
      }),
  },
]

const keys = [
  {
    name: 'two-signing-keys',
    summary: 'A second signing key is published before the one in use.',
    concerns: ['KEYSET-KID', 'KEYSET-KID-UNIQUE', 'KEYSET-RS256', 'KEYSET-KEYS', 'IDTOKEN-SIGNATURE'],
    ambiguity: 'The number of keys is not said.',
    alter: (behaviour: Behaviour) =>
      publish(behaviour, async (all) => [(await spareKey()).publicJwk, ...all]),
  },
  {
    name: 'encryption-key-beside',
    summary: 'A key for encryption without a kid and one for ES256 are published beside the signing key.',
    concerns: ['KEYSET-KID', 'KEYSET-KID-UNIQUE', 'KEYSET-RS256', 'KEYSET-KEYS'],
    ambiguity: 'What else the key set holds is not said.',
    alter: (behaviour: Behaviour) =>
      publish(behaviour, async (all) => {
        const { publicJwk } = await spareKey()
        const encryption = { ...publicJwk, kid: undefined, use: 'enc', alg: 'RSA-OAEP-256' }
        // The example key of RFC 7517 appendix A.1.
        const elliptic = {
          kty: 'EC',
          crv: 'P-256',
          x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
          y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
          use: 'sig',
          alg: 'ES256',
          kid: 'elliptic-1',
        }
        return [encryption, ...all, elliptic]
      }),
  },
  {
    name: 'key-without-use-and-alg',
    summary: 'The published key names neither its use nor its algorithm.',
    concerns: ['KEYSET-RS256'],
    ambiguity: 'use and alg are optional (RFC 7517 section 4).',
    alter: (behaviour: Behaviour) =>
      publish(behaviour, (all) => all.map((key) => ({ ...key, use: undefined, alg: undefined }))),
  },
  {
    name: 'key-set-media-type',
    summary: 'The key set has the media type application/jwk-set+json and a member beside keys.',
    concerns: ['KEYSET-SHAPE', 'KEYSET-PUBLIC'],
    ambiguity: 'The media type of the key set, and members beside keys, are not shown.',
    alter: ({ idp }: Behaviour) =>
      idp.answers.keySet.push((answer) => {
        answer.headers['content-type'] = 'application/jwk-set+json'
        answer.body = { ...fieldsOf(answer), issued: 1 }
      }),
  },
  {
    name: 'key-set-cached-for-a-day',
    summary: 'The key set may be cached for a day.',
    concerns: ['KEYSET-CACHING'],
    ambiguity: 'Caching headers are not shown.',
    alter: ({ idp }: Behaviour) =>
      idp.answers.keySet.push((answer) => {
        answer.headers['cache-control'] = 'public, max-age=86400'
      }),
  },
  {
    name: 'key-set-not-cached',
    summary: 'The key set must not be stored.',
    concerns: ['KEYSET-CACHING'],
    ambiguity: 'Caching headers are not shown.',
    alter: ({ idp }: Behaviour) =>
      idp.answers.keySet.push((answer) => {
        answer.headers['cache-control'] = 'no-store'
      }),
  },
]

export const tokenVariants = [
  ...withFace('token', answers),
  ...withFace('jwt', jwts),
  ...withFace('key-set', keys),
]
