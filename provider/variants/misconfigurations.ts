import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { LEVELS } from '../deployment.ts'
import { editCallback, editResponse } from '../edits.ts'
import { fieldsOf, type HttpRequest, htmlResponse } from '../http.ts'
import { PATHS } from '../identity/paths.ts'
import { callbackOf } from '../identity/responses.ts'
import { WITHOUT_LOGIN } from './inconclusive.ts'

type RequestTest = (request: HttpRequest) => boolean

/** Returns an error in place of each code. */
function refuse(error: string): Alter {
  return editCallback(({ searchParams }) => {
    if (!searchParams.has('code')) return
    searchParams.delete('code')
    searchParams.set('error', error)
  })
}

/** Refuses matching authorization requests with an error, before any login. */
function refuseAtOnce(error: string, matches: RequestTest): Alter {
  return editResponse('authorization', (response, request) => {
    const { path, query } = request
    const redirectUri = query.get('redirect_uri') ?? ''
    if (path !== PATHS.authorization || !URL.canParse(redirectUri) || !matches(request)) return
    const url = new URL(redirectUri)
    url.searchParams.set('error', error)
    url.searchParams.set('state', query.get('state') ?? '')
    Object.assign(response, { status: 302, headers: { location: url.href }, body: '' })
  })
}

const unspecified =
  'Refusing an application, user or value that is not registered is lawful, even if the configuration expects it to work.'
const FLOW = ['AUTHZ-CODE-FLOW', 'AUTHZ-STATE-ECHO', 'AUTHZ-STATE-REQUIRED']

/** Requirements on all tokens of a run. */
const LATER = ['IDTOKEN-LATER', 'ACCESSTOKEN-LATER']

const issuers = ['IDTOKEN-ISSUER', 'ACCESSTOKEN-ISSUER', 'AUTHZ-ISS']

