import { type Behaviour, withFace } from '../behaviour.ts'
import { grantType, onError, tokensForNobody } from './token-steps.ts'

type Edit = Parameters<typeof onError>[1]

/** Edits the refusal of unsupported grant types that a test of the name picks. */
function onUnsupported(behaviour: Behaviour, picks: (grant: string) => boolean, edit: Edit): void {
  onError(behaviour, (fields, received, answer) => {
    if (fields.error === 'unsupported_grant_type' && picks(grantType(received) ?? ''))
      edit(fields, received, answer)
  })
}

const isMachine = (grant: string) => grant === 'client_credentials'
const isPassword = (grant: string) => grant === 'password'
const isUnknown = (grant: string) => !isMachine(grant) && !isPassword(grant) && !grant.includes(':ietf:')

export const tokenGrantFaults = withFace('token', [
  {
    name: 'client-credentials-granted',
    summary: 'The client_credentials grant gives an access token.',
    violates: ['PLATFORM-MACHINE-TO-MACHINE'],
    alter: (behaviour: Behaviour) =>
      onUnsupported(behaviour, isMachine, (_, __, answer) => Object.assign(answer, tokensForNobody())),
  },
  {
    name: 'client-credentials-with-200',
    summary: 'The client_credentials grant is refused with status 200.',
    violates: ['TOKEN-GRANT-CLIENT-CREDENTIALS'],
    alter: (behaviour: Behaviour) =>
      onUnsupported(behaviour, isMachine, (_, __, answer) => {
        answer.status = 200
      }),
  },
  {
    name: 'client-credentials-as-unauthorized-client',
    summary: 'The client_credentials grant is called unauthorized_client.',
    violates: ['TOKEN-GRANT-CLIENT-CREDENTIALS'],
    alter: (behaviour: Behaviour) =>
      onUnsupported(behaviour, isMachine, (fields) => {
        fields.error = 'unauthorized_client'
      }),
  },
  {
    name: 'password-grant-tried',
    summary: 'The password grant looks the user up, and an unknown one is called invalid_grant.',
    violates: ['TOKEN-GRANT-PASSWORD'],
    alter: (behaviour: Behaviour) =>
      onUnsupported(behaviour, isPassword, (fields) => {
        fields.error = 'invalid_grant'
      }),
  },
  {
    name: 'password-grant-granted',
    summary: 'The password grant gives an access token.',
    violates: ['TOKEN-GRANT-PASSWORD'],
    alter: (behaviour: Behaviour) =>
      onUnsupported(behaviour, isPassword, (_, __, answer) => Object.assign(answer, tokensForNobody())),
  },
  {
    name: 'unknown-grant-renamed',
    summary: 'A grant type that does not exist is called invalid_request.',
    violates: ['TOKEN-GRANT-UNKNOWN'],
    alter: (behaviour: Behaviour) =>
      onUnsupported(behaviour, isUnknown, (fields) => {
        fields.error = 'invalid_request'
      }),
  },
  {
    name: 'unknown-grant-with-404',
    summary: 'A grant type that does not exist is answered 404.',
    violates: ['TOKEN-GRANT-UNKNOWN'],
    alter: (behaviour: Behaviour) =>
      onUnsupported(behaviour, isUnknown, (_, __, answer) => {
        answer.status = 404
      }),
  },
])

export const tokenErrorFaults = withFace('token', [
  {
    name: 'token-error-as-html',
    summary: 'Errors of the token endpoint are HTML pages.',
    violates: ['TOKEN-ERROR-JSON'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (_, __, answer) => {
        answer.headers['content-type'] = 'text/html; charset=utf-8'
        answer.body = '<!doctype html><title>Bad Request</title><h1>Bad Request</h1>'
      }),
  },
  {
    name: 'client-failure-as-html',
    summary: 'A client that fails to authenticate gets an HTML page; other errors are JSON.',
    violates: ['TOKEN-ERROR-JSON'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (_, __, answer) => {
        if (answer.status === 401) answer.body = '<!doctype html><title>Unauthorized</title>'
      }),
  },
  {
    name: 'errors-but-invalid-grant-as-html',
    summary: 'Only invalid_grant is told as JSON; other errors of the token endpoint are HTML pages.',
    violates: ['TOKEN-ERROR-JSON'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, ({ error }, _, answer) => {
        if (error === 'invalid_grant') return
        answer.headers['content-type'] = 'text/html; charset=utf-8'
        answer.body = '<!doctype html><title>Bad Request</title>'
      }),
  },
  {
    name: 'token-error-nested',
    summary: 'Errors of the token endpoint are wrapped in an object called error.',
    violates: ['TOKEN-ERROR-JSON'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, ({ error, error_description }, _, answer) => {
        answer.body = { error: { code: error, message: error_description } }
      }),
  },
  {
    name: 'token-error-without-description',
    summary: 'Errors of the token endpoint have no error_description.',
    violates: ['TOKEN-ERROR-DESCRIPTION'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (fields) => {
        delete fields.error_description
      }),
  },
  {
    name: 'unsupported-grant-without-description',
    summary: 'Of all errors, only unsupported_grant_type has no error_description.',
    violates: ['TOKEN-ERROR-DESCRIPTION'],
    alter: (behaviour: Behaviour) =>
      onUnsupported(
        behaviour,
        () => true,
        (fields) => {
          delete fields.error_description
        },
      ),
  },
])
