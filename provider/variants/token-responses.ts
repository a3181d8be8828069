import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editResponse, editTokenErrors, editTokens, grantType } from '../edits.ts'

/** Requirements that depend on the rotation of refresh tokens. */
const REFRESH_TOKENS = [
  'TOKEN-REFRESH',
  'TOKEN-REFRESH-OLD-REFUSED',
  'TOKEN-REFRESH-RACE',
  'TOKEN-REFRESH-ROTATION',
  'TOKEN-REFRESH-TOKEN-FORM',
  'TOKEN-REFRESH-NEWEST',
]

/** Some requirements on refusals of the token endpoint. */
const TOKEN_ERRORS = [
  'PLATFORM-MACHINE-TO-MACHINE',
  'TOKEN-CODE-SINGLE-USE',
  'TOKEN-ERROR-JSON',
  'TOKEN-GRANT-CLIENT-CREDENTIALS',
  'TOKEN-VERIFIER-WRONG',
  'TOKEN-REFRESH-OLD-REFUSED',
]

/** Requirements that compare the times of tokens with the clock of the target. */
const EXPIRY_OF_REFRESHED = ['ACCESSTOKEN-REFRESHED-EXPIRY', 'IDTOKEN-REFRESHED-EXPIRY']
/** Age of stored responses, in seconds. */
const AGE = 7200

