import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { SECOND_APPLICATION_ID } from '../deployment.ts'
import { editCallback } from '../edits.ts'
import { challengeOf, randomChallenge } from '../pkce.ts'
import { editRequest } from './authorization-request.ts'

function isOfSecondApplication(query: URLSearchParams): boolean {
  return query.get('client_id') === SECOND_APPLICATION_ID
}

function hasMethodPlain(query: URLSearchParams): boolean {
  return query.get('code_challenge_method') === 'plain'
}

/** Adds a challenge without a known verifier to requests that have no challenge. */
function addMissingPkce(applies: (query: URLSearchParams) => boolean): Alter {
  return editRequest((query) => {
    if (!applies(query) || query.has('code_challenge')) return
    query.set('code_challenge', randomChallenge())
    query.set('code_challenge_method', 'S256')
  })
}

/** Treats the challenge of a request as the verifier itself. */
function readAsPlain(applies: (query: URLSearchParams) => boolean): Alter {
  return editRequest((query) => {
    const challenge = query.get('code_challenge')
    if (!applies(query) || challenge === null) return
    query.set('code_challenge', challengeOf(challenge))
    query.set('code_challenge_method', 'S256')
  })
}

/** Accepted requests without PKCE, or with a method other than S256. */
export const authorizationPkceFaults = withSurface('authorization-request', [
  {
    name: 'pkce-optional',
    summary: 'Accepts a request without a code challenge.',
    violates: ['AUTHZ-PKCE-REQUIRED'],
    alter: ({ idp }: Behaviour) => {
      idp.pkceRequired = false
    },
  },
  {
    name: 'pkce-optional-for-the-second-application',
    summary: 'Accepts a request of the second application without a code challenge.',
    violates: ['AUTHZ-PKCE-REQUIRED'],
    alter: addMissingPkce(isOfSecondApplication),
  },
  {
    name: 'pkce-optional-with-prompt-none',
    summary: 'Accepts a request with `prompt=none` and without a code challenge.',
    violates: ['AUTHZ-PKCE-REQUIRED'],
    alter: addMissingPkce((query) => query.get('prompt') === 'none'),
  },
  {
    name: 'challenge-optional',
    summary: 'Accepts a request with the challenge method S256 but without a challenge.',
    violates: ['AUTHZ-CHALLENGE-REQUIRED'],
    alter: editRequest((query) => {
      if (query.has('code_challenge_method') && !query.has('code_challenge'))
        query.set('code_challenge', randomChallenge())
    }),
  },
  {
    name: 'challenge-empty',
    summary: 'Accepts a request with an empty challenge.',
    violates: ['AUTHZ-CHALLENGE-REQUIRED'],
    alter: editRequest((query) => {
      if (query.get('code_challenge') === '') query.set('code_challenge', randomChallenge())
    }),
  },
  {
    name: 'challenge-optional-for-the-second-application',
    summary:
      'Accepts a request of the second application with the challenge method S256 but without a challenge.',
    violates: ['AUTHZ-CHALLENGE-REQUIRED'],
    alter: editRequest((query) => {
      if (!isOfSecondApplication(query) || !query.has('code_challenge_method')) return
      if (!query.get('code_challenge')) query.set('code_challenge', randomChallenge())
    }),
  },
  {
    name: 'challenge-empty-as-invalid-scope',
    summary: 'Returns the error `invalid_scope` for a request with an empty challenge.',
    violates: ['AUTHZ-CHALLENGE-REQUIRED-ERROR'],
    alter: editCallback(({ searchParams }, { query }) => {
      if (query.get('code_challenge') === '' && searchParams.has('error'))
        searchParams.set('error', 'invalid_scope')
    }),
  },
  {
    name: 'challenge-method-defaulted',
    summary: 'Accepts a request without a challenge method, and uses S256.',
    violates: ['AUTHZ-CHALLENGE-METHOD-REQUIRED'],
    alter: editRequest((query) => {
      if (query.has('code_challenge') && !query.has('code_challenge_method'))
        query.set('code_challenge_method', 'S256')
    }),
  },
  {
    name: 'challenge-method-defaulted-to-plain',
    summary: 'Accepts a request without a challenge method, and uses `plain`, the default of RFC 7636.',
    violates: ['AUTHZ-CHALLENGE-METHOD-REQUIRED'],
    alter: readAsPlain((query) => !query.has('code_challenge_method')),
  },
  {
    name: 'pkce-plain-accepted',
    summary: 'Accepts the challenge method `plain`.',
    violates: ['AUTHZ-PKCE-S256-ONLY'],
    alter: readAsPlain(hasMethodPlain),
  },
  {
    name: 'pkce-plain-accepted-of-the-second-application',
    summary: 'Accepts the challenge method `plain` from the second application.',
    violates: ['AUTHZ-PKCE-S256-ONLY'],
    alter: readAsPlain((query) => isOfSecondApplication(query) && hasMethodPlain(query)),
  },
  {
    name: 'pkce-method-without-case',
    summary: 'Accepts the challenge method `s256`, in lower case.',
    violates: ['AUTHZ-PKCE-S256-ONLY'],
    alter: editRequest((query) => {
      if (query.get('code_challenge_method')?.toUpperCase() === 'S256')
        query.set('code_challenge_method', 'S256')
    }),
  },
  {
    name: 'pkce-method-ignored',
    summary: 'Accepts any challenge method as S256.',
    violates: ['AUTHZ-PKCE-S256-ONLY'],
    alter: editRequest((query) => {
      if (query.has('code_challenge') && query.has('code_challenge_method'))
        query.set('code_challenge_method', 'S256')
    }),
  },
])
