import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editResponse, editTokenErrors, grantType, hasEmptySecret, isUnknownClient } from '../edits.ts'
import { fieldsOf, type HttpRequest, jsonResponse } from '../http.ts'
import { challengeOf } from '../pkce.ts'

/** Defines a variant that invalidates a code after `count` refused exchanges. */
function codeEndedAfter(count: number, name: string, summary: string) {
  return {
    name,
    summary,
    concerns: [
      'TOKEN-CODE-EXCHANGE',
      'TOKEN-REDIRECT-URI-SCHEME',
      'TOKEN-REDIRECT-URI-PORT',
      'TOKEN-REDIRECT-URI-QUERY',
      'TOKEN-REDIRECT-URI-TRAILING-SLASH',
      'TOKEN-REDIRECT-URI-CASE',
      'TOKEN-REDIRECT-URI-MATCH-ERROR',
    ],
    unspecified: 'Whether a code can be exchanged after a refused exchange is not specified.',
    alter: (behaviour: Behaviour) => {
      const refusals = new Map<string, number>()
      editTokenErrors((_, { form }) => {
        const code = form?.get('code') ?? ''
        refusals.set(code, (refusals.get(code) ?? 0) + 1)
      })(behaviour)
      behaviour.idp.presentedCodes.push((code, { form }) => {
        if ((refusals.get(form?.get('code') ?? '') ?? 0) >= count) code.clientId = ''
      })
    },
  }
}

