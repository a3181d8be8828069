import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editTokenErrors, grantType } from '../edits.ts'
import { type HttpRequest, htmlResponse } from '../http.ts'
import { endpointOf } from '../identity/paths.ts'

/** Whether a body has invalid percent-encoding. */
function isMalformed(text = ''): boolean {
  return /%(?![0-9A-Fa-f]{2})/.test(text)
}

/** Parameters that must not be repeated, with their requirements. */
const SINGLE_PARAMETERS = [
  ['grant_type', 'TOKEN-DUPLICATE-GRANT-TYPE'],
  ['code', 'TOKEN-DUPLICATE-CODE'],
  ['redirect_uri', 'TOKEN-DUPLICATE-REDIRECT-URI'],
  ['code_verifier', 'TOKEN-DUPLICATE-CODE-VERIFIER'],
  ['refresh_token', 'TOKEN-DUPLICATE-REFRESH-TOKEN'],
] as const

/** From the second refusal of a code or refresh token on, returns `error` in place of the error `refused`. */
function suspended(grant: 'code' | 'refresh_token', refused: string, error: string): Alter {
  return (behaviour) => {
    const seen = new Set<string>()
    editTokenErrors((fields, { form }) => {
      const given = form?.get(grant)
      if (!given) return
      if (seen.has(given) && fields.error === refused) fields.error = error
      seen.add(given)
    })(behaviour)
  }
}

/** Undocumented errors from the second refusal of a code or refresh token on. */
const suspendedGrants = [
  {
    name: 'malformed-exchange-of-refused-code-as-code-suspended',
    summary:
      'Returns the error `code_suspended` for a code exchange with a missing or repeated parameter, after an earlier refusal of the code.',
    // Several checks find this common cause, but only the first of them reports it.
    violates: ['TOKEN-MISSING-GRANT-TYPE-ERROR'],
    alter: suspended('code', 'invalid_request', 'code_suspended'),
  },
  {
    name: 'unauthenticated-exchange-of-refused-code-as-code-suspended',
    summary:
      'Returns the error `code_suspended` for a code exchange whose client authentication fails, after an earlier refusal of the code.',
    violates: ['TOKEN-CLIENT-AUTH-METHOD-ERROR'],
    alter: suspended('code', 'invalid_client', 'code_suspended'),
  },
  {
    name: 'unauthenticated-refresh-of-refused-token-as-token-suspended',
    summary:
      'Returns the error `token_suspended` for a refresh whose client authentication fails, after an earlier refusal of the refresh token.',
    violates: ['TOKEN-REFRESH-SECRET-MISSING-ERROR'],
    alter: suspended('refresh_token', 'invalid_client', 'token_suspended'),
  },
]

