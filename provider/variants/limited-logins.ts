import { type Alter, withSurface } from '../alteration.ts'
import { htmlResponse } from '../http.ts'
import { INTERACTION_PATH } from '../identity/paths.ts'

/** Number of logins with a password that the provider accepts before it asks users to wait. */
const ACCEPTED_LOGINS = 1

/** Shows a page that asks the user to wait, in place of further logins with a password. */
function limitLogins(status: number): Alter {
  return ({ idp }) => {
    let logins = 0
    idp.interceptors.push(({ path, form }) => {
      if (!path.startsWith(`${INTERACTION_PATH}/`) || !form?.has('password')) return undefined
      if (form.get('action') === 'cancel') return undefined
      logins += 1
      if (logins <= ACCEPTED_LOGINS) return undefined
      const html = '<!doctype html><title>Too many logins</title><p>Please wait five minutes.</p>'
      return htmlResponse(status, html)
    })
  }
}

/** Requirements that Plumbline checks with a second login. */
const WITH_SECOND_LOGIN = [
  'TOKEN-REDIRECT-URI-{MATCH-ERROR,SCHEME,PORT,QUERY,TRAILING-SLASH,CASE}',
  'TOKEN-{CODE-SINGLE-USE,DUPLICATE-REFRESH-TOKEN}*',
  'TOKEN-REFRESH-{CLIENT,SECRET,AUTH-METHOD,OTHER-CLIENT,RACE}*',
  'SUBJECT-STABLE*',
]

/** Providers that limit logins with a password. */
export const limitedLoginVariants = withSurface(
  'authorization',
  [200, 403].map((status) => ({
    name: `logins-limited-with-${status}`,
    summary: `Shows a page with status ${status} that asks the user to wait, after ${ACCEPTED_LOGINS} login.`,
    concerns: ['AUTHZ-ACR-UNMET', 'AUTHZ-AUTH-LEVEL-UNMET'],
    unspecified: 'How many logins a provider accepts is not specified.',
    mustBeInconclusive: ['AUTHZ-ACR-UNMET', 'AUTHZ-AUTH-LEVEL-UNMET'],
    mayBeInconclusive: WITH_SECOND_LOGIN,
    alter: limitLogins(status),
  })),
)
