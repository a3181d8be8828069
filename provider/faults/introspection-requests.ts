import { withSurface } from '../alteration.ts'
import { editResponse } from '../edits.ts'
import { fieldsOf, jsonResponse } from '../http.ts'

const REFERENCE = ['introspection-available']

/** Introspection that is available to partners, and wrong validation of introspection requests. */
export const introspectionRequestFaults = withSurface('introspection', [
  {
    name: 'introspection-page-with-200',
    summary: 'Returns an HTML page with status 200 from the introspection endpoint.',
    violates: ['INTROSPECTION-UNAVAILABLE'],
    alter: editResponse('introspection', (response) => {
      response.status = 200
    }),
  },
  {
    name: 'introspection-refused-with-description',
    summary: 'Refuses introspection with 400, but describes the token in the body.',
    violates: ['INTROSPECTION-UNAVAILABLE'],
    alter: editResponse('introspection', (response) => {
      Object.assign(response, jsonResponse(400, { active: true, username: 'alder@partner.invalid' }))
    }),
  },
  {
    name: 'introspection-refused-with-description-inside',
    summary: 'Refuses introspection with 400, but describes a token in an object inside the error.',
    violates: ['INTROSPECTION-UNAVAILABLE'],
    alter: editResponse('introspection', (response) => {
      const introspection = { active: true, iat: 1_700_000_000, token_type: 'Bearer' }
      Object.assign(response, jsonResponse(400, { error: 'access_denied', introspection }))
    }),
  },
  {
    name: 'introspection-page-with-subject',
    summary: 'Refuses introspection with an HTML page that contains the `sub` of the token.',
    violates: ['INTROSPECTION-UNAVAILABLE'],
    alter: editResponse('introspection', (response, { text }) => {
      const payload = new URLSearchParams(text).get('token')?.split('.')[1]
      if (payload === undefined || response.status !== 400) return
      const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString())
      response.body = `${response.body}<!-- token of ${sub} -->`
    }),
  },
  {
    name: 'introspection-given-to-partners',
    summary: 'Returns 200 to partners for introspection, with a JSON body that does not describe a token.',
    violates: ['INTROSPECTION-UNAVAILABLE'],
    alter: editResponse('introspection', (response) => {
      Object.assign(response, jsonResponse(200, { scope: 'openid' }))
    }),
  },
  {
    name: 'introspection-failed-client-with-description',
    summary: 'Returns 401 for introspection without client credentials, but describes the token in the body.',
    violates: ['INTROSPECTION-CLIENT-AUTH'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response, { headers, form }) => {
      if (response.status === 401 && !(headers.authorization ?? form?.get('client_secret')))
        response.body = { ...fieldsOf(response), active: true, sub: 'somebody' }
    }),
  },
  {
    name: 'introspection-without-client-auth',
    summary: 'Returns `active: false` for introspection without client credentials.',
    violates: ['INTROSPECTION-CLIENT-AUTH'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response, { headers, form }) => {
      const secret = headers.authorization ?? form?.get('client_secret')
      if (response.status === 401 && !secret) Object.assign(response, jsonResponse(200, { active: false }))
    }),
  },
  {
    name: 'introspection-without-client-auth-as-400',
    summary: 'Returns 400 instead of 401 for introspection without client credentials.',
    violates: ['INTROSPECTION-CLIENT-AUTH'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response, { headers, form }) => {
      const secret = headers.authorization ?? form?.get('client_secret')
      if (response.status === 401 && !secret) response.status = 400
    }),
  },
  {
    name: 'introspection-secret-not-checked',
    summary: 'Returns `active: false` for introspection with a wrong client secret.',
    violates: ['INTROSPECTION-CLIENT-SECRET'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response, { headers, form }) => {
      const secret = headers.authorization ?? form?.get('client_secret')
      if (response.status === 401 && secret) Object.assign(response, jsonResponse(200, { active: false }))
    }),
  },
  {
    name: 'introspection-wrong-secret-with-400',
    summary: 'Returns 400 for introspection with a wrong client secret.',
    violates: ['INTROSPECTION-CLIENT-SECRET'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response, { headers, form }) => {
      const secret = headers.authorization ?? form?.get('client_secret')
      if (response.status === 401 && secret) response.status = 400
    }),
  },
  {
    name: 'introspection-token-optional',
    summary: 'Returns `active: false` for introspection without `token`.',
    violates: ['INTROSPECTION-TOKEN-REQUIRED'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response, { form }) => {
      if (response.status === 400 && !form?.get('token'))
        Object.assign(response, jsonResponse(200, { active: false }))
    }),
  },
  {
    name: 'introspection-missing-token-with-422',
    summary: 'Returns 422 for introspection without `token`.',
    violates: ['INTROSPECTION-TOKEN-REQUIRED'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response, { form }) => {
      if (response.status === 400 && !form?.get('token')) response.status = 422
    }),
  },
  {
    name: 'introspection-hint-obeyed',
    summary: 'Describes every token as inactive if `token_type_hint` is `refresh_token`.',
    violates: ['INTROSPECTION-HINT-IGNORED'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response, { form }) => {
      if (form?.get('token_type_hint') === 'refresh_token') response.body = { active: false }
    }),
  },
  {
    name: 'introspection-unknown-hint-refused',
    summary: 'Returns 400 for an unknown `token_type_hint`.',
    violates: ['INTROSPECTION-HINT-IGNORED'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response, { form }) => {
      const hint = form?.get('token_type_hint')
      if (!hint || hint === 'refresh_token' || hint === 'access_token') return
      const body = { error: 'unsupported_token_type', error_description: 'Unknown hint.' }
      Object.assign(response, jsonResponse(400, body))
    }),
  },
])
