import { type Behaviour, withFace } from '../behaviour.ts'
import { fieldsOf } from '../http.ts'
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

const issuers = ['IDTOKEN-ISSUER', 'ACCESSTOKEN-ISSUER', 'AUTHZ-ISS']

/** The harness was told of an issuer without the slash. */
const issuerWithSlash = withFace('jwt', [
  {
    name: 'issuer-with-slash-everywhere',
    summary: 'The issuer has a slash at its end, in discovery and wherever else it is named.',
    concerns: issuers,
    ambiguity:
      'Whether the provider is wrong or the harness was told wrong: nobody can know but those who agreed on it.',
    undecidable: [...issuers, 'IDTOKEN-REFRESHED-ISSUER', 'ACCESSTOKEN-REFRESHED-ISSUER'],
    alter: ({ idp }: Behaviour) => {
      for (const jwts of [idp.idToken, idp.accessToken]) {
        jwts.push(({ claims }) => {
          claims.iss = `${claims.iss}/`
        })
      }
      idp.answers.discovery.push((answer) => {
        const fields = fieldsOf(answer)
        if (fields) fields.issuer = `${fields.issuer}/`
      })
      idp.answers.authorization.push((answer, received) => {
        const url = callbackOf(answer, received)
        if (!url?.searchParams.has('iss')) return
        url.searchParams.set('iss', `${url.searchParams.get('iss')}/`)
        answer.headers.location = url.href
      })
    },
  },
])

/** Providers that are right to refuse, since the application is set up otherwise than the harness was told. */
const refusals = withFace('authorization', [
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

/** Deployments of which the harness was told something else than holds. */
export const misconfigurations = [...refusals, ...issuerWithSlash]
