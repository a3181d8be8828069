import { createHmac } from 'node:crypto'
import type Provider from 'oidc-provider'
import type { User } from '../deployment.ts'
import { type Answer, htmlAnswer, type Received } from '../http.ts'
import { userOf } from './accounts.ts'
import { errorPage } from './pages.ts'
import { ACCOUNT_PATH } from './paths.ts'
import type { IdentityContext } from './provider.ts'

/** Most characters a given name may have. */
const LONGEST_NAME = 60

/** The page on which a signed-in user changes their given name. */
export function createAccountPage(
  provider: Provider,
  { behaviour, deployment, seed, claimChanged }: IdentityContext,
) {
  /** Shows that a form comes from the page of the same session. */
  function formToken(session: string): string {
    return createHmac('sha256', seed).update(`account form ${session}`).digest('base64url')
  }

  function save(user: User, form: URLSearchParams): string | undefined {
    const givenName = form.get('given_name')?.trim() ?? ''
    if (givenName === '' || givenName.length > LONGEST_NAME)
      return `A given name has 1 to ${LONGEST_NAME} characters.`
    const problem = behaviour.accountSaves(user, givenName)
    if (problem !== undefined) return problem
    if (givenName === user.givenName || behaviour.accountKeeps) return undefined
    user.givenName = givenName
    claimChanged(user, 'given_name', givenName)
    return undefined
  }

  /** Handles a request to the page, for whoever is signed in. */
  return async function handle(
    messages: Parameters<Provider['Session']['get']>[0],
    received: Received,
  ): Promise<Answer> {
    const session = await provider.Session.get(messages)
    const user = session.accountId === undefined ? undefined : userOf(deployment, session.accountId)
    if (!user) return htmlAnswer(401, errorPage('not signed in', 'Sign in from an application first.'))
    const token = formToken(session.jti)
    const view = { action: ACCOUNT_PATH, token, user: user.username }
    if (received.method !== 'POST') {
      const saved = received.query.has('saved')
      return htmlAnswer(200, behaviour.pages.account({ ...view, givenName: user.givenName, saved }))
    }
    const form = received.form ?? new URLSearchParams()
    if (form.get('token') !== token)
      return htmlAnswer(403, errorPage('form expired', 'Open your account page again.'))
    const error = save(user, form)
    if (error === undefined)
      return {
        status: 303,
        headers: { location: `${ACCOUNT_PATH}?saved`, 'cache-control': 'no-store' },
        body: '',
      }
    const givenName = form.get('given_name') ?? ''
    return htmlAnswer(200, behaviour.pages.account({ ...view, givenName, error, saved: false }))
  }
}
