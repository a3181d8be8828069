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
  'TOKEN-VERIFIER-WRONG',
  'TOKEN-VERIFIER-MISSING',
  'TOKEN-REDIRECT-URI-MATCH',
  'TOKEN-CODE-OTHER-CLIENT',
  'TOKEN-CODE-UNKNOWN',
  'TOKEN-MISSING-GRANT-TYPE',
  'TOKEN-MISSING-CODE',
  'TOKEN-MISSING-REDIRECT-URI',
  'TOKEN-MISSING-CODE-VERIFIER',
  'TOKEN-MISSING-REFRESH-TOKEN',
  'TOKEN-DUPLICATE-GRANT-TYPE',
  'TOKEN-DUPLICATE-CODE',
  'TOKEN-DUPLICATE-REDIRECT-URI',
  'TOKEN-DUPLICATE-CODE-VERIFIER',
  'TOKEN-DUPLICATE-REFRESH-TOKEN',
  'TOKEN-BODY-JSON',
  'TOKEN-BODY-MALFORMED',
  'TOKEN-GRANT-CLIENT-CREDENTIALS',
  'TOKEN-GRANT-PASSWORD',
  'TOKEN-GRANT-UNKNOWN',
  'TOKEN-GRANT-OTHERS',
  'TOKEN-GRANT-UNAUTHORIZED',
  'TOKEN-ERROR-JSON',
  'TOKEN-ERROR-DESCRIPTION',
  'TOKEN-CLIENT-AUTH-METHOD',
  'TOKEN-CLIENT-AUTH-MISSING',
  'TOKEN-CLIENT-AUTH-BOTH',
  'TOKEN-CLIENT-SECRET',
  'TOKEN-CLIENT-SECRET-MISSING',
  'TOKEN-CLIENT-UNKNOWN',
  'TOKEN-REFRESH-UNKNOWN',
  'TOKEN-REFRESH-CLIENT-AUTH',
  'TOKEN-REFRESH-OLD-REFUSED',
  'TOKEN-REFRESH-RACE',
  'USERINFO-TOKEN-REQUIRED',
  'USERINFO-MALFORMED-TOKEN',
  'USERINFO-TAMPERED-TOKEN',
  'USERINFO-ALTERED-CLAIMS',
  'USERINFO-UNSIGNED-TOKEN',
  'USERINFO-CHALLENGE',
  'USERINFO-CHALLENGE-ERROR',
  'INTROSPECTION-UNAVAILABLE',
]

const introspectionRefusals = [
  'INTROSPECTION-TOKEN-REQUIRED',
  'INTROSPECTION-CLIENT-AUTH',
  'INTROSPECTION-CLIENT-SECRET',
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
  ...withFace('introspection', [
    {
      name: 'introspection-refusals-broken',
      summary: 'What introspection would refuse is answered 500.',
      concerns: introspectionRefusals,
      ambiguity,
      undecidable: introspectionRefusals,
      alter: ({ idp }: Behaviour) => {
        idp.introspection = 'reference'
        idp.answers.introspection.push(brokenRefusal)
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
