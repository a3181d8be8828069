import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editResponse, editTokens, grantType } from '../edits.ts'

export const tokenResponseFaults = withSurface('token', [
  {
    name: 'token-response-201',
    summary: 'A successful code exchange has status 201 instead of 200.',
    violates: ['TOKEN-CODE-EXCHANGE'],
    alter: editResponse('token', (response, request) => {
      if (response.status === 200 && grantType(request) === 'authorization_code') response.status = 201
    }),
  },
  {
    name: 'expires-in-as-text',
    summary: 'expires_in is a string.',
    violates: ['TOKEN-EXPIRES-IN'],
    alter: editTokens((fields) => {
      fields.expires_in = String(fields.expires_in)
    }),
  },
  {
    name: 'expires-in-fraction',
    summary: 'expires_in is not a whole number.',
    violates: ['TOKEN-EXPIRES-IN'],
    alter: editTokens((fields) => {
      fields.expires_in = Number(fields.expires_in) - 0.125
    }),
  },
  {
    name: 'scope-null',
    summary: 'The scope of the token response is null.',
    violates: ['TOKEN-SCOPE'],
    alter: editTokens((fields) => {
      fields.scope = null
    }),
  },
  {
    name: 'scope-as-list',
    summary: 'The scope of the token response is a list.',
    violates: ['TOKEN-SCOPE'],
    alter: editTokens((fields) => {
      fields.scope = String(fields.scope).split(' ')
    }),
  },
  {
    name: 'token-type-jwt',
    summary: 'token_type is JWT, the format of the token, instead of bearer.',
    violates: ['TOKEN-TYPE-BEARER'],
    alter: editTokens((fields) => {
      fields.token_type = 'JWT'
    }),
  },
  {
    name: 'token-type-missing',
    summary: 'The token response has no token_type.',
    violates: ['TOKEN-TYPE-BEARER'],
    alter: editTokens((fields) => {
      delete fields.token_type
    }),
  },
  {
    name: 'refresh-token-missing',
    summary: 'A code exchange returns no refresh token.',
    violates: ['TOKEN-REFRESH-TOKEN-ISSUED'],
    alter: ({ idp }: Behaviour) => {
      idp.issueRefreshToken = false
    },
  },
  {
    name: 'id-token-missing',
    summary: 'A code exchange returns no ID token.',
    violates: ['TOKEN-ID-TOKEN-ISSUED'],
    alter: editTokens((fields, request) => {
      if (grantType(request) === 'authorization_code') delete fields.id_token
    }),
  },
  {
    name: 'scope-with-commas',
    summary: 'The scopes of the token response are separated by commas.',
    violates: ['TOKEN-SCOPE-SEPARATOR'],
    alter: editTokens((fields) => {
      fields.scope = String(fields.scope).replaceAll(' ', ',')
    }),
  },
  {
    name: 'scope-with-empty-elements',
    summary: 'The scopes of the token response are separated by spaces and end with a space.',
    violates: ['TOKEN-SCOPE-SEPARATOR'],
    alter: editTokens((fields) => {
      fields.scope = `${fields.scope} `
    }),
  },
  {
    name: 'expires-in-negative',
    summary: 'expires_in is negative.',
    violates: ['TOKEN-EXPIRES-IN'],
    alter: editTokens((fields) => {
      fields.expires_in = -1
    }),
  },
  {
    name: 'expires-in-milliseconds',
    summary: 'expires_in is in milliseconds.',
    violates: ['ACCESSTOKEN-LIFETIME'],
    alter: editTokens((fields) => {
      fields.expires_in = Number(fields.expires_in) * 1000
    }),
  },
  {
    name: 'id-token-empty',
    summary: 'The ID token of a code exchange is an empty string.',
    violates: ['TOKEN-ID-TOKEN-ISSUED'],
    consequences: ['IDTOKEN-JWT'],
    alter: editTokens((fields, request) => {
      if (grantType(request) === 'authorization_code') fields.id_token = ''
    }),
  },
  {
    name: 'refresh-token-of-exchange-null',
    summary: 'The refresh token of a code exchange is null.',
    violates: ['TOKEN-REFRESH-TOKEN-ISSUED'],
    alter: editTokens((fields, request) => {
      if (grantType(request) === 'authorization_code') fields.refresh_token = null
    }),
  },
  {
    name: 'access-token-in-camel-case',
    summary: 'In the response to a code exchange, access_token is named accessToken.',
    violates: ['TOKEN-CODE-EXCHANGE'],
    alter: editTokens((fields, request) => {
      if (grantType(request) !== 'authorization_code') return
      fields.accessToken = fields.access_token
      delete fields.access_token
    }),
  },
])
