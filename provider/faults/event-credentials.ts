import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import type { Partner } from '../deployment.ts'
import { grantType } from '../edits.ts'
import { type HttpRequest, headerValue } from '../http.ts'

function isAnonymous({ headers }: HttpRequest): boolean {
  return headers['x-client-id'] === undefined && headers['x-client-secret'] === undefined
}

function hasBearerToken({ headers }: HttpRequest): boolean {
  return /^bearer [\w-]+\.[\w-]+\.[\w-]+$/i.test(headers.authorization ?? '')
}

function isForLaterPage({ query }: HttpRequest): boolean {
  return Number(query.get('page')) >= 1
}

/** The user name of HTTP Basic credentials. */
function basicUserOf({ headers }: HttpRequest): string | undefined {
  const credentials = /^basic (\S+)$/i.exec(headers.authorization ?? '')?.[1]
  return credentials && Buffer.from(credentials, 'base64').toString().split(':')[0]
}

/** Whether a request has an ID token. The `typ` of access tokens differs. */
function hasIdToken({ headers }: HttpRequest): boolean {
  const header = /^bearer ([\w-]+)\.[\w-]+\.[\w-]+$/i.exec(headers.authorization ?? '')?.[1]
  return header !== undefined && JSON.parse(Buffer.from(header, 'base64url').toString()).typ === 'JWT'
}

/** Accepts matching requests as requests of an entitled partner. */
function admit(
  matches: (request: HttpRequest, partner: Partner, partners: readonly Partner[]) => boolean,
): Alter {
  return ({ hub }) => {
    const { authenticate } = hub
    hub.authenticate = (request, partners) =>
      partners.find((partner) => partner.eventHub && matches(request, partner, partners)) ??
      authenticate(request, partners)
  }
}

/** The partner credentials in a request. */
interface Credentials {
  id: string | undefined
  secret: string | undefined
}

/** Incomplete or wrong credentials of an entitled partner. */
const invalidCredentials: readonly {
  name: string
  what: string
  violates: string
  matches: (given: Credentials, partner: Partner, otherPartners: readonly Partner[]) => boolean
}[] = [
  {
    name: 'id-alone',
    what: 'only `X-Client-Id`',
    violates: 'EVENT-SECRET-REQUIRED',
    matches: ({ id, secret }, partner) => id === partner.id && secret === undefined,
  },
  {
    name: 'secret-alone',
    what: 'only `X-Client-Secret`',
    violates: 'EVENT-CLIENT-ID-REQUIRED',
    matches: ({ id, secret }, partner) => id === undefined && secret === partner.secret,
  },
  {
    name: 'wrong-secret',
    what: 'an unknown `X-Client-Secret`',
    violates: 'EVENT-SECRET-WRONG',
    matches: ({ id, secret }, partner, otherPartners) =>
      id === partner.id &&
      secret !== undefined &&
      ![partner, ...otherPartners].some((known) => known.secret === secret),
  },
  {
    name: 'wrong-id',
    what: 'an unknown `X-Client-Id`',
    violates: 'EVENT-CLIENT-ID-WRONG',
    matches: ({ id, secret }, partner, otherPartners) =>
      secret === partner.secret &&
      id !== undefined &&
      ![partner, ...otherPartners].some((known) => known.id === id),
  },
  {
    name: 'secret-of-another',
    what: "another partner's `X-Client-Secret`",
    violates: 'EVENT-SECRET-OF-ANOTHER',
    matches: ({ id, secret }, partner, otherPartners) =>
      id === partner.id && otherPartners.some((other) => other.secret === secret),
  },
]

function credentialsIn({ headers }: HttpRequest): Credentials {
  return { id: headerValue(headers, 'x-client-id'), secret: headerValue(headers, 'x-client-secret') }
}

function otherPartners(partner: Partner, partners: readonly Partner[]): readonly Partner[] {
  return partners.filter((other) => other !== partner)
}

/** Returns 401 with the requested page for matching requests. */
function refuseWithEvents(
  matches: (request: HttpRequest, partner: Partner, partners: readonly Partner[]) => boolean,
): Alter {
  return (behaviour) => {
    let refused = false
    admit((request, partner, partners) => {
      refused = matches(request, partner, partners)
      return refused
    })(behaviour)
    behaviour.hub.responses.push((response) => {
      if (refused) response.status = 401
      refused = false
    })
  }
}

const refusedWithEvents = invalidCredentials.map(({ name, what, violates, matches }) => ({
  name: `${name}-refused-with-events`,
  summary: `Returns 401 with the requested page for a search with ${what}.`,
  violates: [violates],
  alter: refuseWithEvents((request, partner, partners) =>
    matches(credentialsIn(request), partner, otherPartners(partner, partners)),
  ),
}))

const acceptedLater = invalidCredentials.map(({ name, what, violates, matches }) => ({
  name: `${name}-accepted-on-later-pages`,
  summary: `Accepts a search with ${what} for any page except the first.`,
  violates: [violates],
  alter: admit(
    (request, partner, partners) =>
      isForLaterPage(request) && matches(credentialsIn(request), partner, otherPartners(partner, partners)),
  ),
}))

