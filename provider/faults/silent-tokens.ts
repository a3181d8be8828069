import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { LEVELS } from '../deployment.ts'
import { editCallback, editTokens } from '../edits.ts'
import type { HttpRequest } from '../http.ts'
import type { UnsignedJwt } from '../identity/behaviour.ts'

/**
 * Edits tokens of authorization requests with `prompt=none`.
 * @param options.refreshed whether to edit refreshed tokens too
 */
function editSilent(
  kind: 'idToken' | 'accessToken',
  edit: (jwt: UnsignedJwt) => void,
  { refreshed = false } = {},
): (behaviour: Behaviour) => void {
  return (behaviour) => {
    const silent = new Set<unknown>()
    const isSilent = ({ form }: HttpRequest) =>
      [form?.get('code'), form?.get('refresh_token')].some((grant) => grant && silent.has(grant))
    editCallback(({ searchParams }, { query }) => {
      if (query.get('prompt') === 'none') silent.add(searchParams.get('code'))
    })(behaviour)
    behaviour.idp[kind].push((jwt, request) => {
      if (isSilent(request)) edit(jwt)
    })
    if (refreshed)
      editTokens((fields, request) => {
        if (isSilent(request)) silent.add(fields.refresh_token)
      })(behaviour)
  }
}

/** Tokens that are invalid if the authorization request had `prompt=none`. */
export const silentTokenFaults = withSurface('token', [
  {
    name: 'prompt-none-id-token-nonce-missing',
    summary: 'Omits `nonce` from ID tokens of authorization requests with `prompt=none`.',
    violates: ['IDTOKEN-NONCE-OWN'],
    alter: editSilent('idToken', ({ claims }) => {
      delete claims.nonce
    }),
  },
  {
    name: 'prompt-none-access-token-audience-missing',
    summary: 'Omits `aud` from access tokens of authorization requests with `prompt=none`.',
    violates: ['ACCESSTOKEN-LATER'],
    alter: editSilent('accessToken', ({ claims }) => {
      delete claims.aud
    }),
  },
  {
    name: 'prompt-none-acr-lowered',
    summary:
      'Issues ID tokens with the weakest level as their `acr` for authorization requests with `prompt=none`, and for their refreshes.',
    violates: ['IDTOKEN-LATER'],
    alter: editSilent(
      'idToken',
      ({ claims }) => {
        claims.acr = LEVELS[0]
      },
      { refreshed: true },
    ),
  },
  {
    name: 'prompt-none-access-token-issuer',
    summary:
      'Issues access tokens with a different issuer for authorization requests with `prompt=none`, and for their refreshes.',
    violates: ['ACCESSTOKEN-LATER'],
    alter: editSilent(
      'accessToken',
      ({ claims }) => {
        claims.iss = `${claims.iss}/silent`
      },
      { refreshed: true },
    ),
  },
])
