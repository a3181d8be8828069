import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editTokenErrors, grantType } from '../edits.ts'
import type { HttpRequest } from '../http.ts'
import { adoptLastClient } from './token-edits.ts'

/** Replaces the Basic header of a refresh with the last accepted header of the same client. */
function acceptAnySecret({ idp }: Behaviour): void {
  const accepted = new Map<string, string>()
  idp.responses.token.push((response, { client, headers }) => {
    if (response.status === 200 && client && headers.authorization)
      accepted.set(client, headers.authorization)
  })
  idp.tokenRequest.push((_, request) => {
    const known = accepted.get(request.client ?? '')
    if (grantType(request) === 'refresh_token' && request.headers.authorization && known)
      request.headers.authorization = known
  })
}

/** Replaces status 401 of some refreshes with 400 `invalid_grant`. */
function refuseAsInvalidGrant(applies: (request: HttpRequest) => boolean): Alter {
  return editTokenErrors((fields, request, response) => {
    if (grantType(request) !== 'refresh_token' || response.status !== 401 || !applies(request)) return
    response.status = 400
    fields.error = 'invalid_grant'
  })
}

const hasSecretInForm = ({ headers, form }: HttpRequest) =>
  !headers.authorization && form?.has('client_secret') === true
const isAnonymous = ({ headers, form }: HttpRequest) => !headers.authorization && !form?.has('client_secret')

/** Accepted refreshes with missing or wrong client authentication, and wrong errors for such refreshes. */
export const refreshClientAuthenticationFaults = withSurface('token', [
  {
    name: 'refresh-without-client-authentication',
    summary: 'Accepts a refresh without client credentials.',
    violates: ['TOKEN-REFRESH-CLIENT-AUTH'],
    alter: adoptLastClient(
      (form, { headers }) =>
        form.get('grant_type') === 'refresh_token' && !headers.authorization && !form.has('client_id'),
    ),
  },
  {
    name: 'refresh-with-client-id-alone',
    summary: 'Accepts a refresh with a `client_id` and no secret.',
    violates: ['TOKEN-REFRESH-SECRET-MISSING'],
    alter: adoptLastClient(
      (form, { headers }) =>
        form.get('grant_type') === 'refresh_token' &&
        !headers.authorization &&
        form.has('client_id') &&
        !form.has('client_secret'),
    ),
  },
  {
    name: 'refresh-with-any-secret',
    summary: 'Accepts a refresh with any client secret; a code exchange needs the correct secret.',
    violates: ['TOKEN-REFRESH-CLIENT-SECRET'],
    alter: acceptAnySecret,
  },
  {
    name: 'refresh-with-either-auth-method',
    summary: 'Accepts a refresh with credentials in the form, although the client is configured for Basic.',
    violates: ['TOKEN-REFRESH-AUTH-METHOD'],
    alter: ({ idp }: Behaviour) =>
      idp.tokenRequest.push((form, request) => {
        const [id, secret] = [form.get('client_id'), form.get('client_secret')]
        if (grantType(request) !== 'refresh_token' || request.headers.authorization || !id || !secret) return
        form.delete('client_id')
        form.delete('client_secret')
        const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`
        request.headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
      }),
  },
  {
    name: 'refresh-without-client-as-invalid-grant',
    summary: 'Returns 400 `invalid_grant` for a refresh without client credentials.',
    violates: ['TOKEN-REFRESH-CLIENT-AUTH-ERROR'],
    alter: refuseAsInvalidGrant((request) => isAnonymous(request) && !request.form?.has('client_id')),
  },
  {
    name: 'refresh-with-client-id-alone-as-invalid-grant',
    summary: 'Returns 400 `invalid_grant` for a refresh with a `client_id` and no secret.',
    violates: ['TOKEN-REFRESH-SECRET-MISSING-ERROR'],
    alter: refuseAsInvalidGrant((request) => isAnonymous(request) && request.form?.has('client_id') === true),
  },
  {
    name: 'refresh-with-wrong-secret-as-invalid-grant',
    summary: 'Returns 400 `invalid_grant` for a refresh with a wrong client secret.',
    violates: ['TOKEN-REFRESH-CLIENT-SECRET-ERROR'],
    alter: refuseAsInvalidGrant(({ headers }) => headers.authorization !== undefined),
  },
  {
    name: 'refresh-with-wrong-auth-method-as-invalid-grant',
    summary: 'Returns 400 `invalid_grant` for a refresh with the wrong client authentication method.',
    violates: ['TOKEN-REFRESH-AUTH-METHOD-ERROR'],
    alter: refuseAsInvalidGrant(hasSecretInForm),
  },
])
