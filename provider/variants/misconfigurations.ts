import { type Behaviour, withFace } from '../behaviour.ts'
import { callbackOf } from '../identity/answers.ts'

/** Comes back with an error in the place of every code. */
function refuse({ idp }: Behaviour, error: string): void {
  idp.answers.authorization.push((answer, received) => {
    const url = callbackOf(answer, received)
    if (!url?.searchParams.has('code')) return
    url.searchParams.delete('code')
    url.searchParams.set('error', error)
    answer.headers.location = url.href
  })
}

const ambiguity =
  'The provider cannot know what somebody meant to configure: it refuses what it does not know.'
const nobodyCanTell = ['AUTHZ-CODE-FLOW', 'AUTHZ-STATE-ECHO', 'AUTHZ-STATE-REQUIRED']

/** Providers that are right to refuse, since the application is set up otherwise than the harness was told. */
export const misconfigurations = withFace('authorization', [
  {
    name: 'redirect-uri-registered-otherwise',
    summary: 'The application has another redirect URI, so every request ends at a page with status 400.',
    concerns: nobodyCanTell,
    ambiguity,
    undecidable: nobodyCanTell,
    alter: ({ idp }: Behaviour) => {
      idp.redirectUriMatches = () => false
    },
  },
  {
    name: 'redirect-uri-registered-otherwise-redirected',
    summary: 'The application has another redirect URI, which a redirect to the one that is named says.',
    concerns: nobodyCanTell,
    ambiguity,
    undecidable: nobodyCanTell,
    alter: ({ idp }: Behaviour) => {
      idp.redirectUriMatches = () => false
      idp.redirectMismatch = 'redirect'
    },
  },
  ...['invalid_request', 'unauthorized_client', 'invalid_scope', 'access_denied'].map((error) => ({
    name: `application-refused-${error.replace('_', '-')}`,
    summary: `The application, its scope or its user is not allowed, which comes back as ${error}.`,
    concerns: nobodyCanTell,
    ambiguity,
    undecidable: nobodyCanTell,
    alter: (behaviour: Behaviour) => refuse(behaviour, error),
  })),
])
