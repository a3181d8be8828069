import { type Alter, withSurface } from '../alteration.ts'
import { editTokenErrors, grantType } from '../edits.ts'
import { unusableTokens } from './token-edits.ts'

type Edit = Parameters<typeof editTokenErrors>[0]

/** Edits `unsupported_grant_type` errors for matching grant types. */
function editUnsupported(matches: (grant: string) => boolean, edit: Edit): Alter {
  return editTokenErrors((fields, request, response) => {
    if (fields.error === 'unsupported_grant_type' && matches(grantType(request) ?? ''))
      edit(fields, request, response)
  })
}

const isClientCredentials = (grant: string) => grant === 'client_credentials'
const isPassword = (grant: string) => grant === 'password'
const isUnknown = (grant: string) =>
  !isClientCredentials(grant) && !isPassword(grant) && !grant.includes(':ietf:')

export const tokenGrantFaults = withSurface('token', [
  {
    name: 'client-credentials-granted',
    summary: 'Returns an access token for the `client_credentials` grant.',
    violates: ['PLATFORM-MACHINE-TO-MACHINE'],
    alter: editUnsupported(isClientCredentials, (_, __, response) =>
      Object.assign(response, unusableTokens()),
    ),
  },
  {
    name: 'client-credentials-with-200',
    summary: 'Returns 200 with an error for the `client_credentials` grant.',
    violates: ['TOKEN-GRANT-CLIENT-CREDENTIALS'],
    alter: editUnsupported(isClientCredentials, (_, __, response) => {
      response.status = 200
    }),
  },
  {
    name: 'client-credentials-as-unauthorized-client',
    summary: 'Returns the error `unauthorized_client` for the `client_credentials` grant.',
    violates: ['TOKEN-GRANT-CLIENT-CREDENTIALS'],
    alter: editUnsupported(isClientCredentials, (fields) => {
      fields.error = 'unauthorized_client'
    }),
  },
  {
    name: 'password-grant-tried',
    summary: 'Evaluates the `password` grant: it returns the error `invalid_grant` for an unknown user.',
    violates: ['TOKEN-GRANT-PASSWORD-ERROR'],
    alter: editUnsupported(isPassword, (fields) => {
      fields.error = 'invalid_grant'
    }),
  },
  {
    name: 'password-grant-granted',
    summary: 'Returns an access token for the `password` grant.',
    violates: ['TOKEN-GRANT-PASSWORD'],
    alter: editUnsupported(isPassword, (_, __, response) => Object.assign(response, unusableTokens())),
  },
  {
    name: 'password-grant-as-not-supported',
    summary: 'Returns the error `grant_type_not_supported` for the `password` grant.',
    violates: ['TOKEN-GRANT-PASSWORD-ERROR'],
    alter: editUnsupported(isPassword, (fields) => {
      fields.error = 'grant_type_not_supported'
    }),
  },
  {
    name: 'client-credentials-as-not-supported',
    summary: 'Returns the error `grant_type_not_supported` for the `client_credentials` grant.',
    violates: ['TOKEN-GRANT-CLIENT-CREDENTIALS'],
    alter: editUnsupported(isClientCredentials, (fields) => {
      fields.error = 'grant_type_not_supported'
    }),
  },
  {
    name: 'unknown-grant-granted',
    summary: 'Returns an access token for an unknown grant type.',
    violates: ['TOKEN-GRANT-UNKNOWN'],
    alter: editUnsupported(isUnknown, (_, __, response) => Object.assign(response, unusableTokens())),
  },
  {
    name: 'unknown-grant-renamed',
    summary: 'Returns the error `invalid_request` for an unknown grant type.',
    violates: ['TOKEN-GRANT-UNKNOWN-ERROR'],
    alter: editUnsupported(isUnknown, (fields) => {
      fields.error = 'invalid_request'
    }),
  },
  {
    name: 'unknown-grant-with-404',
    summary: 'Returns 404 for an unknown grant type.',
    violates: ['TOKEN-GRANT-UNKNOWN-ERROR'],
    alter: editUnsupported(isUnknown, (_, __, response) => {
      response.status = 404
    }),
  },
])

export const tokenErrorFaults = withSurface('token', [
  {
    name: 'token-error-as-html',
    summary: 'Returns errors of the token endpoint as HTML pages.',
    violates: ['TOKEN-ERROR-JSON'],
    alter: editTokenErrors((_, __, response) => {
      response.headers['content-type'] = 'text/html; charset=utf-8'
      response.body = '<!doctype html><title>Bad Request</title><h1>Bad Request</h1>'
    }),
  },
  {
    name: 'client-failure-as-html',
    summary: 'Returns an HTML page for a failed client authentication; other errors are JSON.',
    violates: ['TOKEN-ERROR-JSON'],
    alter: editTokenErrors((_, __, response) => {
      if (response.status === 401) response.body = '<!doctype html><title>Unauthorized</title>'
    }),
  },
  {
    name: 'errors-but-invalid-grant-as-html',
    summary: 'Returns errors of the token endpoint as HTML pages, except `invalid_grant`.',
    violates: ['TOKEN-ERROR-JSON'],
    alter: editTokenErrors(({ error }, _, response) => {
      if (error === 'invalid_grant') return
      response.headers['content-type'] = 'text/html; charset=utf-8'
      response.body = '<!doctype html><title>Bad Request</title>'
    }),
  },
  {
    name: 'token-error-nested',
    summary: 'Wraps errors of the token endpoint in an object named `error`.',
    violates: ['TOKEN-ERROR-JSON'],
    alter: editTokenErrors(({ error, error_description }, _, response) => {
      response.body = { error: { code: error, message: error_description } }
    }),
  },
  {
    name: 'token-error-blank',
    summary: 'Returns a space as the `error` of errors of the token endpoint.',
    violates: ['TOKEN-ERROR-JSON'],
    alter: editTokenErrors((fields) => {
      fields.error = ' '
    }),
  },
  {
    name: 'token-error-without-description',
    summary: 'Omits `error_description` from errors of the token endpoint.',
    violates: ['TOKEN-ERROR-DESCRIPTION'],
    alter: editTokenErrors((fields) => {
      delete fields.error_description
    }),
  },
  {
    name: 'token-error-description-blank',
    summary: 'Returns a space as the `error_description` of errors of the token endpoint.',
    violates: ['TOKEN-ERROR-DESCRIPTION'],
    alter: editTokenErrors((fields) => {
      fields.error_description = ' '
    }),
  },
  {
    name: 'unsupported-grant-without-description',
    summary: 'Omits `error_description` from `unsupported_grant_type`; all other errors have it.',
    violates: ['TOKEN-ERROR-DESCRIPTION'],
    alter: editUnsupported(
      () => true,
      (fields) => {
        delete fields.error_description
      },
    ),
  },
])