/** Lawful forms of token responses. */
export const tokenResponseVariants = withSurface('token', [
  {
    name: 'token-type-capitalised',
    summary: 'Returns `Bearer` as `token_type`.',
    concerns: ['TOKEN-TYPE-BEARER', 'TOKEN-REFRESH-TYPE'],
    unspecified: 'Token types are case-insensitive (RFC 6749 section 5.1).',
    alter: editTokens((fields) => {
      fields.token_type = 'Bearer'
    }),
  },
  {
    name: 'token-response-labelled-as-html',
    summary: 'Labels the JSON of a token response with the media type `text/html`.',
    concerns: ['TOKEN-CODE-EXCHANGE'],
    unspecified: 'The media type of a token response is not specified.',
    alter: editResponse('token', (response) => {
      if (response.status === 200) response.headers['content-type'] = 'text/html; charset=utf-8'
    }),
  },
  {
    name: 'token-error-repeats-request',
    summary: 'Repeats the members of the request in errors of the token endpoint.',
    concerns: ['TOKEN-REFRESH-OLD-REFUSED', 'TOKEN-REFRESH-OTHER-CLIENT', 'TOKEN-ERROR-JSON'],
    unspecified: 'Whether an error repeats what the application has sent is not specified.',
    mustPass: ['TOKEN-REFRESH-OLD-REFUSED', 'TOKEN-REFRESH-OTHER-CLIENT', 'TOKEN-ERROR-JSON'],
    alter: editTokenErrors((fields, { form }) => {
      fields.received = form ? Object.fromEntries(form) : {}
    }),
  },
  ...([null, ''] as const).map((nothing) => ({
    name: `token-error-with-${nothing === null ? 'null' : 'empty'}-tokens`,
    summary: `Adds the token members to errors of the token endpoint, with ${nothing === null ? 'null' : 'empty strings'} as their values.`,
    concerns: TOKEN_ERRORS,
    unspecified: 'Additional members of an error are not excluded; null and an empty string are not tokens.',
    mustPass: TOKEN_ERRORS,
    alter: editTokenErrors((fields) =>
      Object.assign(fields, { access_token: nothing, id_token: nothing, refresh_token: nothing }),
    ),
  })),
  {
    name: 'discovery-and-keys-from-cache',
    summary: 'Returns the discovery document and the key set from a cache, which stored them two hours ago.',
    concerns: EXPIRY_OF_REFRESHED,
    unspecified: 'A stored response has the Date of its origin and an Age (RFC 9111 section 5.1).',
    mustPass: EXPIRY_OF_REFRESHED,
    alter: ({ idp }: Behaviour) => {
      for (const endpoint of ['discovery', 'keySet'] as const)
        idp.responses[endpoint].push(({ headers }) => {
          headers.date = new Date(Date.now() - AGE * 1000).toUTCString()
          headers.age = String(AGE)
        })
    },
  },
  {
    name: 'scope-absent',
    summary: 'Omits `scope` from token responses, because it grants all requested scopes.',
    concerns: ['TOKEN-SCOPE', 'TOKEN-SCOPE-SEPARATOR', 'TOKEN-REFRESH-SCOPE'],
    unspecified: 'scope is optional when it equals the requested one (RFC 6749 section 5.1).',
    alter: editTokens((fields) => {
      delete fields.scope
    }),
  },
  {
    name: 'scope-granted-in-part',
    summary: 'Grants only `openid` of the requested scopes.',
    concerns: ['TOKEN-SCOPE', 'TOKEN-SCOPE-SEPARATOR', 'TOKEN-REFRESH-SCOPE'],
    unspecified: 'Which scopes are granted is not specified.',
    alter: editTokens((fields) => {
      fields.scope = 'openid'
    }),
  },
  {
    name: 'expires-in-on-the-safe-side',
    summary: 'Returns an `expires_in` that is 30 s shorter than the lifetime of the access token.',
    concerns: ['TOKEN-EXPIRES-IN', 'TOKEN-REFRESH-EXPIRES-IN', 'ACCESSTOKEN-LIFETIME'],
    unspecified: 'The moment from which a lifetime counts is not specified.',
    alter: editTokens((fields) => {
      fields.expires_in = Number(fields.expires_in) - 30
    }),
  },
  {
    name: 'refresh-token-repeated',
    summary: 'Returns the same refresh token for a refresh; it stays valid.',
    concerns: REFRESH_TOKENS,
    unspecified: 'The refresh token "may" be rotated.',
    alter: ({ idp }: Behaviour) => {
      idp.refreshRotation = 'repeat'
    },
  },
  {
    name: 'refresh-token-omitted',
    summary: 'Returns no refresh token for a refresh; the old one stays valid.',
    concerns: REFRESH_TOKENS,
    unspecified: 'The refresh token "may" be rotated.',
    alter: ({ idp }: Behaviour) => {
      idp.refreshRotation = 'omit'
    },
  },
  {
    name: 'refresh-without-id-token',
    summary: 'Returns no ID token for a refresh.',
    concerns: [
      'TOKEN-REFRESH',
      'SUBJECT-REFRESHED-ID-TOKEN',
      'IDTOKEN-REFRESHED-SIGNATURE',
      'IDTOKEN-REFRESHED-ISSUER',
      'IDTOKEN-REFRESHED-AUDIENCE',
      'IDTOKEN-REFRESHED-EXPIRY',
    ],
    unspecified: 'Only the code exchange is documented to return an ID token.',
    alter: editTokens((fields, request) => {
      if (grantType(request) === 'refresh_token') delete fields.id_token
    }),
  },
  {
    name: 'refreshed-id-token-with-fewer-claims',
    summary: 'Issues ID tokens without nonce, `acr` and `azp` in a refresh.',
    concerns: ['IDTOKEN-REFRESHED-AZP', 'IDTOKEN-REFRESHED-ACR', 'IDTOKEN-LATER'],
    unspecified:
      'No claims of a refreshed ID token are documented (OpenID Connect Core section 12.2 leaves them open).',
    mustPass: ['IDTOKEN-REFRESHED-AZP', 'IDTOKEN-REFRESHED-ACR', 'IDTOKEN-LATER'],
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }, request) => {
        if (grantType(request) !== 'refresh_token') return
        for (const name of ['nonce', 'acr', 'azp']) delete claims[name]
      }),
  },
  {
    name: 'token-responses-with-more-members',
    summary: 'Adds undocumented members to token responses and errors of the token endpoint.',
    concerns: ['TOKEN-CODE-EXCHANGE', 'TOKEN-REFRESH', 'TOKEN-LATER', 'TOKEN-ERROR-JSON'],
    unspecified: 'Additional members are not excluded.',
    mustPass: ['TOKEN-CODE-EXCHANGE', 'TOKEN-REFRESH', 'TOKEN-LATER', 'TOKEN-ERROR-JSON'],
    alter: (behaviour: Behaviour) => {
      editTokens((fields) =>
        Object.assign(fields, { ext_expires_in: 7200, session_state: 'none', authorization_details: [] }),
      )(behaviour)
      editTokenErrors((fields) => Object.assign(fields, { status: 400, error_codes: [70_011], path: '/' }))(
        behaviour,
      )
    },
  },
  {
    name: 'refresh-within-a-second-repeats-access-token',
    summary: 'Returns the same access token for a refresh within 1 s of its issue.',
    concerns: ['TOKEN-REFRESH', 'TOKEN-REFRESH-NEW'],
    unspecified:
      'JWTs have a resolution of a second: without a unique claim, two JWTs of the same second are equal.',
    mustPass: ['TOKEN-REFRESH-NEW'],
    alter: (behaviour: Behaviour) => {
      const issued = new Map<unknown, { token: unknown; at: number }>()
      editTokens((fields, { form }) => {
        const before = issued.get(form?.get('refresh_token'))
        const isSame = before !== undefined && Date.now() - before.at < 1000
        if (isSame) fields.access_token = before.token
        issued.set(fields.refresh_token, isSame ? before : { token: fields.access_token, at: Date.now() })
      })(behaviour)
    },
  },
])
