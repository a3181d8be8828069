import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editResponse, editTokens, grantType } from '../edits.ts'

export const tokenResponseFaults = withSurface('token', [
  {
    name: 'token-response-201',
    summary: 'Returns 201 instead of 200 for a successful code exchange.',
    violates: ['TOKEN-CODE-EXCHANGE'],
    alter: editResponse('token', (response, request) => {
      if (response.status === 200 && grantType(request) === 'authorization_code') response.status = 201
    }),
  },
  {
    name: 'expires-in-as-text',
    summary: 'Returns `expires_in` as a string.',
    violates: ['TOKEN-EXPIRES-IN'],
    alter: editTokens((fields) => {
      fields.expires_in = String(fields.expires_in)
    }),
  },
  {
    name: 'expires-in-fraction',
    summary: 'Returns an `expires_in` that is not a whole number.',
    violates: ['TOKEN-EXPIRES-IN'],
    alter: editTokens((fields) => {
      fields.expires_in = Number(fields.expires_in) - 0.125
    }),
  },
  {
    name: 'scope-null',
    summary: 'Returns `null` as the `scope` of a token response.',
    violates: ['TOKEN-SCOPE'],
    alter: editTokens((fields) => {
      fields.scope = null
    }),
  },
  {
    name: 'scope-as-list',
    summary: 'Returns the `scope` of a token response as an array.',
    violates: ['TOKEN-SCOPE'],
    alter: editTokens((fields) => {
      fields.scope = String(fields.scope).split(' ')
    }),
  },
  {
    name: 'token-type-jwt',
    summary: 'Returns `JWT`, the format of the token, as `token_type` instead of `bearer`.',
    violates: ['TOKEN-TYPE-BEARER'],
    alter: editTokens((fields) => {
      fields.token_type = 'JWT'
    }),
  },
  {
    name: 'token-type-missing',
    summary: 'Omits `token_type` from token responses.',
    violates: ['TOKEN-TYPE-BEARER'],
    alter: editTokens((fields) => {
      delete fields.token_type
    }),
  },
  {
    name: 'refresh-token-missing',
    summary: 'Returns no refresh token for a code exchange.',
    violates: ['TOKEN-REFRESH-TOKEN-ISSUED'],
    alter: ({ idp }: Behaviour) => {
      idp.issueRefreshToken = false
    },
  },
  {
    name: 'id-token-missing',
    summary: 'Returns no ID token for a code exchange.',
    violates: ['TOKEN-ID-TOKEN-ISSUED'],
    alter: editTokens((fields, request) => {
      if (grantType(request) === 'authorization_code') delete fields.id_token
    }),
  },
  {
    name: 'scope-with-commas',
    summary: 'Separates the scopes of a token response with commas.',
    violates: ['TOKEN-SCOPE-SEPARATOR'],
    alter: editTokens((fields) => {
      fields.scope = String(fields.scope).replaceAll(' ', ',')
    }),
  },
  {
    name: 'scope-with-empty-elements',
    summary: 'Ends the `scope` of a token response with a space.',
    violates: ['TOKEN-SCOPE-SEPARATOR'],
    alter: editTokens((fields) => {
      fields.scope = `${fields.scope} `
    }),
  },
  {
    name: 'expires-in-negative',
    summary: 'Returns a negative `expires_in`.',
    violates: ['TOKEN-EXPIRES-IN'],
    alter: editTokens((fields) => {
      fields.expires_in = -1
    }),
  },
  {
    name: 'expires-in-milliseconds',
    summary: 'Returns `expires_in` in milliseconds.',
    violates: ['ACCESSTOKEN-LIFETIME'],
    alter: editTokens((fields) => {
      fields.expires_in = Number(fields.expires_in) * 1000
    }),
  },
  {
    name: 'id-token-empty',
    summary: 'Returns an empty string as the ID token of a code exchange.',
    violates: ['TOKEN-ID-TOKEN-ISSUED'],
    consequences: ['IDTOKEN-JWT'],
    alter: editTokens((fields, request) => {
      if (grantType(request) === 'authorization_code') fields.id_token = ''
    }),
  },
  {
    name: 'refresh-token-of-exchange-null',
    summary: 'Returns `null` as the refresh token of a code exchange.',
    violates: ['TOKEN-REFRESH-TOKEN-ISSUED'],
    alter: editTokens((fields, request) => {
      if (grantType(request) === 'authorization_code') fields.refresh_token = null
    }),
  },
  {
    name: 'refresh-token-empty',
    summary: 'Returns an empty string as the refresh token in every token response.',
    violates: ['TOKEN-REFRESH-TOKEN-ISSUED'],
    alter: editTokens((fields) => {
      fields.refresh_token = ''
    }),
  },
  {
    name: 'token-response-in-latin-1',
    summary:
      'Returns the JSON of a code exchange in Latin-1, with an additional member that contains non-ASCII characters (the name of the user).',
    violates: ['TOKEN-CODE-EXCHANGE'],
    alter: editTokens((fields, request, response) => {
      if (grantType(request) !== 'authorization_code') return
      response.body = Buffer.from(JSON.stringify({ ...fields, user: '\u00c5' }), 'latin1')
    }),
  },
  {
    name: 'access-token-in-camel-case',
    summary: 'Returns `accessToken` instead of `access_token` for a code exchange.',
    violates: ['TOKEN-CODE-EXCHANGE'],
    alter: editTokens((fields, request) => {
      if (grantType(request) !== 'authorization_code') return
      fields.accessToken = fields.access_token
      delete fields.access_token
    }),
  },
])
