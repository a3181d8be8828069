import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { SECOND_APPLICATION_ID } from '../deployment.ts'
import { challengeOf } from '../pkce.ts'
import { editReplay } from './token-code.ts'

/** Returns a function that reports whether the latest token request is of the second application. */
export function tokenRequestsOfSecond({ idp }: Behaviour): () => boolean {
  let client: string | undefined
  idp.tokenRequest.push((_, request) => {
    client = request.client
  })
  return () => client === SECOND_APPLICATION_ID
}

/** Violations that concern only the second application, as after an incomplete migration. */
export const secondApplicationFaults = withSurface('token', [
  {
    name: 'second-application-with-any-secret',
    summary: 'Accepts any secret from the second application.',
    violates: ['TOKEN-CLIENT-SECRET'],
    alter: (behaviour: Behaviour) => {
      const { idp } = behaviour
      const isOfSecond = tokenRequestsOfSecond(behaviour)
      const { secretMatches } = idp
      idp.secretMatches = (given, expected) => isOfSecond() || secretMatches(given, expected)
    },
  },
  {
    name: 'secret-of-any-application-accepted',
    summary: 'Accepts the secret of any application that has authenticated before.',
    violates: ['TOKEN-CLIENT-SECRET'],
    alter: ({ idp }: Behaviour) => {
      const { secretMatches } = idp
      const known = new Set<string>()
      idp.secretMatches = (given, expected) => {
        if (secretMatches(given, expected)) known.add(given)
        return known.has(given)
      }
    },
  },
  {
    name: 'second-application-with-any-verifier',
    summary: 'Accepts any code verifier from the second application.',
    violates: ['TOKEN-VERIFIER-WRONG'],
    alter: ({ idp }: Behaviour) =>
      idp.presentedCodes.push((code, { form }) => {
        const verifier = form?.get('code_verifier') ?? ''
        if (code.clientId === SECOND_APPLICATION_ID) code.codeChallenge = challengeOf(verifier)
      }),
  },
  {
    name: 'second-application-code-replay-accepted',
    summary: 'Accepts codes of the second application more than once.',
    violates: ['TOKEN-CODE-SINGLE-USE'],
    alter: (behaviour: Behaviour) => {
      const isOfSecond = tokenRequestsOfSecond(behaviour)
      behaviour.idp.reusable = (model) => model === 'AuthorizationCode' && isOfSecond()
    },
  },
  {
    name: 'second-application-code-replay-as-invalid-request',
    summary:
      'Returns the error `invalid_request` for the second exchange of a code of the second application.',
    violates: ['TOKEN-CODE-SINGLE-USE-ERROR'],
    alter: editReplay((fields, { client }) => {
      if (client === SECOND_APPLICATION_ID) fields.error = 'invalid_request'
    }),
  },
])
