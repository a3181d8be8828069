import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editResponse } from '../edits.ts'
import { type HttpResponse, jsonResponse } from '../http.ts'
import { announceShortLifetime } from './token-edits.ts'
import { bearerCredentialOf } from './userinfo.ts'

/** The `exp` of encoded claims of a JWT, in seconds since the epoch. */
function expiryOf(claims: string): number {
  return JSON.parse(Buffer.from(claims, 'base64url').toString()).exp
}

/**
 * Refuses access tokens at UserInfo after their announced lifetime.
 * @param refusal receives the claims of the user
 */
function refuseExpired(refusal: (claims: object) => HttpResponse): (behaviour: Behaviour) => void {
  return (behaviour) => {
    announceShortLifetime(behaviour)
    editResponse('userinfo', (response, request) => {
      const claims = bearerCredentialOf(request)?.split('.')[1] ?? ''
      if (response.status === 200 && expiryOf(claims) <= Date.now() / 1000)
        Object.assign(response, refusal(Object(response.body)))
    })(behaviour)
  }
}

const invalidToken = { error: 'invalid_token', error_description: 'The token has expired.' }

function unauthorized(challenge: string | undefined, body: object): HttpResponse {
  const response = jsonResponse(401, body)
  if (challenge !== undefined) response.headers['www-authenticate'] = challenge
  return response
}

export const userinfoExpiredFaults = withSurface('userinfo', [
  {
    name: 'expired-access-token-with-403',
    summary: 'Returns 403 from UserInfo for an expired access token.',
    violates: ['USERINFO-EXPIRED-TOKEN-ERROR'],
    alter: refuseExpired(() => jsonResponse(403, { error: 'token_expired', error_description: 'Expired.' })),
  },
  {
    name: 'expired-access-token-accepted',
    summary: 'Accepts access tokens at UserInfo after their announced lifetime of 3 s.',
    violates: ['USERINFO-EXPIRED-TOKEN'],
    alter: (behaviour: Behaviour) => announceShortLifetime(behaviour),
  },
  {
    name: 'expired-access-token-without-challenge',
    summary: 'Omits `WWW-Authenticate` from the refusal of an expired access token.',
    violates: ['USERINFO-CHALLENGE'],
    alter: refuseExpired(() => unauthorized(undefined, invalidToken)),
  },
  {
    name: 'expired-access-token-error-renamed',
    summary: 'Returns the error `token_expired` in the challenge for an expired access token.',
    violates: ['USERINFO-CHALLENGE-ERROR'],
    alter: refuseExpired(() => unauthorized('Bearer error="token_expired"', invalidToken)),
  },
  {
    name: 'expired-access-token-with-claims',
    summary: 'Returns the claims of the user with the refusal of an expired access token.',
    violates: ['USERINFO-REFUSED-CLAIMS'],
    alter: refuseExpired((claims) =>
      unauthorized('Bearer error="invalid_token"', { ...invalidToken, ...claims }),
    ),
  },
])
