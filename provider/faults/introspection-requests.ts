import { withSurface } from '../alteration.ts'
import { editResponse } from '../edits.ts'
import { fieldsOf, jsonResponse } from '../http.ts'

const REFERENCE = ['introspection-available']

/** Introspection for partners who should not have it, and wrong validation of its requests. */
export const introspectionRequestFaults = withSurface('introspection', [
  {
    name: 'introspection-page-with-200',
    summary: 'The introspection endpoint returns an HTML page with status 200.',
    violates: ['INTROSPECTION-UNAVAILABLE'],
    alter: editResponse('introspection', (response) => {
      response.status = 200
    }),
  },
  {
    name: 'introspection-refused-with-description',
    summary: 'Introspection is refused with 400, but the body describes the token.',
    violates: ['INTROSPECTION-UNAVAILABLE'],
    alter: editResponse('introspection', (response) => {
      Object.assign(response, jsonResponse(400, { active: true, username: 'alder@partner.invalid' }))
    }),
  },
  {
    name: 'introspection-given-to-partners',
    summary: 'Introspection returns 200 to partners, with a JSON body that does not describe a token.',
    violates: ['INTROSPECTION-UNAVAILABLE'],
    alter: editResponse('introspection', (response) => {
      Object.assign(response, jsonResponse(200, { scope: 'openid' }))
    }),
  },
  {
    name: 'introspection-failed-client-with-description',
    summary: 'A client without credentials is refused with 401, but the body describes the token.',
    violates: ['INTROSPECTION-CLIENT-AUTH'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response, { headers, form }) => {
      if (response.status === 401 && !(headers.authorization ?? form?.get('client_secret')))
        response.body = { ...fieldsOf(response), active: true, sub: 'somebody' }
    }),
  },
  {
    name: 'introspection-without-client-auth',
    summary: 'Introspection without client credentials returns active: false.',
    violates: ['INTROSPECTION-CLIENT-AUTH'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response, { headers, form }) => {
      const secret = headers.authorization ?? form?.get('client_secret')
      if (response.status === 401 && !secret) Object.assign(response, jsonResponse(200, { active: false }))
    }),
  },
  {
    name: 'introspection-without-client-auth-as-400',
    summary: 'A client without credentials is refused with 400 instead of 401.',
    violates: ['INTROSPECTION-CLIENT-AUTH'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response, { headers, form }) => {
      const secret = headers.authorization ?? form?.get('client_secret')
      if (response.status === 401 && !secret) response.status = 400
    }),
  },
  {
    name: 'introspection-secret-not-checked',
    summary: 'Introspection with a wrong client secret returns active: false.',
    violates: ['INTROSPECTION-CLIENT-SECRET'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response, { headers, form }) => {
      const secret = headers.authorization ?? form?.get('client_secret')
      if (response.status === 401 && secret) Object.assign(response, jsonResponse(200, { active: false }))
    }),
  },
  {
    name: 'introspection-wrong-secret-with-400',
    summary: 'Introspection refuses a wrong client secret with 400.',
    violates: ['INTROSPECTION-CLIENT-SECRET'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response, { headers, form }) => {
      const secret = headers.authorization ?? form?.get('client_secret')
      if (response.status === 401 && secret) response.status = 400
    }),
  },
  {
    name: 'introspection-token-optional',
    summary: 'Introspection without a token returns active: false.',
    violates: ['INTROSPECTION-TOKEN-REQUIRED'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response, { form }) => {
      if (response.status === 400 && !form?.get('token'))
        Object.assign(response, jsonResponse(200, { active: false }))
    }),
  },
  {
    name: 'introspection-missing-token-with-422',
    summary: 'Introspection without a token is refused with 422.',
    violates: ['INTROSPECTION-TOKEN-REQUIRED'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response, { form }) => {
      if (response.status === 400 && !form?.get('token')) response.status = 422
    }),
  },
  {
    name: 'introspection-hint-obeyed',
    summary: 'A token is searched for only among the tokens that token_type_hint names.',
    violates: ['INTROSPECTION-HINT-IGNORED'],
    variants: REFERENCE,
    alter: editResponse('introspection', (response, { form }) => {
      if (form?.get('token_type_hint') === 'refresh_token') response.body = { active: false }
    }),
  },
  {
    name: 'introspection-unknown-hint-refused',
    summary: 'An unknown token_type_hint is refused with 400.',
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
