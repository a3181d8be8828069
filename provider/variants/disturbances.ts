import { type Behaviour, withFace } from '../behaviour.ts'
import { type Answer, jsonAnswer } from '../http.ts'

/** A refusal that came out as an internal error. Throttled requests are not refused. */
function brokenRefusal(answer: Answer): void {
  if (answer.status < 400 || answer.status >= 500 || answer.status === 429) return
  Object.assign(
    answer,
    jsonAnswer(500, { error: 'server_error', error_description: 'Something went wrong.' }),
  )
}

const ambiguity = 'A 5xx is a transient failure of the service and says nothing about the request.'

const tokenRefusals = [
  'TOKEN-CODE-SINGLE-USE',
  'TOKEN-CODE-VERIFIER',
  'TOKEN-REDIRECT-URI-MATCH',
  'TOKEN-CODE-OTHER-CLIENT',
  'TOKEN-MISSING-PARAMETER',
  'TOKEN-DUPLICATE-PARAMETER',
  'TOKEN-GRANT-UNSUPPORTED',
  'TOKEN-GRANT-UNAUTHORIZED',
  'TOKEN-ERROR-BODY',
  'TOKEN-CLIENT-AUTH-METHOD',
  'TOKEN-CLIENT-SECRET',
  'TOKEN-REFRESH-OLD-REFUSED',
  'TOKEN-REFRESH-RACE',
  'USERINFO-TOKEN-REQUIRED',
  'USERINFO-MALFORMED-TOKEN',
  'USERINFO-TAMPERED-TOKEN',
  'INTROSPECTION-UNAVAILABLE',
]

const searchRefusals = [
  'EVENT-FROM-REQUIRED',
  'EVENT-TO-REQUIRED',
  'EVENT-TIME-Z-REJECTED',
  'EVENT-TIME-OFFSET-REJECTED',
  'EVENT-TIME-INVALID',
  'EVENT-WINDOW-LIMIT',
  'EVENT-PAGINATION-MALFORMED',
  'EVENT-CREDENTIALS-REQUIRED',
  'EVENT-SECRET-REQUIRED',
  'EVENT-CLIENT-ID-REQUIRED',
  'EVENT-SECRET-WRONG',
  'EVENT-CLIENT-ID-WRONG',
  'EVENT-SECRET-OF-ANOTHER',
  'EVENT-NO-OAUTH',
  'EVENT-UNENTITLED',
]

export const disturbances = [
  ...withFace('authorization', [
    {
      name: 'authorization-refusals-broken',
      summary: 'What the authorization endpoint would refuse with a page is answered 500.',
      concerns: ['PLATFORM-REDIRECT-MISMATCH', 'AUTHZ-REDIRECT-URI-EXACT'],
      ambiguity,
      undecidable: ['PLATFORM-REDIRECT-MISMATCH'],
      alter: ({ idp }: Behaviour) => idp.answers.authorization.push(brokenRefusal),
    },
  ]),
  ...withFace('token', [
    {
      name: 'token-refusals-broken',
      summary: 'What the token, user-info and introspection endpoints would refuse is answered 500.',
      concerns: tokenRefusals,
      ambiguity,
      undecidable: tokenRefusals,
      alter: ({ idp }: Behaviour) => {
        for (const endpoint of ['token', 'userinfo', 'introspection'] as const)
          idp.answers[endpoint].push(brokenRefusal)
      },
    },
  ]),
  ...withFace('hub', [
    {
      name: 'search-refusals-broken',
      summary: 'What the event search would refuse is answered 500.',
      concerns: searchRefusals,
      ambiguity,
      undecidable: searchRefusals,
      alter: ({ hub }: Behaviour) => hub.answers.push(brokenRefusal),
    },
  ]),
]
