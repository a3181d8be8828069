import { type Alter, withSurface } from '../alteration.ts'
import { editTokenErrors, grantType } from '../edits.ts'
import { unbackedTokens } from './token-edits.ts'

type Edit = Parameters<typeof editTokenErrors>[0]

/** Edits the error unsupported_grant_type for matching grant types. */
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
    summary: 'The client_credentials grant returns an access token.',
    violates: ['PLATFORM-MACHINE-TO-MACHINE'],
    alter: editUnsupported(isClientCredentials, (_, __, response) =>
      Object.assign(response, unbackedTokens()),
    ),
  },
  {
    name: 'client-credentials-with-200',
    summary: 'The client_credentials grant is refused with status 200.',
    violates: ['TOKEN-GRANT-CLIENT-CREDENTIALS'],
    alter: editUnsupported(isClientCredentials, (_, __, response) => {
      response.status = 200
    }),
  },
  {
    name: 'client-credentials-as-unauthorized-client',
    summary: 'The client_credentials grant returns the error unauthorized_client.',
    violates: ['TOKEN-GRANT-CLIENT-CREDENTIALS'],
    alter: editUnsupported(isClientCredentials, (fields) => {
      fields.error = 'unauthorized_client'
    }),
  },
  {
    name: 'password-grant-tried',
    summary: 'The password grant is evaluated: an unknown user returns the error invalid_grant.',
    violates: ['TOKEN-GRANT-PASSWORD-ERROR'],
    alter: editUnsupported(isPassword, (fields) => {
      fields.error = 'invalid_grant'
    }),
  },
  {
    name: 'password-grant-granted',
    summary: 'The password grant returns an access token.',
    violates: ['TOKEN-GRANT-PASSWORD'],
    alter: editUnsupported(isPassword, (_, __, response) => Object.assign(response, unbackedTokens())),
  },
  {
    name: 'password-grant-as-not-supported',
    summary: 'The password grant returns the error grant_type_not_supported.',
    violates: ['TOKEN-GRANT-PASSWORD-ERROR'],
    alter: editUnsupported(isPassword, (fields) => {
      fields.error = 'grant_type_not_supported'
    }),
  },
  {
    name: 'client-credentials-as-not-supported',
    summary: 'The client_credentials grant returns the error grant_type_not_supported.',
    violates: ['TOKEN-GRANT-CLIENT-CREDENTIALS'],
    alter: editUnsupported(isClientCredentials, (fields) => {
      fields.error = 'grant_type_not_supported'
    }),
  },
  {
    name: 'unknown-grant-granted',
    summary: 'A grant type that does not exist returns an access token.',
    violates: ['TOKEN-GRANT-UNKNOWN'],
    alter: editUnsupported(isUnknown, (_, __, response) => Object.assign(response, unbackedTokens())),
  },
  {
    name: 'unknown-grant-renamed',
    summary: 'A grant type that does not exist returns the error invalid_request.',
    violates: ['TOKEN-GRANT-UNKNOWN-ERROR'],
    alter: editUnsupported(isUnknown, (fields) => {
      fields.error = 'invalid_request'
    }),
  },
  {
    name: 'unknown-grant-with-404',
    summary: 'A grant type that does not exist returns 404.',
    violates: ['TOKEN-GRANT-UNKNOWN-ERROR'],
    alter: editUnsupported(isUnknown, (_, __, response) => {
      response.status = 404
    }),
  },
])

export const tokenErrorFaults = withSurface('token', [
  {
    name: 'token-error-as-html',
    summary: 'Errors of the token endpoint are HTML pages.',
    violates: ['TOKEN-ERROR-JSON'],
    alter: editTokenErrors((_, __, response) => {
      response.headers['content-type'] = 'text/html; charset=utf-8'
      response.body = '<!doctype html><title>Bad Request</title><h1>Bad Request</h1>'
    }),
  },
  {
    name: 'client-failure-as-html',
    summary: 'A client that fails to authenticate gets an HTML page; other errors are JSON.',
    violates: ['TOKEN-ERROR-JSON'],
    alter: editTokenErrors((_, __, response) => {
      if (response.status === 401) response.body = '<!doctype html><title>Unauthorized</title>'
    }),
  },
  {
    name: 'errors-but-invalid-grant-as-html',
    summary: 'Errors of the token endpoint are HTML pages, except invalid_grant.',
    violates: ['TOKEN-ERROR-JSON'],
    alter: editTokenErrors(({ error }, _, response) => {
      if (error === 'invalid_grant') return
      response.headers['content-type'] = 'text/html; charset=utf-8'
      response.body = '<!doctype html><title>Bad Request</title>'
    }),
  },
  {
    name: 'token-error-nested',
    summary: 'Errors of the token endpoint are wrapped in an object called error.',
    violates: ['TOKEN-ERROR-JSON'],
    alter: editTokenErrors(({ error, error_description }, _, response) => {
      response.body = { error: { code: error, message: error_description } }
    }),
  },
  {
    name: 'token-error-without-description',
    summary: 'Errors of the token endpoint have no error_description.',
    violates: ['TOKEN-ERROR-DESCRIPTION'],
    alter: editTokenErrors((fields) => {
      delete fields.error_description
    }),
  },
  {
    name: 'unsupported-grant-without-description',
    summary: 'Of all errors, only unsupported_grant_type has no error_description.',
    violates: ['TOKEN-ERROR-DESCRIPTION'],
    alter: editUnsupported(
      () => true,
      (fields) => {
        delete fields.error_description
      },
    ),
  },
])