/** Issuers with a trailing slash, unlike the configured issuer. */
const issuerWithSlash = withSurface('jwt', [
  {
    name: 'issuer-with-slash-everywhere',
    summary: 'Appends a slash to the issuer in discovery, tokens and redirects.',
    concerns: issuers,
    unspecified: 'The provider or the configuration of the run is wrong; only the two parties know which.',
    mustBeInconclusive: [...issuers, ...LATER, 'IDTOKEN-REFRESHED-ISSUER', 'ACCESSTOKEN-REFRESHED-ISSUER'],
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

const signatures = [
  'KEYSET-HOLDS-SIGNER',
  'IDTOKEN-SIGNATURE',
  'ACCESSTOKEN-SIGNATURE',
  'IDTOKEN-REFRESHED-SIGNATURE',
  'ACCESSTOKEN-REFRESHED-SIGNATURE',
]

/** A configuration whose JWKS_URL is the address of another provider's key set. */
const otherKeySet = withSurface('jwt', [
  {
    name: 'key-set-of-another-provider',
    summary: 'Serves keys with other key ids, and publishes another `jwks_uri` in discovery.',
    concerns: signatures,
    unspecified: 'JWKS_URL is the address of another provider: discovery has the right one.',
    mustBeInconclusive: [...signatures, ...LATER],
    alter: ({ idp }: Behaviour) => {
      idp.responses.keySet.push((response) => {
        const fields = fieldsOf(response)
        if (!Array.isArray(fields?.keys)) return
        fields.keys = fields.keys.map((key) => ({ ...key, kid: `${key.kid}-of-another` }))
      })
      idp.responses.discovery.push((response) => {
        const fields = fieldsOf(response)
        if (fields) fields.jwks_uri = `${fields.jwks_uri}/current`
      })
    },
  },
])

/** Providers that rightly refuse the application, because its registration differs from the configuration. */
const refusals = withSurface('authorization', [
  {
    name: 'redirect-uri-registered-otherwise',
    summary: 'Shows a page with status 400 for every request: the configured redirect URI is not registered.',
    concerns: FLOW,
    unspecified,
    mustBeInconclusive: FLOW,
    mayBeInconclusive: WITHOUT_LOGIN,
    alter: ({ idp }: Behaviour) => {
      idp.redirectUriMatches = () => false
    },
  },
  {
    name: 'redirect-uri-registered-otherwise-redirected',
    summary: 'Redirects every request with an error: the configured redirect URI is not registered.',
    concerns: FLOW,
    unspecified,
    mustBeInconclusive: FLOW,
    mayBeInconclusive: WITHOUT_LOGIN,
    alter: ({ idp }: Behaviour) => {
      idp.redirectUriMatches = () => false
      idp.redirectMismatch = 'redirect'
    },
  },
  {
    name: 'scope-not-allowed',
    summary:
      'Returns the error `invalid_scope` for every scope other than `openid`: the application may not request others.',
    concerns: FLOW,
    unspecified,
    mustBeInconclusive: FLOW,
    mayBeInconclusive: WITHOUT_LOGIN,
    alter: refuseAtOnce('invalid_scope', ({ query }) => query.get('scope') !== 'openid'),
  },
  {
    name: 'level-not-allowed',
    summary:
      'Returns the error `invalid_request` for every request with `acr_values`: the configured level is unknown.',
    concerns: FLOW,
    unspecified,
    mustBeInconclusive: FLOW,
    mayBeInconclusive: WITHOUT_LOGIN,
    alter: refuseAtOnce('invalid_request', ({ query }) => query.has('acr_values')),
  },
  {
    name: 'application-unknown-by-another-name',
    summary: 'Redirects every request with the error `unknown_client`: the application is unknown.',
    concerns: FLOW,
    unspecified,
    mustBeInconclusive: FLOW,
    mayBeInconclusive: WITHOUT_LOGIN,
    alter: refuseAtOnce('unknown_client', () => true),
  },
  {
    name: 'user-not-allowed',
    summary: 'Ends every login on a page with status 403: the user may not use the application.',
    concerns: FLOW,
    unspecified,
    mustBeInconclusive: FLOW,
    mayBeInconclusive: WITHOUT_LOGIN,
    alter: editResponse('authorization', (response, request) => {
      if (!callbackOf(response, request)?.searchParams.has('code')) return
      delete response.headers.location
      Object.assign(response, htmlResponse(403, '<!doctype html><title>No access</title><p>Ask for it.</p>'))
    }),
  },
  ...['unauthorized_client', 'access_denied'].map((error) => ({
    name: `application-refused-${error.replace('_', '-')}`,
    summary: `Returns the error \`${error}\` for every request: the application or its user is not allowed.`,
    concerns: FLOW,
    unspecified,
    mustBeInconclusive: FLOW,
    mayBeInconclusive: WITHOUT_LOGIN,
    alter: refuse(error),
  })),
])

const reverseLevels: Alter = ({ variables }) => {
  variables.ACR_ORDER = LEVELS.toReversed().join(',')
}

const levels = withSurface('authorization', [
  {
    name: 'acr-order-reversed',
    summary: 'Is configured with ACR_ORDER in reverse: strongest level first.',
    concerns: ['AUTHZ-ACR-LOWERED', 'IDTOKEN-ACR'],
    unspecified: 'The order of levels is configuration.',
    mustBeInconclusive: ['AUTHZ-ACR-LOWERED'],
    alter: reverseLevels,
  },
  {
    name: 'acr-above-in-reversed-order',
    summary: 'Issues ID tokens of the strongest level, and is configured with ACR_ORDER in reverse.',
    concerns: ['IDTOKEN-ACR'],
    unspecified: 'The order of levels is configuration.',
    mustBeInconclusive: ['AUTHZ-ACR-LOWERED', 'IDTOKEN-ACR', 'IDTOKEN-REFRESHED-ACR', 'IDTOKEN-LATER'],
    alter: (behaviour: Behaviour) => {
      reverseLevels(behaviour)
      behaviour.idp.idToken.push(({ claims }) => {
        claims.acr = LEVELS.at(-1)
      })
    },
  },
])

/** Deployments that differ from the configuration of the run. */
export const misconfigurations = [...refusals, ...levels, ...issuerWithSlash, ...otherKeySet]
