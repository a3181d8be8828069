import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editActiveToken, editResponse } from '../edits.ts'
import { fieldsOf, htmlResponse, jsonResponse } from '../http.ts'
import { PATHS } from '../identity/paths.ts'

const REFERENCE = [
  'INTROSPECTION-UNAVAILABLE',
  'INTROSPECTION-ACTIVE',
  'INTROSPECTION-SCOPE',
  'INTROSPECTION-CLIENT-ID',
  'INTROSPECTION-USERNAME',
  'INTROSPECTION-TOKEN-TYPE',
  'INTROSPECTION-EXP',
  'INTROSPECTION-IAT',
  'INTROSPECTION-NBF',
  'INTROSPECTION-SUB',
  'INTROSPECTION-AUD',
  'INTROSPECTION-ISS',
  'INTROSPECTION-JTI',
  'INTROSPECTION-INACTIVE',
  'INTROSPECTION-INACTIVE-ALONE',
  'INTROSPECTION-INACTIVE-ALIKE',
  'INTROSPECTION-TAMPERED',
  'INTROSPECTION-EXPIRED',
  'INTROSPECTION-REFRESH-TOKEN',
  'INTROSPECTION-HINT-IGNORED',
  'INTROSPECTION-TOKEN-REQUIRED',
  'INTROSPECTION-CLIENT-AUTH',
  'INTROSPECTION-CLIENT-SECRET',
  'INTROSPECTION-OTHER-CLIENT',
]

/** Lawful introspection endpoints, some of which are available to partners. */
export const introspectionVariants = withSurface('introspection', [
  {
    name: 'introspection-available',
    summary: 'Supports introspection as its reference section specifies.',
    concerns: REFERENCE,
    unspecified: 'Introspection is specified, and documented as unavailable to partners.',
    alter: ({ idp }: Behaviour) => {
      idp.introspection = 'reference'
    },
  },
  {
    name: 'introspection-active-alone',
    summary: 'Returns only `active` for an active token in introspection.',
    concerns: REFERENCE,
    unspecified:
      'Whether every member is always present is not specified (RFC 7662 section 2.2 makes them optional).',
    alter: (behaviour: Behaviour) => {
      behaviour.idp.introspection = 'reference'
      editActiveToken((fields) => {
        for (const name of Object.keys(fields)) if (name !== 'active') delete fields[name]
      })(behaviour)
    },
  },
  {
    name: 'introspection-in-other-forms',
    summary: 'Returns `token_type` bearer in lower case and `aud` as an array in introspection.',
    concerns: ['INTROSPECTION-AUD', 'INTROSPECTION-TOKEN-TYPE'],
    unspecified: 'Token types are case-insensitive, and aud may be a list (RFC 7662 section 2.2).',
    alter: (behaviour: Behaviour) => {
      behaviour.idp.introspection = 'reference'
      editActiveToken((fields) => {
        if (fields.token_type === 'Bearer') fields.token_type = 'bearer'
        fields.aud = [fields.aud]
      })(behaviour)
    },
  },
  {
    name: 'introspection-with-short-lived-tokens',
    summary: 'Supports introspection, and issues access tokens that are valid for 4 s.',
    concerns: ['INTROSPECTION-EXPIRED'],
    unspecified: 'The lifetime of access tokens is not specified.',
    // Concerns only this requirement: in other checks, the token could expire too early.
    alter: ({ idp }: Behaviour) => {
      idp.introspection = 'reference'
      idp.accessTokenLifetime = 4
    },
  },
  {
    name: 'introspection-as-json-403',
    summary: 'Refuses introspection by a partner with 403 and a JSON body.',
    concerns: ['INTROSPECTION-UNAVAILABLE'],
    unspecified: 'The HTML page with 400 is an observation from UAT.',
    alter: editResponse('introspection', (response) => {
      const body = { error: 'access_denied', error_description: 'Not for partners.' }
      Object.assign(response, jsonResponse(403, body))
    }),
  },
  {
    name: 'introspection-refused-with-token-type-and-date',
    summary:
      'Refuses introspection by a partner with an error that also contains a `token_type` and an `iat`.',
    concerns: ['INTROSPECTION-UNAVAILABLE'],
    unspecified: 'The HTML page with 400 is an observation from UAT.',
    mustPass: ['INTROSPECTION-UNAVAILABLE'],
    alter: editResponse('introspection', (response, { at }) => {
      const body = { error: 'access_denied', error_description: 'Not for partners.', token_type: 'Bearer' }
      Object.assign(response, jsonResponse(403, { ...body, iat: Math.floor(at / 1000) }))
    }),
  },
  {
    name: 'introspection-without-client-with-token-type',
    summary: 'Adds `token_type` to refusals of introspection without valid client credentials.',
    concerns: ['INTROSPECTION-CLIENT-AUTH', 'INTROSPECTION-CLIENT-SECRET'],
    unspecified: 'Errors of introspection may have more members.',
    alter: (behaviour: Behaviour) => {
      behaviour.idp.introspection = 'reference'
      editResponse('introspection', (response) => {
        const fields = response.status === 401 ? fieldsOf(response) : undefined
        if (fields) fields.token_type = 'Bearer'
      })(behaviour)
    },
  },
  {
    name: 'introspection-feature-disabled',
    summary: 'Refuses introspection by a partner with FEATURE_DISABLED.',
    concerns: ['INTROSPECTION-UNAVAILABLE', 'PLATFORM-FEATURE-DISABLED'],
    unspecified: 'FEATURE_DISABLED is documented for any feature that is not enabled for a partner.',
    alter: editResponse('introspection', (response) => {
      const body = { type: 'FEATURE_DISABLED', message: 'Introspection is not enabled for this partner.' }
      Object.assign(response, jsonResponse(403, body))
    }),
  },
  {
    name: 'introspection-not-implemented',
    summary: 'Returns 501 for introspection.',
    concerns: ['INTROSPECTION-UNAVAILABLE'],
    unspecified: 'The HTML page with 400 is an observation from UAT.',
    mustPass: ['INTROSPECTION-UNAVAILABLE'],
    alter: ({ idp }: Behaviour) =>
      idp.interceptors.push(({ path }) =>
        path === PATHS.introspection
          ? htmlResponse(501, '<!doctype html><title>Not implemented</title>')
          : undefined,
      ),
  },
  {
    name: 'introspection-redirected-to-page',
    summary: 'Redirects introspection by a partner to an error page.',
    concerns: ['INTROSPECTION-UNAVAILABLE'],
    unspecified: 'The HTML page with 400 is an observation from UAT.',
    alter: editResponse('introspection', (response) => {
      Object.assign(response, { status: 302, headers: { location: '/mga/sps/error' }, body: '' })
    }),
  },
])