/** Missing, repeated and malformed parameters of token requests. */
export const tokenRequestFaults = withSurface('token', [
  ...suspendedGrants,
  {
    name: 'missing-code-as-invalid-grant',
    summary: 'Returns the error `invalid_grant` for a code exchange without `code`.',
    violates: ['TOKEN-MISSING-CODE-ERROR'],
    alter: editTokenErrors((fields, request) => {
      if (grantType(request) === 'authorization_code' && !request.form?.get('code'))
        fields.error = 'invalid_grant'
    }),
  },
  {
    name: 'missing-redirect-uri-accepted',
    summary: 'Accepts a code exchange without `redirect_uri`.',
    violates: ['TOKEN-MISSING-REDIRECT-URI'],
    alter: ({ idp }: Behaviour) => {
      const lacking = new WeakSet<HttpRequest>()
      idp.tokenRequest.push((form, request) => {
        if (form.get('grant_type') !== 'authorization_code' || form.get('redirect_uri')) return
        lacking.add(request)
        form.set('redirect_uri', 'none')
      })
      idp.presentedCodes.push((code, request) => {
        if (lacking.has(request)) code.redirectUri = 'none'
      })
    },
  },
  {
    name: 'missing-grant-type-accepted',
    summary: 'Accepts a token request without `grant_type` as a code exchange.',
    violates: ['TOKEN-MISSING-GRANT-TYPE'],
    alter: ({ idp }: Behaviour) =>
      idp.tokenRequest.push((form) => {
        if (!form.get('grant_type') && form.get('code')) form.set('grant_type', 'authorization_code')
      }),
  },
  {
    name: 'malformed-request-as-bad-request',
    summary: 'Returns the error `bad_request` for missing or repeated parameters and malformed bodies.',
    // Several checks find this common cause, but only the first of them reports it.
    violates: ['TOKEN-MISSING-GRANT-TYPE-ERROR'],
    alter: editTokenErrors((fields) => {
      if (fields.error === 'invalid_request') fields.error = 'bad_request'
    }),
  },
  {
    name: 'missing-grant-type-as-parameter-missing',
    summary: 'Returns the error `parameter_missing` for a token request without `grant_type`.',
    violates: ['TOKEN-MISSING-GRANT-TYPE-ERROR'],
    alter: editTokenErrors((fields, { form }) => {
      if (form?.get('code') && !form.get('grant_type')) fields.error = 'parameter_missing'
    }),
  },
  {
    name: 'missing-redirect-uri-with-422',
    summary: 'Returns 422 for a code exchange without `redirect_uri`.',
    violates: ['TOKEN-MISSING-REDIRECT-URI-ERROR'],
    alter: editTokenErrors((_, request, response) => {
      if (grantType(request) === 'authorization_code' && !request.form?.get('redirect_uri'))
        response.status = 422
    }),
  },
  {
    name: 'missing-code-verifier-as-pkce-required',
    summary: 'Returns the error `pkce_required` for a code exchange without `code_verifier`.',
    violates: ['TOKEN-MISSING-CODE-VERIFIER'],
    alter: editTokenErrors((fields, request) => {
      if (grantType(request) === 'authorization_code' && !request.form?.get('code_verifier'))
        fields.error = 'pkce_required'
    }),
  },
  {
    name: 'missing-code-verifier-with-401',
    summary: 'Returns 401 `invalid_client` for a code exchange without `code_verifier`.',
    violates: ['TOKEN-MISSING-CODE-VERIFIER'],
    alter: editTokenErrors((fields, request, response) => {
      if (grantType(request) !== 'authorization_code' || request.form?.get('code_verifier')) return
      if (!request.form?.get('code') || response.status !== 400) return
      response.status = 401
      fields.error = 'invalid_client'
    }),
  },
  {
    name: 'missing-refresh-token-as-invalid-grant',
    summary: 'Returns the error `invalid_grant` for a refresh without `refresh_token`.',
    violates: ['TOKEN-MISSING-REFRESH-TOKEN-ERROR'],
    alter: editTokenErrors((fields, request) => {
      if (grantType(request) === 'refresh_token' && !request.form?.get('refresh_token'))
        fields.error = 'invalid_grant'
    }),
  },
  {
    name: 'missing-refresh-token-with-200',
    summary: 'Returns an error with status 200 for a refresh without `refresh_token`.',
    violates: ['TOKEN-MISSING-REFRESH-TOKEN'],
    alter: editTokenErrors((_, request, response) => {
      if (grantType(request) === 'refresh_token' && !request.form?.get('refresh_token')) response.status = 200
    }),
  },
  ...SINGLE_PARAMETERS.map(([name, requirement]) => ({
    name: `duplicate-${name.replaceAll('_', '-')}-accepted`,
    summary: `Accepts a token request with two \`${name}\` parameters, and uses the first.`,
    violates: [requirement],
    alter: ({ idp }: Behaviour) =>
      idp.tokenRequest.push((form) => {
        if (form.has(name)) form.set(name, form.get(name) ?? '')
      }),
  })),
  ...SINGLE_PARAMETERS.map(([name, requirement]) => ({
    name: `duplicate-${name.replaceAll('_', '-')}-as-invalid-grant`,
    summary: `Returns the error \`invalid_grant\` for a token request with two \`${name}\` parameters.`,
    violates: [`${requirement}-ERROR`],
    alter: editTokenErrors((fields, { form }) => {
      if ((form?.getAll(name).length ?? 0) > 1) fields.error = 'invalid_grant'
    }),
  })),
  ...(
    [
      ['grant_type', 'TOKEN-MISSING-GRANT-TYPE'],
      ['code', 'TOKEN-MISSING-CODE'],
      ['redirect_uri', 'TOKEN-MISSING-REDIRECT-URI'],
      // This requirement is on the refusal. TOKEN-MISSING-CODE-VERIFIER is on its error.
      ['code_verifier', 'TOKEN-VERIFIER-MISSING'],
    ] as const
  ).map(([name, requirement]) => ({
    name: `missing-${name.replaceAll('_', '-')}-with-200`,
    summary: `Returns an error with status 200 for a code exchange without \`${name}\`.`,
    violates: [requirement],
    alter: editTokenErrors((_, { form }, response) => {
      const exchange = ['grant_type', 'code', 'redirect_uri', 'code_verifier'].filter((one) => form?.get(one))
      if (exchange.length === 3 && !exchange.includes(name)) response.status = 200
    }),
  })),
  {
    name: 'duplicate-parameters-accepted',
    summary: 'Accepts a token request with repeated parameters, and uses the first of each.',
    violates: SINGLE_PARAMETERS.map(([, requirement]) => requirement),
    alter: ({ idp }: Behaviour) =>
      idp.tokenRequest.push((form) => {
        for (const [name] of SINGLE_PARAMETERS) if (form.has(name)) form.set(name, form.get(name) ?? '')
      }),
  },
  {
    name: 'duplicate-client-id-accepted',
    summary: 'Accepts a token request with two `client_id` parameters, and uses the first.',
    violates: ['TOKEN-DUPLICATE-DIFFERENT'],
    alter: ({ idp }: Behaviour) =>
      idp.tokenRequest.push((form) => {
        if (form.has('client_id')) form.set('client_id', form.get('client_id') ?? '')
      }),
  },
  {
    name: 'duplicate-client-id-as-invalid-grant',
    summary: 'Returns the error `invalid_grant` for a token request with two `client_id` parameters.',
    violates: ['TOKEN-DUPLICATE-DIFFERENT-ERROR'],
    alter: editTokenErrors((fields, { form }) => {
      if ((form?.getAll('client_id').length ?? 0) > 1) fields.error = 'invalid_grant'
    }),
  },
  ...(
    [
      ['first', 'accepted', 'TOKEN-DUPLICATE-DIFFERENT'],
      // The check repeats parameters with an invalid last value, so the provider refuses them with another error.
      ['last', 'used', 'TOKEN-DUPLICATE-DIFFERENT-ERROR'],
    ] as const
  ).map(([position, verb, requirement]) => ({
    name: `duplicate-different-${position}-${verb}`,
    summary: `Refuses a repeated parameter with equal values; if the values differ, it uses the ${position}.`,
    violates: [requirement],
    alter: ({ idp }: Behaviour) =>
      idp.tokenRequest.push((form) => {
        for (const name of new Set(form.keys())) {
          const values = form.getAll(name)
          if (new Set(values).size === values.length)
            form.set(name, values.at(position === 'first' ? 0 : -1) ?? '')
        }
      }),
  })),
  {
    name: 'json-body-accepted',
    summary: 'Accepts a token request with a JSON body.',
    violates: ['TOKEN-BODY-JSON'],
    alter: ({ idp }: Behaviour) =>
      idp.interceptors.push((request) => {
        if (endpointOf(request.path) !== 'token') return undefined
        if (request.headers['content-type'] !== 'application/json') return undefined
        request.form = new URLSearchParams(JSON.parse(request.text ?? '{}'))
        request.headers['content-type'] = 'application/x-www-form-urlencoded'
        return undefined
      }),
  },
  {
    name: 'json-body-as-unsupported-media-type',
    summary:
      'Returns the error `unsupported_media_type` with status 400 for a token request with a JSON body.',
    violates: ['TOKEN-BODY-JSON-ERROR'],
    alter: editTokenErrors((fields, { headers }) => {
      if (headers['content-type'] === 'application/json') fields.error = 'unsupported_media_type'
    }),
  },
  {
    name: 'malformed-body-with-422',
    summary: 'Returns 422 for a body that is not a valid form.',
    violates: ['TOKEN-BODY-MALFORMED-ERROR'],
    alter: editTokenErrors((_, { text }, response) => {
      if (isMalformed(text)) response.status = 422
    }),
  },
  {
    name: 'malformed-body-as-server-error',
    summary: 'Returns the error `server_error` with status 400 for a body that is not a valid form.',
    violates: ['TOKEN-BODY-MALFORMED-ERROR'],
    alter: editTokenErrors((fields, { text }) => {
      if (isMalformed(text)) fields.error = 'server_error'
    }),
  },
  {
    name: 'malformed-body-with-200',
    summary: 'Returns an error with status 200 for a body that is not a valid form.',
    violates: ['TOKEN-BODY-MALFORMED'],
    alter: editTokenErrors((_, { text }, response) => {
      if (isMalformed(text)) response.status = 200
    }),
  },
  {
    name: 'token-without-accept-as-406',
    summary: 'Returns 406 for a token request without an `Accept` header.',
    violates: ['TOKEN-ACCEPT-OPTIONAL'],
    alter: ({ idp }: Behaviour) =>
      idp.interceptors.push(({ path, headers }) =>
        endpointOf(path) === 'token' && headers.accept === undefined
          ? htmlResponse(406, '<!doctype html><title>Not Acceptable</title>')
          : undefined,
      ),
  },
])
