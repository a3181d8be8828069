import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editCallback } from '../edits.ts'
import type { UnsignedJwt } from '../identity/behaviour.ts'

/** Edits tokens of authorization requests with `prompt=none`. */
function editSilent(
  kind: 'idToken' | 'accessToken',
  edit: (jwt: UnsignedJwt) => void,
): (behaviour: Behaviour) => void {
  return (behaviour) => {
    const silent = new Set<string | null | undefined>()
    editCallback(({ searchParams }, { query }) => {
      if (query.get('prompt') === 'none') silent.add(searchParams.get('code'))
    })(behaviour)
    behaviour.idp[kind].push((jwt, request) => {
      const code = request.form?.get('code')
      if (code && silent.has(code)) edit(jwt)
    })
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
])
