import { type Alter, withSurface } from '../alteration.ts'
import { SECOND_APPLICATION_ID } from '../deployment.ts'
import { editCallback } from '../edits.ts'
import type { HttpRequest } from '../http.ts'
import { PATHS } from '../identity/paths.ts'

/** Changes the nonce of ID tokens. */
function editNonce(
  edit: (nonce: string) => string,
  applies: (claims: Record<string, unknown>, request: HttpRequest) => boolean = () => true,
): Alter {
  return ({ idp }) =>
    idp.idToken.push(({ claims }, request) => {
      if (typeof claims.nonce === 'string' && applies(claims, request)) claims.nonce = edit(claims.nonce)
    })
}

/** ID tokens with a changed nonce: if the nonce is long or has reserved characters, or in some authorizations. */
export const nonceFaults = withSurface('token', [
  {
    name: 'nonce-cut-to-255-characters',
    summary: 'Cuts the `nonce` of ID tokens to 255 characters.',
    violates: ['IDTOKEN-LATER'],
    alter: editNonce((nonce) => nonce.slice(0, 255)),
  },
  {
    name: 'nonce-plus-as-space-after-login',
    summary: 'Replaces each plus sign of the `nonce` with a space if the user signs in during the request.',
    violates: ['IDTOKEN-LATER'],
    alter: (behaviour) => {
      const codes = new Set<unknown>()
      editCallback(({ searchParams }, { path }) => {
        if (path !== PATHS.authorization) codes.add(searchParams.get('code'))
      })(behaviour)
      editNonce(
        (nonce) => nonce.replaceAll('+', ' '),
        (_, { form }) => codes.has(form?.get('code')),
      )(behaviour)
    },
  },
  {
    name: 'second-application-nonce-cut-to-64-characters',
    summary: 'Cuts the `nonce` of ID tokens of the second application to 64 characters.',
    violates: ['IDTOKEN-LATER'],
    alter: editNonce(
      (nonce) => nonce.slice(0, 64),
      ({ aud }) => aud === SECOND_APPLICATION_ID,
    ),
  },
])
