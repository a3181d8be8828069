import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editResponse, type Fields } from '../edits.ts'
import { fieldsOf, type HttpRequest, type HttpResponse, htmlResponse, jsonResponse } from '../http.ts'
import { bearerCredentialOf } from './userinfo.ts'

/** Edits the refusals of matching requests. @param edit receives the claims of the previous user */
function editRefusal(
  matches: (credential: string | undefined, response: HttpResponse) => boolean,
  edit: (response: HttpResponse, claims: Fields) => void,
): Alter {
  return ({ idp }: Behaviour) => {
    let claims: Fields | undefined
    idp.responses.userinfo.push((response, request: HttpRequest) => {
      if (response.status === 200) claims = fieldsOf(response)
      else if (claims && matches(bearerCredentialOf(request), response)) edit(response, claims)
    })
  }
}

/** Whether a credential is an ID token of the provider: a JWT with a nonce. */
function isIdToken(credential: string | undefined): boolean {
  const claims = Buffer.from(credential?.split('.')[1] ?? '', 'base64url').toString()
  return claims.includes('"nonce"')
}

const addClaims = (response: HttpResponse, claims: Fields) => {
  response.body = { ...fieldsOf(response), ...claims }
}

const addOtherUser = (response: HttpResponse) => {
  const user = { sub: 'c0ffee-1234', given_name: 'Eve', birthdate: '1980-01-01' }
  response.body = { ...fieldsOf(response), details: [{ last_user: user }] }
}

/** Refusals that contain claims of a user. */
export const userinfoDisclosureFaults = withSurface('userinfo', [
  {
    name: 'userinfo-refusal-with-subject-in-header',
    summary: 'Sends the `sub` of the previous user in a header with the refusal of an access token.',
    violates: ['USERINFO-REFUSED-CLAIMS'],
    alter: editRefusal(
      (credential) => credential !== undefined && !isIdToken(credential),
      (response, { sub }) => {
        response.headers['x-user-id'] = String(sub)
      },
    ),
  },
  {
    name: 'userinfo-challenge-with-email-in-realm',
    summary:
      'Sends the e-mail address of the previous user as the realm of the challenge for a refused access token.',
    violates: ['USERINFO-REFUSED-CLAIMS'],
    alter: editRefusal(
      (credential, { headers }) =>
        credential !== undefined && !isIdToken(credential) && Boolean(headers['www-authenticate']),
      (response, { email }) => {
        response.headers['www-authenticate'] = `${response.headers['www-authenticate']}, realm="${email}"`
      },
    ),
  },
  {
    name: 'userinfo-without-token-401-with-subject-in-header',
    summary:
      'Sends the `sub` of the previous user in a header with the refusal of a request without a token.',
    violates: ['USERINFO-TOKEN-REQUIRED'],
    alter: editRefusal(
      (credential) => credential === undefined,
      (response, { sub }) => {
        response.headers['x-user-id'] = String(sub)
      },
    ),
  },
  {
    name: 'userinfo-without-token-page-with-email',
    summary:
      'Returns a page with status 200 that contains the e-mail address of the previous user for a request without a token.',
    violates: ['USERINFO-TOKEN-REQUIRED'],
    alter: editRefusal(
      (credential) => credential === undefined,
      (response, { email }) => {
        Object.assign(response, htmlResponse(200, `<!doctype html><title>Welcome</title><p>${email}</p>`))
      },
    ),
  },
  {
    name: 'userinfo-without-token-anonymous',
    summary: 'Returns status 200 and the claims of an anonymous user for a request without a token.',
    violates: ['USERINFO-TOKEN-REQUIRED'],
    alter: editRefusal(
      (credential) => credential === undefined,
      (response) => {
        Object.assign(response, jsonResponse(200, { name: 'Anonymous' }))
      },
    ),
  },
  {
    name: 'userinfo-refusal-with-another-user-inside',
    summary: 'Includes an object that describes another user in the error for a refused access token.',
    violates: ['USERINFO-REFUSED-CLAIMS'],
    alter: editRefusal((credential) => credential !== undefined && !isIdToken(credential), addOtherUser),
  },
  {
    name: 'userinfo-without-token-401-with-another-user-inside',
    summary: 'Includes a list that describes another user in the error for a request without a token.',
    violates: ['USERINFO-TOKEN-REQUIRED'],
    alter: editRefusal((credential) => credential === undefined, addOtherUser),
  },
  {
    name: 'userinfo-tampered-token-refused-with-own-claim',
    summary:
      'Returns the customer number of the user from UserInfo, also with the refusal of an altered access token.',
    violates: ['USERINFO-REFUSED-CLAIMS'],
    alter: editResponse('userinfo', (response, request) => {
      const credential = bearerCredentialOf(request) ?? ''
      if (response.status === 200 || (credential.includes('.') && !isIdToken(credential)))
        response.body = { ...fieldsOf(response), customer_number: 4711 }
    }),
  },
  {
    name: 'userinfo-id-token-refused-with-claims',
    summary: 'Refuses an ID token at UserInfo, but returns the claims of the previous user.',
    violates: ['USERINFO-ID-TOKEN'],
    alter: editRefusal(isIdToken, addClaims),
  },
  {
    name: 'userinfo-refresh-token-refused-with-claims',
    summary: 'Refuses a refresh token at UserInfo, but returns the claims of the previous user.',
    violates: ['USERINFO-REFRESH-TOKEN'],
    // Refresh tokens of the provider consist of letters, digits, underscores and hyphens.
    alter: editRefusal((credential) => /^[\w-]{40,}$/.test(credential ?? ''), addClaims),
  },
])