/** Lawful client authentication, grants of applications, and error codes of the token endpoint. */
export const tokenRequestVariants = withSurface('token', [
  {
    name: 'client-secret-post',
    summary: 'Configures the application for `client_secret_post`.',
    concerns: [
      'TOKEN-CLIENT-AUTH-METHOD',
      'TOKEN-CLIENT-AUTH-METHOD-ERROR',
      'TOKEN-CLIENT-SECRET',
      'TOKEN-CLIENT-SECRET-ERROR',
      'TOKEN-CLIENT-SECRET-MISSING',
      'TOKEN-CLIENT-SECRET-EMPTY',
      'TOKEN-CLIENT-SECRET-EMPTY-ERROR',
      'TOKEN-REFRESH-AUTH-METHOD',
      'TOKEN-REFRESH-AUTH-METHOD-ERROR',
      'TOKEN-REFRESH-CLIENT-SECRET',
      'TOKEN-REFRESH-CLIENT-SECRET-ERROR',
      'TOKEN-BODY-JSON-ERROR',
      'TOKEN-BODY-MALFORMED-ERROR',
    ],
    unspecified: 'The method is configured for each application.',
    alter: ({ idp }: Behaviour) => {
      idp.authMethod = 'client_secret_post'
    },
  },
  {
    name: 'missing-verifier-as-invalid-grant',
    summary: 'Returns the error `invalid_grant` for a code exchange without `code_verifier`.',
    concerns: ['TOKEN-MISSING-CODE-VERIFIER', 'TOKEN-VERIFIER-MISSING'],
    unspecified:
      'A missing parameter is an invalid_request; a failed verification is an invalid_grant (RFC 7636).',
    alter: ({ idp }: Behaviour) => {
      idp.requiredExchangeParameters.delete('code_verifier')
    },
  },
  {
    name: 'missing-redirect-uri-as-invalid-grant',
    summary: 'Returns the error `invalid_grant` for a code exchange without `redirect_uri`.',
    concerns: ['TOKEN-MISSING-REDIRECT-URI-ERROR'],
    unspecified:
      'A missing parameter is an invalid_request; a redirect URI that does not match is an invalid_grant.',
    alter: editTokenErrors((fields, request) => {
      if (grantType(request) === 'authorization_code' && !request.form?.get('redirect_uri'))
        fields.error = 'invalid_grant'
    }),
  },
  {
    name: 'missing-grant-type-as-unsupported',
    summary: 'Returns the error `unsupported_grant_type` for a token request without `grant_type`.',
    concerns: ['TOKEN-MISSING-GRANT-TYPE-ERROR', 'TOKEN-BODY-JSON-ERROR', 'TOKEN-BODY-MALFORMED-ERROR'],
    unspecified: 'A missing parameter is an invalid_request; an empty grant type is an unsupported one.',
    alter: editTokenErrors((fields, request) => {
      if (fields.error === 'invalid_request' && !grantType(request)) fields.error = 'unsupported_grant_type'
    }),
  },
  {
    name: 'exchange-redirect-uri-as-mismatch',
    summary:
      'Returns the error `redirect_uri_mismatch` for a code exchange whose redirect URI differs from that of the authorization request.',
    concerns: ['TOKEN-REDIRECT-URI-MATCH-ERROR', 'TOKEN-REDIRECT-URI-TRAILING-SLASH'],
    unspecified: 'Both invalid_grant and the platform error redirect_uri_mismatch are documented.',
    alter: (behaviour: Behaviour) => {
      const differing = new WeakSet<HttpRequest>()
      behaviour.idp.presentedCodes.push((code, request) => {
        if (code.redirectUri !== request.form?.get('redirect_uri')) differing.add(request)
      })
      editTokenErrors((fields, request) => {
        if (differing.has(request)) fields.error = 'redirect_uri_mismatch'
      })(behaviour)
    },
  },
  codeEndedAfter(1, 'refused-exchange-ends-code', 'Invalidates a code after a refused exchange.'),
  codeEndedAfter(3, 'three-refused-exchanges-end-code', 'Invalidates a code after three refused exchanges.'),
  {
    name: 'wrong-verifier-as-invalid-request',
    summary: 'Returns the error `invalid_request` for a wrong code verifier.',
    concerns: ['TOKEN-VERIFIER-WRONG'],
    unspecified: 'No error is documented for a wrong code verifier.',
    alter: ({ idp }: Behaviour) => {
      const wrong = new WeakSet<HttpRequest>()
      idp.presentedCodes.push((code, request) => {
        const verifier = request.form?.get('code_verifier') ?? ''
        if (challengeOf(verifier) !== code.codeChallenge) wrong.add(request)
      })
      idp.responses.token.push((response, request) => {
        const fields = fieldsOf(response)
        if (fields?.error === 'invalid_grant' && wrong.has(request)) fields.error = 'invalid_request'
      })
    },
  },
  {
    name: 'missing-client-as-invalid-request',
    summary: 'Returns 400 `invalid_request` for a token request without client credentials.',
    concerns: [
      'TOKEN-CLIENT-AUTH-MISSING-ERROR',
      'TOKEN-CLIENT-SECRET-MISSING-ERROR',
      'TOKEN-REFRESH-CLIENT-AUTH-ERROR',
      'TOKEN-REFRESH-SECRET-MISSING-ERROR',
    ],
    unspecified: 'Missing credentials are both a missing parameter and a failed authentication.',
    alter: editResponse('token', (response, { headers, form }) => {
      if (response.status !== 401 || headers.authorization || form?.has('client_secret')) return
      const body = { error: 'invalid_request', error_description: 'Client credentials are missing.' }
      Object.assign(response, jsonResponse(400, body))
    }),
  },
  {
    name: 'empty-secret-as-invalid-request',
    summary: 'Returns 400 `invalid_request` for a Basic header whose secret is empty.',
    concerns: ['TOKEN-CLIENT-SECRET-EMPTY', 'TOKEN-CLIENT-SECRET-EMPTY-ERROR'],
    unspecified: 'An empty secret can count as wrong or as absent.',
    alter: editTokenErrors((fields, { headers }, response) => {
      if (!hasEmptySecret(headers)) return
      response.status = 400
      fields.error = 'invalid_request'
    }),
  },
  {
    name: 'json-body-with-415',
    summary: 'Returns 415 for a token request with a JSON body.',
    concerns: ['TOKEN-BODY-JSON', 'TOKEN-BODY-JSON-ERROR'],
    unspecified: 'HTTP has status 415 for an unsupported media type (RFC 9110 section 15.5.16).',
    alter: editResponse('token', (response, { headers }) => {
      if (response.status === 400 && headers['content-type'] === 'application/json') response.status = 415
    }),
  },
  {
    name: 'unknown-code-as-invalid-request',
    summary: 'Returns the error `invalid_request` for codes and refresh tokens that were never issued.',
    concerns: ['TOKEN-CODE-UNKNOWN', 'TOKEN-REFRESH-UNKNOWN'],
    unspecified: 'No error is documented for a code or refresh token that was never issued.',
    alter: editResponse('token', (response, { form }) => {
      const fields = fieldsOf(response)
      const given = form?.get('code') ?? form?.get('refresh_token')
      if (given === 'plumbline-never-issued' && fields?.error === 'invalid_grant')
        fields.error = 'invalid_request'
    }),
  },
  {
    name: 'unknown-client-as-invalid-grant',
    summary: 'Refuses a code exchange by an unknown client with 400 `invalid_grant`.',
    concerns: ['TOKEN-CLIENT-UNKNOWN-ERROR'],
    unspecified:
      'A client that does not exist has no code of its own, so the code is that of another client.',
    alter: editResponse('token', (response, { form, client }) => {
      const fields = fieldsOf(response)
      const isUnknown = isUnknownClient(client) && form?.has('code')
      if (fields?.error !== 'invalid_client' || !isUnknown) return
      response.status = 400
      fields.error = 'invalid_grant'
    }),
  },
  {
    name: 'foreign-code-as-invalid-client',
    summary: "Refuses another application's code or refresh token with 401 `invalid_client`.",
    concerns: ['TOKEN-CODE-OTHER-CLIENT', 'TOKEN-REFRESH-OTHER-CLIENT'],
    unspecified: 'No error is documented for a code or refresh token of another application.',
    alter: ({ idp }: Behaviour) => {
      idp.secondApplicationRefreshes = true
      const foreign = new WeakSet<HttpRequest>()
      const compare = (record: { clientId?: string }, request: HttpRequest) => {
        if (record.clientId !== request.client) foreign.add(request)
      }
      idp.presentedCodes.push(compare)
      idp.refreshTokenFound.push(compare)
      idp.responses.token.push((response, request) => {
        const fields = fieldsOf(response)
        if (fields?.error !== 'invalid_grant' || !foreign.has(request)) return
        response.status = 401
        fields.error = 'invalid_client'
      })
    },
  },
  {
    name: 'unauthorized-grant-as-invalid-grant',
    summary: 'Returns the error `invalid_grant` for a refresh by an application without the refresh grant.',
    concerns: ['TOKEN-GRANT-UNAUTHORIZED'],
    unspecified: 'Which of two errors of one request is reported is not specified.',
    alter: editResponse('token', (response) => {
      const fields = fieldsOf(response)
      if (fields?.error === 'unauthorized_client') fields.error = 'invalid_grant'
    }),
  },
  {
    name: 'refresh-token-judged-before-client',
    summary:
      'Validates the refresh token before the client, and revokes the refresh token of a refused refresh.',
    concerns: [
      'TOKEN-REFRESH-CLIENT-AUTH-ERROR',
      'TOKEN-REFRESH-SECRET-MISSING-ERROR',
      'TOKEN-REFRESH-AUTH-METHOD-ERROR',
      'TOKEN-REFRESH-CLIENT-SECRET-ERROR',
      'TOKEN-DUPLICATE-REFRESH-TOKEN-ERROR',
    ],
    unspecified: 'Which of two errors of one request is reported is not specified.',
    alter: ({ idp }: Behaviour) => {
      const ended = new Set<string>()
      idp.responses.token.push((response, { form }) => {
        const token = form?.get('refresh_token')
        if (!token) return
        if (ended.has(token)) {
          const body = { error: 'invalid_grant', error_description: 'The refresh token has ended.' }
          Object.assign(response, jsonResponse(400, body))
        } else if (response.status >= 400) ended.add(token)
      })
    },
  },
  {
    name: 'both-methods-accepted',
    summary: 'Accepts a Basic header and form credentials in one request.',
    concerns: ['TOKEN-CLIENT-AUTH-BOTH'],
    unspecified: 'The result of two authentication methods in one request is not specified.',
    alter: ({ idp }: Behaviour) =>
      idp.tokenRequest.push((form, { headers }) => {
        if (!headers.authorization || !form.has('client_secret')) return
        form.delete('client_id')
        form.delete('client_secret')
      }),
  },
  {
    name: 'token-error-labelled-as-text',
    summary: 'Labels the JSON of an error with the media type `text/plain`.',
    concerns: ['TOKEN-ERROR-JSON'],
    unspecified: 'The media type of an error is not specified.',
    alter: editResponse('token', (response) => {
      if (response.status >= 400) response.headers['content-type'] = 'text/plain'
    }),
  },
  {
    name: 'second-application-may-refresh',
    summary: 'Allows the second application to refresh.',
    concerns: ['TOKEN-REFRESH-OTHER-CLIENT', 'TOKEN-GRANT-UNAUTHORIZED'],
    unspecified: 'The grants of an application are agreed with each partner.',
    alter: ({ idp }: Behaviour) => {
      idp.secondApplicationRefreshes = true
    },
  },
])
