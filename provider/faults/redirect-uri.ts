import { type Behaviour, withFace } from '../behaviour.ts'
import type { Answer } from '../http.ts'

function refusedMismatch(answer: Answer): boolean {
  return answer.status === 400 && String(answer.body).includes('redirect_uri_mismatch')
}

/** Registered redirect URIs compared by something less than equality. */
const comparisons = [
  {
    name: 'redirect-uri-by-prefix',
    summary: 'A redirect URI that begins with a registered one is accepted.',
    violates: ['AUTHZ-REDIRECT-URI-PATH', 'AUTHZ-REDIRECT-URI-TRAILING-SLASH', 'AUTHZ-REDIRECT-URI-QUERY'],
    alike: (requested: string, registered: string) => requested.startsWith(registered),
  },
  {
    name: 'redirect-uri-without-case',
    summary: 'Redirect URIs are compared without regard to case.',
    violates: ['AUTHZ-REDIRECT-URI-PATH-CASE'],
    alike: (requested: string, registered: string) => requested.toLowerCase() === registered.toLowerCase(),
  },
  {
    name: 'redirect-uri-trailing-slash',
    summary: 'A trailing slash of the redirect URI makes no difference.',
    violates: ['AUTHZ-REDIRECT-URI-TRAILING-SLASH'],
    alike: (requested: string, registered: string) =>
      requested.replace(/\/$/, '') === registered.replace(/\/$/, ''),
  },
  {
    name: 'redirect-uri-by-host',
    summary: 'Any redirect URI on the registered host is accepted.',
    violates: [
      'AUTHZ-REDIRECT-URI-SCHEME',
      'AUTHZ-REDIRECT-URI-PORT',
      'AUTHZ-REDIRECT-URI-PATH',
      'AUTHZ-REDIRECT-URI-PATH-CASE',
      'AUTHZ-REDIRECT-URI-TRAILING-SLASH',
      'AUTHZ-REDIRECT-URI-QUERY',
    ],
    alike: (requested: string, registered: string) =>
      URL.canParse(requested) && new URL(requested).hostname === new URL(registered).hostname,
  },
  {
    name: 'redirect-uri-any-port',
    summary: 'The port of the redirect URI makes no difference.',
    violates: ['AUTHZ-REDIRECT-URI-PORT'],
    alike: (requested: string, registered: string) => {
      if (!URL.canParse(requested)) return false
      const url = new URL(requested)
      url.port = new URL(registered).port
      return url.href === registered
    },
  },
  {
    name: 'redirect-uri-any-scheme',
    summary: 'The scheme of the redirect URI makes no difference.',
    violates: ['AUTHZ-REDIRECT-URI-SCHEME'],
    alike: (requested: string, registered: string) =>
      requested.replace(/^https?:/i, '') === registered.replace(/^https?:/i, ''),
  },
  {
    name: 'redirect-uri-query-ignored',
    summary: 'The query of the redirect URI makes no difference.',
    violates: ['AUTHZ-REDIRECT-URI-QUERY'],
    alike: (requested: string, registered: string) => requested.split('?')[0] === registered,
  },
  {
    name: 'redirect-uri-host-by-prefix',
    summary: 'A redirect URI is accepted whose host begins with the registered one.',
    violates: ['AUTHZ-REDIRECT-URI-HOST'],
    alike: (requested: string, registered: string) => {
      if (!URL.canParse(requested)) return false
      const url = new URL(requested)
      const { hostname } = new URL(registered)
      if (!url.hostname.startsWith(`${hostname}.`)) return requested === registered
      url.hostname = hostname
      return url.href === registered
    },
  },
  {
    name: 'redirect-uri-below-host',
    summary: 'A redirect URI is accepted on any host below the registered one.',
    violates: ['AUTHZ-REDIRECT-URI-HOST'],
    alike: (requested: string, registered: string) => {
      if (!URL.canParse(requested)) return false
      const url = new URL(requested)
      const { hostname } = new URL(registered)
      if (!url.hostname.endsWith(`.${hostname}`)) return requested === registered
      url.hostname = hostname
      return url.href === registered
    },
  },
  {
    name: 'redirect-uri-any-host',
    summary: 'The host of the redirect URI makes no difference.',
    violates: ['AUTHZ-REDIRECT-URI-HOST'],
    alike: (requested: string, registered: string) => {
      if (!URL.canParse(requested)) return false
      const url = new URL(requested)
      url.hostname = new URL(registered).hostname
      return url.href === registered
    },
  },
  {
    name: 'redirect-uri-below-path',
    summary: 'A redirect URI is accepted whose path lies below the registered one.',
    violates: ['AUTHZ-REDIRECT-URI-PATH'],
    alike: (requested: string, registered: string) =>
      requested === registered ||
      (requested.startsWith(`${registered}/`) && /^[^/?]+$/.test(requested.slice(registered.length + 1))),
  },
].map(({ name, summary, violates, alike }) => ({
  name,
  summary,
  violates,
  alter: ({ idp }: Behaviour) => {
    idp.redirectUriMatches = (requested, registered) => registered.some((one) => alike(requested, one))
  },
}))

const refusals = [
  {
    name: 'mismatch-page-with-200',
    summary: 'A redirect URI that is not registered is refused by a page with status 200.',
    violates: ['PLATFORM-REDIRECT-MISMATCH'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.authorization.push((answer) => {
        if (refusedMismatch(answer)) answer.status = 200
      }),
  },
  {
    name: 'mismatch-redirected-303',
    summary: 'A redirect URI that is not registered is refused by a redirect with status 303.',
    violates: ['PLATFORM-REDIRECT-MISMATCH'],
    variants: ['mismatch-redirected'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.authorization.push((answer) => {
        if (String(answer.headers.location).includes('error=redirect_uri_mismatch')) answer.status = 303
      }),
  },
  {
    name: 'mismatch-redirected-as-denied',
    summary: 'A redirect URI that is not registered is refused by a redirect with access_denied.',
    violates: ['PLATFORM-REDIRECT-MISMATCH-ERROR'],
    variants: ['mismatch-redirected'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.authorization.push((answer) => {
        const { location } = answer.headers
        if (typeof location === 'string')
          answer.headers.location = location.replace('error=redirect_uri_mismatch', 'error=access_denied')
      }),
  },
]

export const redirectUriFaults = withFace('authorization', [...comparisons, ...refusals])
