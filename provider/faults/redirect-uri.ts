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
    alike: (requested: string, registered: string) => requested.startsWith(registered),
  },
  {
    name: 'redirect-uri-without-case',
    summary: 'Redirect URIs are compared without regard to case.',
    alike: (requested: string, registered: string) => requested.toLowerCase() === registered.toLowerCase(),
  },
  {
    name: 'redirect-uri-trailing-slash',
    summary: 'A trailing slash of the redirect URI makes no difference.',
    alike: (requested: string, registered: string) =>
      requested.replace(/\/$/, '') === registered.replace(/\/$/, ''),
  },
  {
    name: 'redirect-uri-by-host',
    summary: 'Any redirect URI on the registered host is accepted.',
    alike: (requested: string, registered: string) =>
      URL.canParse(requested) && new URL(requested).hostname === new URL(registered).hostname,
  },
  {
    name: 'redirect-uri-any-port',
    summary: 'The port of the redirect URI makes no difference.',
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
    alike: (requested: string, registered: string) =>
      requested.replace(/^https?:/i, '') === registered.replace(/^https?:/i, ''),
  },
].map(({ name, summary, alike }) => ({
  name,
  summary,
  violates: ['AUTHZ-REDIRECT-URI-EXACT'],
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
]

export const redirectUriFaults = withFace('authorization', [...comparisons, ...refusals])
