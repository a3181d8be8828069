import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editCallback } from '../edits.ts'
import { fieldsOf } from '../http.ts'

/** Replaces every code by an error. */
function refuse(error: string): Alter {
  return editCallback(({ searchParams }) => {
    if (!searchParams.has('code')) return
    searchParams.delete('code')
    searchParams.set('error', error)
  })
}

const ambiguity =
  'A provider that refuses an unknown configuration is right, even if the configuration was meant to work.'
const FLOW = ['AUTHZ-CODE-FLOW', 'AUTHZ-STATE-ECHO', 'AUTHZ-STATE-REQUIRED']

const issuers = ['IDTOKEN-ISSUER', 'ACCESSTOKEN-ISSUER', 'AUTHZ-ISS']

/** The configured issuer has no trailing slash. */
const issuerWithSlash = withSurface('jwt', [
  {
    name: 'issuer-with-slash-everywhere',
    summary: 'The issuer has a trailing slash in discovery, tokens and redirects.',
    concerns: issuers,
    ambiguity: 'The provider or the configuration of the run is wrong; only the two parties know which.',
    undecidable: [...issuers, 'IDTOKEN-REFRESHED-ISSUER', 'ACCESSTOKEN-REFRESHED-ISSUER'],
    alter: (behaviour: Behaviour) => {
      const { idp } = behaviour
      for (const jwts of [idp.idToken, idp.accessToken]) {
        jwts.push(({ claims }) => {
          claims.iss = `${claims.iss}/`
        })
      }
      idp.responses.discovery.push((response) => {
        const fields = fieldsOf(response)
        if (fields) fields.issuer = `${fields.issuer}/`
      })
      editCallback(({ searchParams }) => {
        if (searchParams.has('iss')) searchParams.set('iss', `${searchParams.get('iss')}/`)
      })(behaviour)
    },
  },
])

/** Providers that rightly refuse an application that is not registered as configured. */
const refusals = withSurface('authorization', [
  {
    name: 'redirect-uri-registered-otherwise',
    summary: 'The configured redirect URI is not registered: every request returns a page with status 400.',
    concerns: FLOW,
    ambiguity,
    undecidable: FLOW,
    alter: ({ idp }: Behaviour) => {
      idp.redirectUriMatches = () => false
    },
  },
  {
    name: 'redirect-uri-registered-otherwise-redirected',
    summary: 'The configured redirect URI is not registered: every request redirects to it with an error.',
    concerns: FLOW,
    ambiguity,
    undecidable: FLOW,
    alter: ({ idp }: Behaviour) => {
      idp.redirectUriMatches = () => false
      idp.redirectMismatch = 'redirect'
    },
  },
  ...['invalid_request', 'unauthorized_client', 'invalid_scope', 'access_denied'].map((error) => ({
    name: `application-refused-${error.replace('_', '-')}`,
    summary: `The application, its scope or its user is not allowed: every request returns the error ${error}.`,
    concerns: FLOW,
    ambiguity,
    undecidable: FLOW,
    alter: refuse(error),
  })),
])

/** Deployments that differ from the configuration of the run. */
export const misconfigurations = [...refusals, ...issuerWithSlash]