/** Accepts searches with an access token from a refresh. */
function admitRefreshedTokens(behaviour: Behaviour): void {
  const refreshed = new Set<unknown>()
  behaviour.idp.accessToken.push(({ claims }, request) => {
    if (grantType(request) === 'refresh_token') refreshed.add(claims.jti)
  })
  admit(({ headers }) => {
    const payload = /^bearer [\w-]+\.([\w-]+)\.[\w-]+$/i.exec(headers.authorization ?? '')?.[1]
    return (
      payload !== undefined && refreshed.has(JSON.parse(Buffer.from(payload, 'base64url').toString()).jti)
    )
  })(behaviour)
}

/** Accepted searches without valid credentials, and refusals that contain events. */
export const eventCredentialFaults = withSurface('hub', [
  ...refusedWithEvents,
  ...acceptedLater,
  {
    name: 'hub-without-credentials',
    summary: 'Accepts a search without `X-Client-Id`.',
    violates: ['EVENT-CREDENTIALS-REQUIRED'],
    alter: admit(({ headers }) => headers['x-client-id'] === undefined),
  },
  {
    name: 'hub-without-credentials-on-later-pages',
    summary: 'Checks the credentials of a search only for the first page.',
    violates: ['EVENT-CREDENTIALS-REQUIRED'],
    alter: admit(({ query }) => Number(query.get('page')) >= 1),
  },
  {
    name: 'nobody-refused-with-events',
    summary: 'Returns 401 with the requested page for a search without credentials.',
    violates: ['EVENT-CREDENTIALS-REQUIRED'],
    alter: refuseWithEvents(isAnonymous),
  },
  {
    name: 'hub-id-is-enough',
    summary: 'Accepts a search with only a known `X-Client-Id`.',
    violates: ['EVENT-SECRET-REQUIRED'],
    alter: admit(
      ({ headers }, { id }) => headers['x-client-id'] === id && headers['x-client-secret'] === undefined,
    ),
  },
  {
    name: 'hub-secret-is-enough',
    summary: 'Accepts a search with only a known `X-Client-Secret`.',
    violates: ['EVENT-CLIENT-ID-REQUIRED'],
    alter: admit(
      ({ headers }, { secret }) =>
        headers['x-client-id'] === undefined && headers['x-client-secret'] === secret,
    ),
  },
  {
    name: 'hub-id-not-checked',
    summary: 'Accepts a search with a known `X-Client-Secret` and any `X-Client-Id`.',
    violates: ['EVENT-CLIENT-ID-WRONG'],
    alter: admit(
      ({ headers }, { secret }, partners) =>
        headers['x-client-secret'] === secret &&
        headers['x-client-id'] !== undefined &&
        !partners.some(({ id }) => id === headers['x-client-id']),
    ),
  },
  {
    name: 'hub-takes-any-partners-secret',
    summary: 'Accepts a search with a known `X-Client-Id` and the `X-Client-Secret` of any partner.',
    violates: ['EVENT-SECRET-OF-ANOTHER'],
    alter: admit(
      ({ headers }, { id }, partners) =>
        headers['x-client-id'] === id && partners.some(({ secret }) => secret === headers['x-client-secret']),
    ),
  },
  {
    name: 'hub-takes-bearer-token-for-secret',
    summary:
      'Accepts a search with a known `X-Client-Id` and an OAuth access token instead of `X-Client-Secret`.',
    violates: ['EVENT-NO-OAUTH'],
    alter: admit((request, { id }) => request.headers['x-client-id'] === id && hasBearerToken(request)),
  },
  {
    name: 'hub-secret-not-checked',
    summary: 'Accepts a search with a known `X-Client-Id` and any `X-Client-Secret`.',
    violates: ['EVENT-SECRET-WRONG'],
    alter: ({ hub }: Behaviour) => {
      hub.authenticate = ({ headers }, partners) =>
        headers['x-client-secret'] === undefined
          ? undefined
          : partners.find(({ id }) => id === headers['x-client-id'])
    },
  },
  {
    name: 'hub-accepts-bearer-token',
    summary: 'Accepts a search with an OAuth access token instead of `X-Client-Id` and `X-Client-Secret`.',
    violates: ['EVENT-NO-OAUTH'],
    alter: admit(hasBearerToken),
  },
  {
    name: 'bearer-token-accepted-on-later-pages',
    summary: 'Accepts a search with an OAuth access token for any page except the first.',
    violates: ['EVENT-NO-OAUTH'],
    alter: admit((request) => isForLaterPage(request) && hasBearerToken(request)),
  },
  {
    name: 'hub-accepts-refreshed-access-token',
    summary: 'Accepts a search with a refreshed access token instead of `X-Client-Id` and `X-Client-Secret`.',
    violates: ['EVENT-NO-OAUTH'],
    alter: admitRefreshedTokens,
  },
  {
    name: 'hub-accepts-id-token',
    summary: 'Accepts a search with an ID token instead of `X-Client-Id` and `X-Client-Secret`.',
    violates: ['EVENT-NO-ID-TOKEN'],
    alter: admit(hasIdToken),
  },
  {
    name: 'hub-accepts-basic-of-partner',
    summary: "Accepts a search with the partner's id and any secret in HTTP Basic.",
    violates: ['EVENT-NO-BASIC'],
    alter: admit((request, { id }) => basicUserOf(request) === id),
  },
])
