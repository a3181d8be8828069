import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editTokenErrors, grantType, hasEmptySecret, isUnknownClient } from '../edits.ts'
import { adoptLastClient } from './token-edits.ts'

/** Wrong authentication and grants of clients at the token endpoint. */
export const clientAuthenticationFaults = withSurface('token', [
  {
    name: 'auth-method-not-enforced',
    summary: 'Accepts both client authentication methods, regardless of the configured one.',
    violates: ['TOKEN-CLIENT-AUTH-METHOD'],
    alter: ({ idp }: Behaviour) => {
      idp.enforceAuthMethod = false
    },
  },
  {
    name: 'wrong-auth-method-with-400',
    summary: 'Refuses the wrong client authentication method with 400.',
    violates: ['TOKEN-CLIENT-AUTH-METHOD-ERROR'],
    alter: (behaviour: Behaviour) =>
      editTokenErrors((_, { form, headers }, response) => {
        const method = headers.authorization ? 'client_secret_basic' : 'client_secret_post'
        const given = headers.authorization ?? form?.get('client_secret')
        if (response.status === 401 && given && method !== behaviour.idp.authMethod) response.status = 400
      })(behaviour),
  },
  {
    name: 'client-authentication-optional',
    summary: 'Accepts a code exchange without client credentials.',
    violates: ['TOKEN-CLIENT-AUTH-MISSING'],
    alter: adoptLastClient(
      (form, { headers }) =>
        form.get('grant_type') === 'authorization_code' && !headers.authorization && !form.has('client_id'),
    ),
  },
  {
    name: 'missing-client-with-403',
    summary: 'Returns 403 for a code exchange without client credentials.',
    violates: ['TOKEN-CLIENT-AUTH-MISSING-ERROR'],
    alter: editTokenErrors((_, request, response) => {
      const { form, headers } = request
      if (grantType(request) === 'authorization_code' && !headers.authorization && !form?.has('client_id'))
        response.status = 403
    }),
  },
  {
    name: 'client-id-alone-accepted',
    summary: 'Accepts a code exchange with a `client_id` and no secret.',
    violates: ['TOKEN-CLIENT-SECRET-MISSING'],
    alter: adoptLastClient(
      (form, { headers }) =>
        form.get('grant_type') === 'authorization_code' &&
        !headers.authorization &&
        form.has('client_id') &&
        !form.has('client_secret'),
    ),
  },
  {
    name: 'empty-client-secret-accepted',
    summary: 'Accepts a code exchange with a Basic header whose secret is empty.',
    violates: ['TOKEN-CLIENT-SECRET-EMPTY'],
    alter: adoptLastClient(
      (form, { headers }) => form.get('grant_type') === 'authorization_code' && hasEmptySecret(headers),
    ),
  },
  {
    name: 'empty-client-secret-with-403',
    summary: 'Returns 403 for a Basic header whose secret is empty.',
    violates: ['TOKEN-CLIENT-SECRET-EMPTY-ERROR'],
    alter: editTokenErrors((_, { headers }, response) => {
      if (hasEmptySecret(headers)) response.status = 403
    }),
  },
  {
    name: 'client-id-alone-with-400',
    summary: 'Returns 400 for a code exchange with a `client_id` and no secret.',
    violates: ['TOKEN-CLIENT-SECRET-MISSING-ERROR'],
    alter: editTokenErrors((_, request, response) => {
      const { form, headers } = request
      const alone = !headers.authorization && form?.has('client_id') && !form.has('client_secret')
      if (grantType(request) === 'authorization_code' && alone && response.status === 401)
        response.status = 400
    }),
  },
  {
    name: 'unknown-client-as-unauthorized-client',
    summary: 'Refuses an unknown client with 400 `unauthorized_client`.',
    violates: ['TOKEN-CLIENT-UNKNOWN-ERROR'],
    alter: editTokenErrors((fields, { client }, response) => {
      if (response.status !== 401 || !isUnknownClient(client)) return
      response.status = 400
      fields.error = 'unauthorized_client'
    }),
  },
  {
    name: 'unknown-client-accepted',
    summary: 'Accepts a code of the application from an unknown client.',
    violates: ['TOKEN-CLIENT-UNKNOWN'],
    alter: adoptLastClient((_, { client }) => isUnknownClient(client)),
  },
  {
    name: 'client-failure-with-400',
    summary: 'Refuses every failed client authentication with 400 `invalid_client`.',
    // Several checks find this common cause, but only the first of them reports it.
    violates: ['TOKEN-CLIENT-AUTH-METHOD-ERROR'],
    alter: editTokenErrors((_, __, response) => {
      if (response.status === 401) response.status = 400
    }),
  },
  {
    name: 'client-failure-as-unauthorized',
    summary: 'Refuses a wrong client secret with 401 and the error `unauthorized`.',
    violates: ['TOKEN-CLIENT-SECRET-ERROR'],
    alter: (behaviour: Behaviour) =>
      editTokenErrors((fields, { form, client, headers }, response) => {
        const { authMethod } = behaviour.idp
        const given =
          authMethod === 'client_secret_basic' ? headers.authorization : form?.get('client_secret')
        if (response.status === 401 && given && !isUnknownClient(client)) fields.error = 'unauthorized'
      })(behaviour),
  },
  {
    name: 'client-secret-not-checked',
    summary: 'Accepts any client secret.',
    violates: ['TOKEN-CLIENT-SECRET'],
    alter: ({ idp }: Behaviour) => {
      idp.secretMatches = () => true
    },
  },
  {
    name: 'wrong-secret-as-invalid-grant',
    summary: 'Refuses a wrong client secret with 400 `invalid_grant`.',
    violates: ['TOKEN-CLIENT-SECRET-ERROR'],
    alter: (behaviour: Behaviour) => {
      const { secretMatches } = behaviour.idp
      let wrong = false
      behaviour.idp.secretMatches = (given, expected) => {
        const matches = secretMatches(given, expected)
        wrong = !matches
        return matches
      }
      editTokenErrors((fields, _, response) => {
        if (response.status === 401 && wrong)
          Object.assign(response, { status: 400, body: { ...fields, error: 'invalid_grant' } })
        wrong = false
      })(behaviour)
    },
  },
  {
    name: 'unknown-client-with-400',
    summary: 'Refuses an unknown client with 400 `invalid_client`.',
    violates: ['TOKEN-CLIENT-UNKNOWN-ERROR'],
    alter: editTokenErrors((_, { client }, response) => {
      if (response.status === 401 && isUnknownClient(client)) response.status = 400
    }),
  },
  {
    name: 'unauthorized-grant-as-grant-not-allowed',
    summary: 'Returns the error `grant_not_allowed` for a grant that the client may not use.',
    violates: ['TOKEN-GRANT-UNAUTHORIZED'],
    alter: editTokenErrors((fields) => {
      if (fields.error === 'unauthorized_client') fields.error = 'grant_not_allowed'
    }),
  },
  {
    name: 'unauthorized-grant-with-403',
    summary: 'Returns 403 for a grant that the client may not use.',
    violates: ['TOKEN-GRANT-UNAUTHORIZED'],
    alter: editTokenErrors((fields, _, response) => {
      if (fields.error === 'unauthorized_client') response.status = 403
    }),
  },
  {
    name: 'unauthorized-grant-renamed',
    summary: 'Returns the error `invalid_request` for a grant that the client may not use.',
    violates: ['TOKEN-GRANT-UNAUTHORIZED'],
    alter: ({ idp }: Behaviour) => {
      idp.unauthorizedGrantError = 'invalid_request'
    },
  },
])
