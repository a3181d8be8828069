import { createHash } from 'node:crypto'
import { type Behaviour, withFace } from '../behaviour.ts'
import { fieldsOf, jsonAnswer, type Received } from '../http.ts'

/** Decisions that the document leaves to the provider: which error a refusal names, and what tokens live through. */
export const tokenDecisions = withFace('token', [
  {
    name: 'missing-verifier-as-invalid-grant',
    summary: 'A code exchange without a code verifier is called invalid_grant.',
    concerns: ['TOKEN-MISSING-CODE-VERIFIER', 'TOKEN-VERIFIER-MISSING'],
    ambiguity: 'A missing parameter is invalid_request; a failed verification is invalid_grant (RFC 7636).',
    alter: ({ idp }: Behaviour) => {
      idp.requiredExchangeParameters.delete('code_verifier')
    },
  },
  {
    name: 'wrong-verifier-as-invalid-request',
    summary: 'A wrong code verifier is called invalid_request.',
    concerns: ['TOKEN-VERIFIER-WRONG'],
    ambiguity: 'No error is documented for a wrong code verifier.',
    alter: ({ idp }: Behaviour) => {
      const wrong = new WeakSet<Received>()
      idp.codeFound.push((found, received) => {
        const verifier = received.form?.get('code_verifier') ?? ''
        const challenge = createHash('sha256').update(verifier).digest('base64url')
        if (challenge !== found.codeChallenge) wrong.add(received)
      })
      idp.answers.token.push((answer, received) => {
        const fields = fieldsOf(answer)
        if (fields?.error === 'invalid_grant' && wrong.has(received)) fields.error = 'invalid_request'
      })
    },
  },
  {
    name: 'missing-client-as-invalid-request',
    summary: 'A token request without client credentials is called invalid_request, with status 400.',
    concerns: ['TOKEN-CLIENT-AUTH-MISSING', 'TOKEN-CLIENT-SECRET-MISSING', 'TOKEN-REFRESH-CLIENT-AUTH'],
    ambiguity: 'Credentials that are missing are both a missing parameter and a failed authentication.',
    alter: ({ idp }: Behaviour) =>
      idp.answers.token.push((answer, { headers, form }) => {
        if (answer.status !== 401 || headers.authorization || form?.has('client_secret')) return
        const body = { error: 'invalid_request', error_description: 'Client credentials are missing.' }
        Object.assign(answer, jsonAnswer(400, body))
      }),
  },
  {
    name: 'json-body-with-415',
    summary: 'A token request as JSON is refused with 415.',
    concerns: ['TOKEN-BODY-JSON'],
    ambiguity: 'Another media type is answered 415 by HTTP (RFC 9110 section 15.5.16).',
    alter: ({ idp }: Behaviour) =>
      idp.answers.token.push((answer, { headers }) => {
        if (answer.status === 400 && headers['content-type'] === 'application/json') answer.status = 415
      }),
  },
  {
    name: 'unknown-code-as-invalid-request',
    summary: 'Codes and refresh tokens that were never issued are called invalid_request.',
    concerns: ['TOKEN-CODE-UNKNOWN', 'TOKEN-REFRESH-UNKNOWN'],
    ambiguity: 'No error is documented for a code or a refresh token that nobody was given.',
    alter: ({ idp }: Behaviour) =>
      idp.answers.token.push((answer, { form }) => {
        const fields = fieldsOf(answer)
        const given = form?.get('code') ?? form?.get('refresh_token')
        if (given === 'plumbline-never-issued' && fields?.error === 'invalid_grant')
          fields.error = 'invalid_request'
      }),
  },
  {
    name: 'foreign-code-as-invalid-client',
    summary: "Another application's code or refresh token is refused with 401 invalid_client.",
    concerns: ['TOKEN-CODE-OTHER-CLIENT', 'TOKEN-REFRESH-OTHER-CLIENT'],
    ambiguity: 'No error is documented for what was issued to another application.',
    alter: ({ idp }: Behaviour) => {
      idp.secondApplicationRefreshes = true
      const foreign = new WeakSet<Received>()
      const compare = (found: { clientId?: string }, received: Received) => {
        if (found.clientId !== received.client) foreign.add(received)
      }
      idp.codeFound.push(compare)
      idp.refreshTokenFound.push(compare)
      idp.answers.token.push((answer, received) => {
        const fields = fieldsOf(answer)
        if (fields?.error !== 'invalid_grant' || !foreign.has(received)) return
        answer.status = 401
        fields.error = 'invalid_client'
      })
    },
  },
  {
    name: 'unauthorized-grant-as-invalid-grant',
    summary: 'An application without the refresh grant is told that its refresh token is no good.',
    concerns: ['TOKEN-GRANT-UNAUTHORIZED'],
    ambiguity: 'A request can be wrong in two ways; which one is reported is not said.',
    alter: ({ idp }: Behaviour) =>
      idp.answers.token.push((answer) => {
        const fields = fieldsOf(answer)
        if (fields?.error === 'unauthorized_client') fields.error = 'invalid_grant'
      }),
  },
  {
    name: 'both-methods-accepted',
    summary: 'A client may authenticate by Basic header and form at once.',
    concerns: ['TOKEN-CLIENT-AUTH-BOTH'],
    ambiguity: 'What two methods at once lead to is not shown.',
    alter: ({ idp }: Behaviour) =>
      idp.tokenRequest.push((form, { headers }) => {
        if (!headers.authorization || !form.has('client_secret')) return
        form.delete('client_id')
        form.delete('client_secret')
      }),
  },
  {
    name: 'token-error-labelled-as-text',
    summary: 'The JSON of a refusal is labelled text/plain.',
    concerns: ['TOKEN-ERROR-JSON'],
    ambiguity: 'The media type of an error is not named.',
    alter: ({ idp }: Behaviour) =>
      idp.answers.token.push((answer) => {
        if (answer.status >= 400) answer.headers['content-type'] = 'text/plain'
      }),
  },
  {
    name: 'second-application-may-refresh',
    summary: 'The second application has the refresh grant.',
    concerns: ['TOKEN-REFRESH-OTHER-CLIENT', 'TOKEN-GRANT-UNAUTHORIZED'],
    ambiguity: 'Which grants an application has is agreed with each partner.',
    alter: ({ idp }: Behaviour) => {
      idp.secondApplicationRefreshes = true
    },
  },
  {
    name: 'refresh-ends-access-token',
    summary: 'A refresh ends the access token that came before it.',
    concerns: ['TOKEN-REFRESH', 'USERINFO-BEARER'],
    ambiguity: 'Whether the earlier access token lives on after a refresh is not said.',
    alter: ({ idp }: Behaviour) => {
      const accessTokens = new Map<unknown, string>()
      const ended = new Set<string>()
      idp.answers.token.push((answer, { form }) => {
        const fields = fieldsOf(answer)
        if (answer.status !== 200 || !fields) return
        const before = accessTokens.get(form?.get('refresh_token'))
        if (before) ended.add(before)
        accessTokens.set(fields.refresh_token, String(fields.access_token))
      })
      const { accessTokenAccepted } = idp
      idp.accessTokenAccepted = (input, signature, keys) =>
        !ended.has(`${input}.${signature}`) && accessTokenAccepted(input, signature, keys)
    },
  },
  {
    name: 'short-lived-access-tokens',
    summary: 'Access tokens live for four seconds.',
    concerns: [
      'TOKEN-EXPIRES-IN',
      'USERINFO-BEARER',
      'USERINFO-EXPIRED-TOKEN',
      'ACCESSTOKEN-EXPIRY',
      'ACCESSTOKEN-REFRESHED-EXPIRY',
    ],
    ambiguity: 'The lifetime of access tokens is not shown.',
    alter: ({ idp }: Behaviour) => {
      idp.accessTokenLifetime = 4
    },
  },
])
