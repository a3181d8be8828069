import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editResponse, isMismatchPage, showMismatchAfterRedirect } from '../edits.ts'

function isOnRegisteredHost(query: URLSearchParams): boolean {
  return URL.parse(query.get('redirect_uri') ?? '')?.hostname === 'partner.invalid'
}

/** The host in a URL of the scheme http or https. */
const hostIn = /(?<=^https?:\/\/)[^/:?#@]+(?=[/:?#]|$)/

/** Comparisons of redirect URIs that are weaker than equality. */
const comparisons = [
  {
    name: 'redirect-uri-by-prefix',
    summary: 'Accepts any redirect URI that begins with a registered one.',
    violates: [
      'AUTHZ-REDIRECT-URI-PATH',
      'AUTHZ-REDIRECT-URI-TRAILING-SLASH',
      'AUTHZ-REDIRECT-URI-QUERY',
      'AUTHZ-REDIRECT-URI-FRAGMENT',
    ],
    matches: (requested: string, registered: string) => requested.startsWith(registered),
  },
  {
    name: 'redirect-uri-without-case',
    summary: 'Compares redirect URIs case-insensitively.',
    violates: ['AUTHZ-REDIRECT-URI-PATH-CASE', 'AUTHZ-REDIRECT-URI-SPELLING'],
    matches: (requested: string, registered: string) => requested.toLowerCase() === registered.toLowerCase(),
  },
  {
    name: 'redirect-uri-path-without-case',
    summary: 'Compares the path of the redirect URI case-insensitively.',
    violates: ['AUTHZ-REDIRECT-URI-PATH-CASE'],
    matches: (requested: string, registered: string) =>
      requested.startsWith(new URL(registered).origin) &&
      requested.toLowerCase() === registered.toLowerCase(),
  },
  {
    name: 'redirect-uri-trailing-slash',
    summary: 'Ignores a trailing slash of the redirect URI.',
    violates: ['AUTHZ-REDIRECT-URI-TRAILING-SLASH'],
    matches: (requested: string, registered: string) =>
      requested.replace(/\/$/, '') === registered.replace(/\/$/, ''),
  },
  {
    name: 'redirect-uri-by-host',
    summary: 'Accepts any redirect URI on the registered host.',
    violates: [
      'AUTHZ-REDIRECT-URI-SCHEME',
      'AUTHZ-REDIRECT-URI-PORT',
      'AUTHZ-REDIRECT-URI-PATH',
      'AUTHZ-REDIRECT-URI-PATH-CASE',
      'AUTHZ-REDIRECT-URI-TRAILING-SLASH',
      'AUTHZ-REDIRECT-URI-SPELLING',
      'AUTHZ-REDIRECT-URI-QUERY',
      'AUTHZ-REDIRECT-URI-USER',
      'AUTHZ-REDIRECT-URI-FRAGMENT',
    ],
    matches: (requested: string, registered: string) =>
      URL.canParse(requested) && new URL(requested).hostname === new URL(registered).hostname,
  },
  {
    name: 'redirect-uri-any-port',
    summary: 'Ignores the port of the redirect URI.',
    violates: ['AUTHZ-REDIRECT-URI-PORT', 'AUTHZ-REDIRECT-URI-SPELLING'],
    matches: (requested: string, registered: string) => requested.replace(/:\d+/, '') === registered,
  },
  {
    name: 'redirect-uri-unprivileged-port',
    summary: 'Ignores a port above 1023 in the redirect URI.',
    violates: ['AUTHZ-REDIRECT-URI-PORT'],
    matches: (requested: string, registered: string) =>
      requested.replace(/^(https?:\/\/[^/:]*):(\d+)/, (origin, host, port) =>
        Number(port) > 1023 ? host : origin,
      ) === registered,
  },
  {
    name: 'redirect-uri-any-scheme',
    summary: 'Ignores the scheme of the redirect URI.',
    violates: ['AUTHZ-REDIRECT-URI-SCHEME'],
    matches: (requested: string, registered: string) =>
      requested.replace(/^https?:/i, '') === registered.replace(/^https?:/i, ''),
  },
  {
    name: 'redirect-uri-query-ignored',
    summary: 'Ignores the query of the redirect URI.',
    violates: ['AUTHZ-REDIRECT-URI-QUERY'],
    matches: (requested: string, registered: string) => requested.split('?')[0] === registered,
  },
  {
    name: 'redirect-uri-host-by-prefix',
    summary: 'Accepts a redirect URI whose host begins with the registered host.',
    violates: ['AUTHZ-REDIRECT-URI-HOST'],
    matches: (requested: string, registered: string) => {
      const { host } = new URL(registered)
      return (
        requested.replace(hostIn, (given) => (given.startsWith(`${host}.`) ? host : given)) === registered
      )
    },
  },
  {
    name: 'redirect-uri-below-host',
    summary: 'Accepts a redirect URI on any subdomain of the registered host.',
    violates: ['AUTHZ-REDIRECT-URI-HOST'],
    matches: (requested: string, registered: string) => {
      const { host } = new URL(registered)
      return requested.replace(hostIn, (given) => (given.endsWith(`.${host}`) ? host : given)) === registered
    },
  },
  {
    name: 'redirect-uri-any-host',
    summary: 'Ignores the host of the redirect URI.',
    violates: ['AUTHZ-REDIRECT-URI-HOST', 'AUTHZ-REDIRECT-URI-SPELLING', 'AUTHZ-REDIRECT-URI-OTHER-CLIENT'],
    matches: (requested: string, registered: string) =>
      requested.replace(hostIn, new URL(registered).host) === registered,
  },
  {
    name: 'redirect-uri-below-path',
    summary: 'Accepts a redirect URI whose path is below the registered path.',
    violates: ['AUTHZ-REDIRECT-URI-PATH'],
    matches: (requested: string, registered: string) =>
      requested === registered ||
      (requested.startsWith(`${registered}/`) && /^[^/?]+$/.test(requested.slice(registered.length + 1))),
  },
  {
    name: 'redirect-uri-dot-segments',
    summary:
      'Accepts a longer redirect URI whose dot segments lead back to the folder of the registered one.',
    violates: ['AUTHZ-REDIRECT-URI-PATH'],
    matches: (requested: string, registered: string) =>
      requested === registered ||
      (requested.startsWith(`${registered}/../`) &&
        new URL('.', requested).href === new URL('.', registered).href),
  },
  {
    name: 'redirect-uri-user-ignored',
    summary: 'Ignores a user name in the redirect URI.',
    violates: ['AUTHZ-REDIRECT-URI-USER'],
    matches: (requested: string, registered: string) =>
      requested.replace(/^(https?:\/\/)[^/@]*@/, '$1') === registered,
  },
  {
    name: 'redirect-uri-fragment-ignored',
    summary: 'Ignores a fragment of the redirect URI.',
    violates: ['AUTHZ-REDIRECT-URI-FRAGMENT'],
    matches: (requested: string, registered: string) => requested.split('#')[0] === registered,
  },
  {
    name: 'redirect-uri-slashes-merged',
    summary: 'Merges repeated slashes in the path of the redirect URI.',
    violates: ['AUTHZ-REDIRECT-URI-PATH'],
    matches: (requested: string, registered: string) =>
      requested.replaceAll(/(?<!:)\/{2,}/g, '/') === registered,
  },
  {
    name: 'redirect-uri-normalised',
    summary: 'Parses the redirect URI, which normalises it, before the comparison.',
    violates: ['AUTHZ-REDIRECT-URI-SPELLING'],
    matches: (requested: string, registered: string) =>
      URL.canParse(requested) && new URL(requested).href === new URL(registered).href,
  },
  {
    name: 'redirect-uri-host-without-case',
    summary: 'Compares the host of the redirect URI case-insensitively.',
    violates: ['AUTHZ-REDIRECT-URI-SPELLING'],
    matches: (requested: string, registered: string) =>
      requested.replace(hostIn, (host) => host.toLowerCase()) === registered,
  },
  {
    name: 'redirect-uri-standard-port-ignored',
    summary: 'Ignores the standard port in the redirect URI.',
    violates: ['AUTHZ-REDIRECT-URI-SPELLING'],
    matches: (requested: string, registered: string) =>
      requested.replace(/^(https:\/\/[^/]*):443/, '$1') === registered,
  },
  {
    name: 'redirect-uri-decoded-twice',
    summary: 'Decodes the redirect URI twice.',
    violates: ['AUTHZ-REDIRECT-URI-SPELLING'],
    matches: (requested: string, registered: string) =>
      requested.replaceAll(/%(?<octet>[0-9A-F]{2})/gi, (_, octet) =>
        String.fromCharCode(Number.parseInt(octet, 16)),
      ) === registered,
  },
  {
    name: 'redirect-uri-dot-segments-removed',
    summary: 'Removes single dots from the path of the redirect URI.',
    violates: ['AUTHZ-REDIRECT-URI-SPELLING'],
    matches: (requested: string, registered: string) => requested.replaceAll('/./', '/') === registered,
  },
].map(({ name, summary, violates, matches }) => ({
  name,
  summary,
  violates,
  alter: ({ idp }: Behaviour) => {
    idp.redirectUriMatches = (requested, registered) => registered.some((uri) => matches(requested, uri))
  },
}))

/** Replaces the error of redirects that refuse a redirect URI. */
function renameMismatch(error: string, applies: (query: URLSearchParams) => boolean = () => true): Alter {
  return editResponse('authorization', (response, { query }) => {
    const { location } = response.headers
    if (typeof location === 'string' && applies(query))
      response.headers.location = location.replace('error=redirect_uri_mismatch', `error=${error}`)
  })
}

const refusals = [
  {
    name: 'mismatch-page-with-200',
    pages: true,
    summary: 'Shows a page with status 200 for an unregistered redirect URI.',
    violates: ['PLATFORM-REDIRECT-MISMATCH'],
    alter: editResponse('authorization', (response) => {
      if (isMismatchPage(response)) response.status = 200
    }),
  },
  {
    name: 'path-mismatch-page-with-403',
    pages: true,
    summary: 'Shows a page with status 403 for an unregistered redirect URI on the registered host.',
    violates: ['PLATFORM-REDIRECT-MISMATCH'],
    alter: editResponse('authorization', (response, { query }) => {
      if (isMismatchPage(response) && isOnRegisteredHost(query)) response.status = 403
    }),
  },
  {
    name: 'mismatch-page-after-303',
    pages: true,
    summary: 'Redirects with status 303 to a page with status 404 for an unregistered redirect URI.',
    violates: ['PLATFORM-REDIRECT-MISMATCH'],
    alter: showMismatchAfterRedirect(303, 404),
  },
  {
    name: 'mismatch-page-after-307',
    pages: true,
    summary: 'Redirects with status 307 to a page with status 200 for an unregistered redirect URI.',
    violates: ['PLATFORM-REDIRECT-MISMATCH'],
    alter: showMismatchAfterRedirect(307, 200),
  },
  {
    name: 'path-mismatch-redirected-unlisted',
    summary:
      'Returns the error `bad_redirect` in a redirect for an unregistered redirect URI on the registered host.',
    violates: ['PLATFORM-REDIRECT-MISMATCH-ERROR'],
    variants: ['mismatch-redirected'],
    alter: renameMismatch('bad_redirect', isOnRegisteredHost),
  },
  {
    name: 'mismatch-redirected-303',
    summary: 'Redirects with status 303 instead of 302 for an unregistered redirect URI.',
    violates: ['PLATFORM-REDIRECT-MISMATCH'],
    variants: ['mismatch-redirected'],
    alter: editResponse('authorization', (response) => {
      if (String(response.headers.location).includes('error=redirect_uri_mismatch')) response.status = 303
    }),
  },
  {
    name: 'mismatch-redirected-unlisted',
    summary: 'Returns the error `invalid_redirect_uri` in a redirect for an unregistered redirect URI.',
    violates: ['PLATFORM-REDIRECT-MISMATCH-ERROR'],
    variants: ['mismatch-redirected'],
    alter: renameMismatch('invalid_redirect_uri'),
  },
  {
    name: 'mismatch-redirected-as-denied',
    summary: 'Returns the error `access_denied` in a redirect for an unregistered redirect URI.',
    violates: ['PLATFORM-REDIRECT-MISMATCH-ERROR'],
    variants: ['mismatch-redirected'],
    alter: renameMismatch('access_denied'),
  },
]

const otherClients = [
  {
    name: 'redirect-uri-of-any-application',
    summary: 'Accepts a redirect URI that is registered for any application.',
    violates: ['AUTHZ-REDIRECT-URI-OTHER-CLIENT'],
    alter: ({ idp }: Behaviour) => {
      const known = new Set<string>()
      idp.redirectUriMatches = (requested, registered) => {
        for (const uri of registered) known.add(uri)
        return known.has(requested)
      }
    },
  },
]

export const redirectUriFaults = withSurface('authorization-request', [
  ...comparisons,
  ...otherClients,
  ...refusals,
])
